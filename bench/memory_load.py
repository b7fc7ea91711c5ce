"""Filling memory with a million entries by a few statements, as if they had been ingested one after the other.

A pool of entries goes through the tokenizer once; each scope takes a stretch of it. Within ``own_database``.
"""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection

from memory_app.domain.cues import is_question, names_time
from memory_app.domain.entries import EXCERPT
from memory_app.domain.tokens import TOKENIZER_VERSION, index_terms
from memory_app.models import MemoryScope
from sessions_app.models import Project

_AUTHORS = ("Ana", "Ben")
_BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
_SESSION = 20
_VOCABULARY = 20_000


def words_of(seed: random.Random, count: int) -> list[str]:
    """Words as common as those of a language: the second half as often as the first, and so on (Zipf's law)."""
    return [_word(min(_VOCABULARY - 1, int(seed.paretovariate(0.75)) - 1)) for _ in range(count)]


def _word(rank: int) -> str:
    digest = hashlib.blake2b(rank.to_bytes(4, "big"), digest_size=5).digest()
    return "".join("bcdfglmnprstvz"[byte % 14] + "aeiou"[byte // 14 % 5] for byte in digest[: 3 + digest[4] % 3])


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of the pool. ``number`` is its place."""

    number: int
    author: str
    text: str
    moment: datetime


def make_pool(size: int) -> list[Said]:
    seed = random.Random(1)
    return [
        Said(
            number,
            _AUTHORS[number % 2],
            " ".join(words_of(seed, seed.randint(10, 20))) + (" ?" if number % 9 == 0 else "."),
            _BEGAN + timedelta(minutes=number),
        )
        for number in range(size)
    ]


def make_questions(pool: Sequence[Said], count: int) -> list[str]:
    """Questions that name an author, whom half of all entries name, and some words of one entry."""
    seed = random.Random(2)
    chosen = [pool[seed.randrange(len(pool))] for _ in range(count)]
    return [f"What did {said.author} say about {' '.join(seed.sample(said.text[:-1].split(), 4))}?" for said in chosen]


class Loader:
    """Writes scopes from a pool that stands in the database, too."""

    def __init__(self, pool: Sequence[Said]) -> None:
        self.pool = pool
        self.project = Project.objects.get_or_create(name="bench", defaults={"created_by": "bench"})[0]
        self._next_pk, self._offset = 1, 0
        self._copy_pool()

    def load(self, sizes: Sequence[int]) -> list[str]:
        """Make a scope of each size; their users' names. Indexes are made anew afterwards: that is far faster."""
        scopes = [MemoryScope(project=self.project, user_id=f"user {self._next_pk} {n}") for n in range(len(sizes))]
        scopes = MemoryScope.objects.bulk_create(scopes, batch_size=5000)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM stretch")
            for scope, size in zip(scopes, sizes, strict=True):
                cursor.execute("INSERT INTO stretch VALUES (%s, %s, %s, %s)", self._stretch(scope, size))
            with _without_slow_checks(cursor):
                memory_id = _UUID if connection.vendor == "postgresql" else "printf('%%032x', number + shift)"
                cursor.execute(_MEMORIES.replace("UUID_OF", memory_id), [self.project.pk])
                cursor.execute(_POSTINGS, [self.project.pk])
                cursor.execute(_TERM_STATS, [self.project.pk])
            cursor.execute(_COUNTS)
            if connection.vendor == "postgresql":
                cursor.execute(_NEXT_MEMORY)
            cursor.execute("ANALYZE")
        return [scope.user_id for scope in scopes]

    def _stretch(self, scope: MemoryScope, size: int) -> tuple[int, int, int, int]:
        if self._offset + size > len(self.pool):
            self._offset = 0
        first_pk, offset = self._next_pk, self._offset
        self._next_pk, self._offset = first_pk + size, offset + size
        return scope.pk, offset, size, first_pk - offset

    def _copy_pool(self) -> None:
        postgresql = connection.vendor == "postgresql"
        double, blob = ("double precision", "bytea") if postgresql else ("real", "blob")
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE stretch (scope_id bigint, start bigint, size bigint, shift bigint)")
            cursor.execute(
                "CREATE TABLE pool (number bigint PRIMARY KEY, author text, said text, terms text, length integer, "
                f"is_question boolean, names_time boolean, moment {double}, claim {blob})"
            )
            cursor.execute(f"CREATE TABLE pool_term (number bigint, term {blob}, tf integer, length integer)")
            rows, terms = [], []
            for said in self.pool:
                indexed = index_terms(said.text, author=said.author, moment=said.moment)
                rows.append(_pool_row(said, indexed))
                terms += [(said.number, term.encode(), tf, indexed.length) for term, tf in indexed.terms.items()]
            _insert(cursor, "pool", rows)
            _insert(cursor, "pool_term", terms)
            cursor.execute("CREATE INDEX pool_term_number ON pool_term (number)")
            cursor.execute("ANALYZE")


def _pool_row(said: Said, indexed) -> tuple:
    return (
        said.number,
        said.author,
        said.text,
        json.dumps(indexed.terms, separators=(",", ":")),
        indexed.length,
        is_question(said.text),
        names_time(said.text),
        said.moment.timestamp(),
        hashlib.sha256(said.text.encode()).digest(),
    )


def _insert(cursor, table: str, rows: Sequence[tuple]) -> None:
    if connection.vendor == "postgresql":
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    else:
        cursor.executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)


class _without_slow_checks:
    """Without triggers and without the indexes of postings, which are made anew at the end. PostgreSQL only."""

    def __init__(self, cursor) -> None:
        self._cursor = cursor
        self._postgresql = connection.vendor == "postgresql"

    def __enter__(self) -> None:
        if self._postgresql:
            self._cursor.execute("SET session_replication_role = replica")
            self._cursor.execute("SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'")
            self._cursor.execute("ALTER TABLE memory_app_posting DROP CONSTRAINT memory_app_posting_pkey")
            self._cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'memory_app_posting'")
            self._indexes = self._cursor.fetchall()
            for name, _ in self._indexes:
                self._cursor.execute(f"DROP INDEX {name}")

    def __exit__(self, *error: object) -> None:
        if self._postgresql:
            self._cursor.execute("ALTER TABLE memory_app_posting ADD PRIMARY KEY (scope_id, term, memory_id)")
            for _, definition in self._indexes:
                self._cursor.execute(definition)
            self._cursor.execute("SET session_replication_role = origin; RESET work_mem; RESET maintenance_work_mem")


_UUID = "md5((number + shift)::text)::uuid"
_MEMORIES = f"""
INSERT INTO memory_app_memory (id, memory_id, kind, status, claim_hash, content, text, author, confidence,
 custom_metadata, valid_from, source_ref, source_session_id, source_seq, position, source_event_id, span_start,
 span_end, extractor, recorded_at, recorded_by, terms, length, is_question, names_time, tokenizer, project_id, scope_id)
SELECT number + shift, UUID_OF, '{EXCERPT}', 'active', claim, '{{}}', said, author, 1.0, '{{}}', moment,
 's:' || (number / {_SESSION}), CAST(number / {_SESSION} AS text), number, number %% {_SESSION} + 1,
 CAST(number AS text), 0, length, 'excerpts', CURRENT_TIMESTAMP, 'bench', terms, length, is_question, names_time,
 '{TOKENIZER_VERSION}', %s, scope_id
FROM stretch CROSS JOIN pool WHERE number >= start AND number < start + size
"""
_POSTINGS = """
INSERT INTO memory_app_posting (scope_id, term, memory_id, project_id, tf, length)
SELECT scope_id, term, number + shift, %s, tf, length
FROM stretch JOIN pool_term ON number >= start AND number < start + size ORDER BY 1, 2, 3
"""
_TERM_STATS = """
INSERT INTO memory_app_termstat (scope_id, term, project_id, df)
SELECT p.scope_id, p.term, %s, count(*) FROM memory_app_posting p
WHERE p.scope_id IN (SELECT scope_id FROM stretch) GROUP BY p.scope_id, p.term
"""
_COUNTS = """
UPDATE memory_app_memoryscope SET entries = s.entries, total_length = s.total
FROM (SELECT scope_id, count(*) AS entries, sum(length) AS total FROM memory_app_memory GROUP BY scope_id) s
WHERE s.scope_id = memory_app_memoryscope.id
"""
_NEXT_MEMORY = """
SELECT setval(pg_get_serial_sequence('memory_app_memory', 'id'), (SELECT max(id) FROM memory_app_memory))
"""
