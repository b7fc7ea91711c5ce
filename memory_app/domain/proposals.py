"""What is handed to memory to be kept, and what became of it."""

import math
from collections import Counter
from dataclasses import dataclass, field

from memory_app.domain.entries import Candidate

TOMBSTONED, ERASED, KNOWN, EXPIRED_ALREADY = (
    "was forgotten",
    "older than the user's erasure",
    "is known already",
    "has expired already",
)
"""Why a proposal was not stored, beside the policy's own reasons."""


@dataclass(frozen=True, slots=True)
class Source:
    """The log that proposals come from. ``ref`` is unique for good, ``session_id`` is what people call it.

    ``asked_at`` is when the ingestion was asked for: nothing in it was said later, whatever a client's clock says.
    """

    ref: str = ""
    session_id: str | None = None
    asked_at: float = math.inf


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate with what is stored beside it. ``content`` and ``custom_metadata`` are JSON, ``valid_from`` is when
    it was said, in epoch seconds, and ``recorded_at`` when the log took it in. ``from_model`` marks what a language
    model made of an event."""

    candidate: Candidate
    content: str
    valid_from: float
    custom_metadata: str = "{}"
    extractor: str = "direct"
    from_model: bool = False
    recorded_at: float = math.inf


@dataclass(slots=True)
class Outcome:
    """Counts of what became of proposals: stored, repeated, superseded others, late, and refused by reason."""

    stored: int = 0
    repeated: int = 0
    superseded: int = 0
    late: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Outcome") -> None:
        self.stored += other.stored
        self.repeated += other.repeated
        self.superseded += other.superseded
        self.late += other.late
        self.refused += other.refused

    def as_json(self) -> dict[str, object]:
        return {
            "stored": self.stored,
            "repeated": self.repeated,
            "superseded": self.superseded,
            "late": self.late,
            "refused": dict(sorted(self.refused.items())),
        }
