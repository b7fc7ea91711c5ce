"""What a call costs: its SQL statements, and the rows that came back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import mock

from django.db import connection
from django.db.models.sql import compiler
from django.test.utils import CaptureQueriesContext


@dataclass
class Cost:
    statements: list[str] = field(default_factory=list)
    rows: int = 0

    @property
    def count(self) -> int:
        return len(self.statements)

    def reading(self, table: str) -> list[str]:
        """The statements that read a table."""
        return [sql for sql in self.statements if sql.startswith("SELECT") and f'FROM "{table}"' in sql]


@contextmanager
def measure() -> Iterator[Cost]:
    """Count the statements of the calls inside, and every row that the ORM fetched for them."""
    cost = Cost()
    real = compiler.cursor_iter

    def counting(*arguments: object) -> Iterator[list]:
        for rows in real(*arguments):
            cost.rows += len(rows)
            yield rows

    with mock.patch.object(compiler, "cursor_iter", counting), CaptureQueriesContext(connection) as queries:
        yield cost
    cost.statements = [query["sql"] for query in queries.captured_queries]


def plan_of(sql: str) -> str:
    """How the database would execute a statement."""
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{explain} {sql}".replace("%", "%%"), ())
        return "\n".join(str(row[-1]) for row in cursor.fetchall())
