"""What ranking needs of an entry, read without the rest of its row: a search looks at hundreds and shows ten."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet


class RankedRow(NamedTuple):
    """The columns of Memory that decide about a place among the hits. ``terms`` is JSON."""

    pk: int
    memory_id: UUID
    kind: str
    status: str
    valid_from: float
    expires_at: float | None
    length: int
    source_ref: str
    source_event_id: str | None
    position: int | None
    is_question: bool
    names_time: bool
    terms: str


# The places come first, as a list of values, and each is one look into the index of neighbours: asked for in a WHERE,
# PostgreSQL would read whole sessions, or the whole scope.
_PLACES = {
    "postgresql": """
SELECT m.id FROM (VALUES {}) w (ref, position) CROSS JOIN LATERAL (
 SELECT id FROM memory_app_memory m WHERE m.scope_id = %s AND m.source_ref = w.ref AND m.position = w.position
 AND m.kind = 'EXCERPT' AND m.status = 'active' LIMIT 1
) m
""",
    "sqlite": """
WITH w (ref, position) AS (VALUES {})
SELECT m.id FROM w CROSS JOIN memory_app_memory m
WHERE m.scope_id = %s AND m.source_ref = w.ref AND m.position = w.position
AND m.kind = 'EXCERPT' AND m.status = 'active'
""",
}
# Literals, as the index of standing preferences has them: parameters would hide it from SQLite.
_STANDING = """
SELECT id FROM memory_app_memory
WHERE scope_id = %s AND status = 'active' AND kind = 'PREFERENCE' AND (expires_at IS NULL OR expires_at > %s)
ORDER BY valid_from DESC, id DESC LIMIT %s
"""


def ranked_rows(rows: QuerySet) -> Iterator[RankedRow]:
    return map(RankedRow._make, rows.values_list(*RankedRow._fields))


def pks_at(scope_id: int, places: Sequence[tuple[str, int]]) -> list[int]:
    """The active excerpts at these places, each a log and a position."""
    values = ", ".join(["(%s, %s)"] * len(places))
    return _pks(_PLACES[connection.vendor].format(values), [*(item for place in places for item in place), scope_id])


def pks_of_standing(scope_id: int, now: float, limit: int) -> list[int]:
    """The user's newest active preferences."""
    return _pks(_STANDING, [scope_id, now, limit])


def _pks(statement: str, parameters: Iterable[object]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, list(parameters))
        return [row[0] for row in cursor.fetchall()]
