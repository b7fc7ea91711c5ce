"""Keeping the search index in step with the entries, in the transaction that writes them and under the scope's lock."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from memory_app.domain.cues import is_question, names_time
from memory_app.domain.tokens import TOKENIZER_VERSION, index_terms
from memory_app.models import Memory, MemoryScope, Posting, TermStat
from memory_app.models.index_sql import add_postings, count_terms, drop_postings


def describe_for_index(entry: Memory) -> None:
    """Fill in, unsaved, what ranking needs to know of an entry's text."""
    indexed = index_terms(entry.text, author=entry.author, moment=_day_of(entry.valid_from))
    entry.terms = json.dumps(indexed.terms, separators=(",", ":"))
    entry.length = indexed.length
    entry.is_question = is_question(entry.text)
    entry.names_time = names_time(entry.text)
    entry.tokenizer = TOKENIZER_VERSION


def add_to_index(scope: MemoryScope, entries: Sequence[Memory]) -> None:
    """Make saved entries findable, and count them in the scope."""
    terms = {entry.pk: _stored_terms(entry) for entry in entries}
    add_postings(
        [
            (scope.pk, term, entry.pk, scope.project_id, tf, entry.length, entry.expires_at)
            for entry in entries
            for term, tf in terms[entry.pk].items()
        ]
    )
    _count(scope, entries, terms, 1)


def drop_from_index(scope: MemoryScope, entries: Sequence[Memory]) -> None:
    """Take entries out by the terms that are stored with them, whatever the tokenizer makes of their text today."""
    terms = {entry.pk: _stored_terms(entry) for entry in entries}
    drop_postings([(scope.pk, term, entry.pk) for entry in entries for term in terms[entry.pk]])
    _count(scope, entries, terms, -1)


def _count(scope: MemoryScope, entries: Sequence[Memory], terms: dict[int, dict[bytes, int]], sign: int) -> None:
    frequencies = Counter(term for entry in entries for term in terms[entry.pk])
    count_terms((scope.pk, term, scope.project_id, sign * number) for term, number in frequencies.items())
    scope.entries += sign * len(entries)
    scope.total_length += sign * sum(entry.length for entry in entries)
    scope.save(update_fields=["entries", "total_length"])


def rebuild_scope(scope: MemoryScope, entries: Sequence[Memory]) -> None:
    """Index the active entries of a locked scope anew, with today's tokenizer."""
    drop_all(scope)
    for entry in entries:
        describe_for_index(entry)
    Memory.objects.bulk_update(entries, ["terms", "length", "is_question", "names_time", "tokenizer"], batch_size=500)
    add_to_index(scope, entries)


def drop_all(scope: MemoryScope) -> None:
    """Empty the index of a locked scope."""
    Posting.objects.filter(scope=scope).delete()
    TermStat.objects.filter(scope=scope).delete()
    scope.entries = scope.total_length = 0
    scope.save(update_fields=["entries", "total_length"])


def _stored_terms(entry: Memory) -> dict[bytes, int]:
    return {term.encode(): tf for term, tf in json.loads(entry.terms).items()}


def _day_of(moment: float) -> datetime | None:
    """The UTC day of a moment, None where no calendar has it."""
    try:
        return datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):
        return None
