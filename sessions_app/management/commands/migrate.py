"""Django's ``migrate``, made safe to start from several replicas at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

_LOCK = 0x3F01D


class Command(migrate.Command):
    """Safe to run twice and side by side: on PostgreSQL the second waits, and then finds nothing left to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        with _alone(connections[options["database"]]):
            super().handle(*args, **options)


@contextmanager
def _alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        # A migration, or the wait for another's, may rightly take longer than a request.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
            cursor.execute("RESET statement_timeout")
