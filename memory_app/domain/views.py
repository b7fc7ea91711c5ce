"""What the selectors of memory hand out: frozen facts, never model rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_app.domain.explanation import Part


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One entry. ``content`` and ``custom_metadata`` are JSON text; floats are epoch seconds."""

    memory_id: str
    kind: str
    status: str
    key: str | None
    content: str
    text: str
    author: str
    confidence: float
    custom_metadata: str
    valid_from: float
    expires_at: float | None
    session_id: str | None
    seq: int | None
    event_id: str | None
    extractor: str
    superseded_by: str | None
    recorded_at: datetime
    recorded_by: str
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A hit. ``parts`` add up to ``score``; ``collapsed`` names the other entries of its event."""

    memory: MemoryView
    score: float
    parts: tuple[Part, ...]
    collapsed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissedMemory:
    """An entry that matched and was not returned, and why."""

    memory_id: str
    kind: str
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits from the best down. ``indexed_through`` is the seq to which each session asked about is ingested."""

    hits: tuple[FoundMemory, ...]
    misses: tuple[MissedMemory, ...] = ()
    indexed_through: Mapping[str, int] | None = None
    ignored_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TombstoneView:
    """A tombstone: what kind of thing was forgotten, when, by whom and why; never what it said."""

    tombstone_id: str
    kind: str
    session_id: str | None
    event_id: str | None
    reason: str
    created_at: datetime
    created_by: str
    lifted_at: datetime | None
    lifted_by: str | None
    lift_reason: str
