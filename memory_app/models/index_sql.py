"""The statements of the search index that the ORM cannot say. They stand beside the models whose tables they touch.

Both run on SQLite and PostgreSQL. Postings are found by the primary key (scope, term): the terms come first, as a list
of values, and each is one range of that key.
"""

from collections.abc import Iterable, Sequence

from django.db import connection

_ADD_POSTINGS = "INSERT INTO memory_app_posting (scope_id, term, memory_id, project_id, tf, length, live_until) {rows}"
_POSTING_TYPES = ("bigint", "bytea", "bigint", "integer", "integer", "integer", "float8")
_DROP_POSTINGS = "DELETE FROM memory_app_posting WHERE scope_id = %s AND term = %s AND memory_id = %s"
_COUNT_TERMS = """
INSERT INTO memory_app_termstat (scope_id, term, project_id, df) {rows}
ON CONFLICT (scope_id, term) DO UPDATE SET df = memory_app_termstat.df + excluded.df
"""
_COUNT_TYPES = ("bigint", "bytea", "integer", "integer")
_DROP_EMPTY_TERM = "DELETE FROM memory_app_termstat WHERE scope_id = %s AND term = %s AND df <= 0"

_COPY_EXPIRY = """
UPDATE memory_app_posting SET live_until =
(SELECT m.expires_at FROM memory_app_memory m WHERE m.id = memory_app_posting.memory_id) WHERE scope_id = %s
"""

# CROSS JOIN: SQLite keeps this order, so that each term is one search of the key instead of a scan of the scope.
_BEST = """
WITH wanted (term, weight) AS ({wanted})
SELECT p.memory_id, SUM({points}) AS points
FROM wanted w CROSS JOIN memory_app_posting p
WHERE p.scope_id = %s AND p.term = w.term AND (p.live_until IS NULL OR p.live_until > %s){kinds}
GROUP BY p.memory_id ORDER BY points DESC, p.memory_id DESC LIMIT %s
"""
# Whole points: sums of integers do not depend on the order in which a database adds them. The constants are cast: as
# bare numbers they would make PostgreSQL count in decimals, which is slow and rounds otherwise than SQLite.
_POINTS = "w.weight * p.tf / (p.tf + {real} + {real} * p.length)"
_NEWEST = """
SELECT p.memory_id FROM memory_app_posting p
WHERE p.scope_id = %s AND p.term = %s AND (p.live_until IS NULL OR p.live_until > %s){kinds}
ORDER BY p.memory_id DESC LIMIT %s
"""
_OF_KINDS = " AND EXISTS (SELECT 1 FROM memory_app_memory m WHERE m.id = p.memory_id AND m.kind IN ({}))"

PostingRow = tuple[int, bytes, int, int, int, int, float | None]
"""scope, term, memory, project, tf, length, live until."""


def add_postings(rows: Sequence[PostingRow]) -> None:
    _insert(_ADD_POSTINGS, _POSTING_TYPES, rows)


def drop_postings(rows: Sequence[tuple[int, bytes, int]]) -> None:
    """``rows`` are (scope, term, memory)."""
    _execute_many(_DROP_POSTINGS, rows)


def count_terms(rows: Iterable[tuple[int, bytes, int, int]]) -> None:
    """Add to the numbers of entries; ``rows`` are (scope, term, project, change). Sorted, so that no two writers wait
    for each other in a circle."""
    ordered = sorted(rows, key=lambda row: (row[0], row[1]))
    _insert(_COUNT_TERMS, _COUNT_TYPES, ordered)
    _execute_many(_DROP_EMPTY_TERM, [(scope, term) for scope, term, _, change in ordered if change < 0])


def copy_expiry(scope_id: int) -> None:
    """Give the postings of a scope the expiry that its entries have now."""
    with connection.cursor() as cursor:
        cursor.execute(_COPY_EXPIRY, [scope_id])


def best_by_terms(
    scope_id: int,
    weights: Sequence[tuple[bytes, float]],
    constants: tuple[float, float],
    now: float,
    limit: int,
    kinds: Sequence[str] = (),
) -> list[int]:
    """The entries with the greatest sums over the given terms, of the given kinds or of all.

    ``constants`` are BM25's: fixed, and per word.
    """
    postgresql = connection.vendor == "postgresql"
    values = f"VALUES {', '.join('(%s, %s)' for _ in weights)}"
    wanted = "SELECT * FROM unnest(%s::bytea[], %s::float8[])" if postgresql else values
    points = _POINTS.format(real="%s::float8" if postgresql else "%s")
    points = f"trunc({points})::bigint" if postgresql else f"CAST({points} AS INTEGER)"
    columns = [list(column) for column in zip(*weights, strict=True)]
    flat = columns if postgresql else [item for pair in weights for item in pair]
    with connection.cursor() as cursor:
        statement = _BEST.format(wanted=wanted, points=points, kinds=_of_kinds(kinds))
        cursor.execute(statement, [*flat, *constants, scope_id, now, *kinds, limit])
        return [row[0] for row in cursor.fetchall()]


def newest_by_term(scope_id: int, term: bytes, now: float, limit: int, kinds: Sequence[str] = ()) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST.format(kinds=_of_kinds(kinds)), [scope_id, term, now, *kinds, limit])
        return [row[0] for row in cursor.fetchall()]


def _of_kinds(kinds: Sequence[str]) -> str:
    """Kinds are asked for before the cut: a rare one would else lose all its places to the others."""
    return _OF_KINDS.format(", ".join("%s" for _ in kinds)) if kinds else ""


def _insert(statement: str, types: Sequence[str], rows: Sequence[tuple]) -> None:
    """Many rows at once: PostgreSQL takes them as one statement with an array for each column."""
    if not rows:
        return
    if connection.vendor == "postgresql":
        columns = ", ".join(f"unnest(%s::{name}[])" for name in types)
        with connection.cursor() as cursor:
            cursor.execute(
                statement.format(rows=f"SELECT {columns}"), [list(column) for column in zip(*rows, strict=True)]
            )
    else:
        _execute_many(statement.format(rows=f"VALUES ({', '.join('%s' for _ in types)})"), rows)


def _execute_many(statement: str, rows: Sequence[tuple]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)
