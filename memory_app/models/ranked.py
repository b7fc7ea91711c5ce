"""What ranking needs of an entry, read without the rest of its row: a search looks at hundreds and shows ten."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from memory_app.models.memory import Memory


class RankedRow(NamedTuple):
    """The columns of Memory that decide about a place among the hits. ``terms`` is JSON.

    ``memory_id`` is as the database's driver gives it; :attr:`public_id` is what callers know.
    """

    pk: int
    memory_id: object
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

    @property
    def public_id(self) -> str:
        return str(Memory._meta.get_field("memory_id").to_python(self.memory_id))


_COLUMNS = ", ".join(f"m.{'id' if name == 'pk' else name}" for name in RankedRow._fields)
# The places come first, as a list of values, and each is one look into the index of neighbours: asked for in a WHERE,
# PostgreSQL would read whole sessions, or the whole scope. It takes lists as arrays: hundreds of parameters cost more
# than the search.
_AT_PLACE = (
    "m.scope_id = %s AND m.source_ref = w.ref AND m.position = w.position "
    "AND m.kind = 'EXCERPT' AND m.status = 'active'"
)
_PLACES_POSTGRESQL = f"""
SELECT m.* FROM unnest(%s::text[], %s::bigint[]) w (ref, position) CROSS JOIN LATERAL (
 SELECT {_COLUMNS} FROM memory_app_memory m WHERE {_AT_PLACE} LIMIT 1
) m
"""
_PLACES_SQLITE = f"""
WITH w (ref, position) AS (VALUES {{}})
SELECT {_COLUMNS} FROM w CROSS JOIN memory_app_memory m WHERE {_AT_PLACE}
"""
# Literals, as the index of standing preferences has them: parameters would hide it from SQLite.
_STANDING = f"""
SELECT {_COLUMNS} FROM memory_app_memory m
WHERE m.scope_id = %s AND m.status = 'active' AND m.kind = 'PREFERENCE' AND (m.expires_at IS NULL OR m.expires_at > %s)
ORDER BY m.valid_from DESC, m.id DESC LIMIT %s
"""
_BY_PK = f"SELECT {_COLUMNS} FROM memory_app_memory m WHERE m.id "


def rows_by_pk(pks: Sequence[int]) -> list[RankedRow]:
    if connection.vendor == "postgresql":
        return _rows(_BY_PK + "= ANY(%s)", [list(pks)])
    return _rows(_BY_PK + f"IN ({', '.join(['%s'] * len(pks))})", list(pks))


def rows_at(scope_id: int, places: Sequence[tuple[str, int]]) -> list[RankedRow]:
    """The active excerpts at these places, each a log and a position."""
    if connection.vendor == "postgresql":
        refs, positions = [ref for ref, _ in places], [position for _, position in places]
        return _rows(_PLACES_POSTGRESQL, [refs, positions, scope_id])
    values = ", ".join(["(%s, %s)"] * len(places))
    return _rows(_PLACES_SQLITE.format(values), [*(item for place in places for item in place), scope_id])


def standing_rows(scope_id: int, now: float, limit: int) -> list[RankedRow]:
    """The user's newest active preferences."""
    return _rows(_STANDING, [scope_id, now, limit])


def _rows(statement: str, parameters: list[object]) -> list[RankedRow]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(map(RankedRow._make, cursor.fetchall()))
