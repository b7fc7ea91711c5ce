"""A memory entry as ranking, policy and forgetting see it."""

from dataclasses import dataclass
from typing import NamedTuple

PREFERENCE, FACT, TASK_CONTEXT, EXCERPT = "PREFERENCE", "FACT", "TASK_CONTEXT", "EXCERPT"
KINDS = (PREFERENCE, FACT, TASK_CONTEXT, EXCERPT)

ACTIVE_STATUS, SUPERSEDED_STATUS, EXPIRED_STATUS, FORGOTTEN_STATUS = "active", "superseded", "expired", "forgotten"


class Place(NamedTuple):
    """A turn's place in its conversation. Turns next to each other differ by one."""

    session: str
    seq: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate row. ``time`` orders equals, newest first; ``length`` is the one its postings were counted with.

    ``source`` names the event it came from; what came from one event collapses. Only an EXCERPT has a ``place``.
    """

    id: str
    kind: str
    time: float
    length: int = 0
    source: str = ""
    place: Place | None = None
    is_question: bool = False
    names_time: bool = False
    status: str = ACTIVE_STATUS
    expires_at: float | None = None

    @property
    def is_turn(self) -> bool:
        """Whether it is a turn of a conversation: only those have neighbours, and only those may be a mere question."""
        return self.place is not None and self.kind == EXCERPT


@dataclass(frozen=True, slots=True)
class Candidate:
    """What an extractor proposes. ``start`` and ``end`` bound its source in the event's text, for forgetting."""

    kind: str
    text: str
    confidence: float
    key: str | None = None
    value: str | None = None
    event_id: str = ""
    seq: int = 0
    author: str = ""
    start: int = 0
    end: int = 0
