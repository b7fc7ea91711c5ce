"""Entries for tests, made of texts."""

from bench.recall_searchers import MemoryIndex
from memory_app.domain.cues import is_question, names_time
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, Entry, Place
from memory_app.domain.tokens import IndexedTerms, index_terms


def make_entry(
    entry_id: str,
    text: str,
    *,
    kind: str = EXCERPT,
    session: str = "s1",
    seq: int = 1,
    time: float = 0.0,
    status: str = ACTIVE_STATUS,
    expires_at: float | None = None,
) -> tuple[Entry, IndexedTerms]:
    """An entry and its terms. An excerpt stands at its place; everything names its event as its source."""
    indexed = index_terms(text)
    entry = Entry(
        id=entry_id,
        kind=kind,
        time=time,
        length=indexed.length,
        source=f"{session}/{seq}",
        place=Place(session, seq) if kind == EXCERPT else None,
        is_question=is_question(text),
        names_time=names_time(text),
        status=status,
        expires_at=expires_at,
    )
    return entry, indexed


def make_index(*rows: tuple[Entry, IndexedTerms]) -> MemoryIndex:
    index = MemoryIndex()
    for entry, indexed in rows:
        index.add(entry, indexed)
    return index
