"""Everything the sessions app has stored, to compare before and after."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps

Dump = dict[str, list[tuple[tuple[str, object], ...]]]

_NOT_COMPARED = {"last_used_at"}


def dump_tables() -> Dump:
    """All rows of all tables, but for the moment a key was last used."""
    models = apps.get_app_config("sessions_app").get_models(include_auto_created=True)
    return {model._meta.label: [_facts(row) for row in model._base_manager.order_by("pk").values()] for model in models}


@contextmanager
def nothing_changes() -> Iterator[None]:
    """Fails when the database differs afterwards."""
    before = dump_tables()
    yield
    assert dump_tables() == before


def _facts(row: dict[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, bytes(value) if isinstance(value, memoryview) else value)
        for name, value in row.items()
        if name not in _NOT_COMPARED
    )
