"""What the tables of memory and jobs hold, to look for what must not be there and to compare before and after."""

import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps

from memory_app.models import MemoryScope, Posting, TermStat

LAYERS = ("memory_app", "jobs_app")


def rows_holding(text: str, *layers: str) -> list[str]:
    """The tables and columns in which a text stands, as itself or in JSON."""
    spellings = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return [
        f"{table}.{column}"
        for table, row in _all_rows(layers or LAYERS)
        for column, value in row.items()
        if any(spelling in _readable(value) for spelling in spellings)
    ]


def dump(*layers: str) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables of these apps."""
    found: dict[str, list[dict[str, Any]]] = {}
    for table, row in _all_rows(layers or LAYERS):
        found.setdefault(table, []).append({name: _plain(value) for name, value in row.items()})
    return found


def statistics() -> dict[str, Any]:
    """All that ranking counts with, in all scopes."""
    scopes = MemoryScope.objects.order_by("pk").values_list("pk", "entries", "total_length")
    return {
        "scopes": [row for row in scopes if row[1] or row[2]],
        "terms": sorted(
            (scope, bytes(term), df) for scope, term, df in TermStat.objects.values_list("scope_id", "term", "df")
        ),
        "postings": sorted(
            (row[0], bytes(row[1]), *row[2:])
            for row in Posting.objects.values_list("scope_id", "term", "memory_id", "tf", "length")
        ),
    }


def _all_rows(layers: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    for layer in layers:
        for model in apps.get_app_config(layer).get_models(include_auto_created=True):
            for row in model._base_manager.order_by("pk").values():
                yield model._meta.label, row


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return bytes(value) if isinstance(value, memoryview) else value


def _readable(value: object) -> str:
    return bytes(value).decode(errors="replace") if isinstance(value, bytes | memoryview) else str(value)
