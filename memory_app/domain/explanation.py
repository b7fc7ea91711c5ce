"""Why a search returned what it returned, and why it did not return the rest.

Everything is counted in whole points, ``POINTS_PER_UNIT`` to one unit of score: sums of integers are the same in any
order and on any database, so the parts of a hit add up to its score exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

POINTS_PER_UNIT = 1_000_000

TERM, SIMILARITY, CONTEXT, SESSION, QUESTION, TIME, STANDING = (
    "term",
    "similarity",
    "context",
    "session",
    "question",
    "time",
    "standing preference",
)
"""What a part of a score comes from."""

EXPIRED, FORGOTTEN, SUPERSEDED, BELOW_FLOOR, CUT_BY_RANK, OUTRANKED = (
    "expired",
    "forgotten",
    "superseded",
    "below a floor",
    "cut by rank",
    "not among the candidates",
)
"""Why an entry that matched is not a hit."""


@dataclass(frozen=True, slots=True)
class Part:
    """One summand of a score. ``source`` is the term, or the entry that lent the points; a penalty is negative."""

    kind: str
    points: int
    source: str = ""

    @property
    def score(self) -> float:
        return self.points / POINTS_PER_UNIT

    def naming(self, names: Mapping[str, str]) -> "Part":
        """The same part with the entry it comes from under another name; a term stays as it is."""
        return replace(self, source=names[self.source]) if self.kind in (CONTEXT, SESSION) else self


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that was found. ``collapsed`` are the entries of the same event that it stands for; ``scored_as`` is the
    one of them, or itself, whose parts are shown."""

    entry_id: str
    points: int
    parts: tuple[Part, ...]
    scored_as: str
    collapsed: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        return self.points / POINTS_PER_UNIT

    @property
    def matched_terms(self) -> tuple[str, ...]:
        return tuple(part.source for part in self.parts if part.kind == TERM)

    @property
    def is_standing(self) -> bool:
        return any(part.kind == STANDING for part in self.parts)


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An entry that matched and was not returned. ``points`` are those of its own words, or its score if it had one."""

    entry_id: str
    reason: str
    points: int

    @property
    def score(self) -> float:
        return self.points / POINTS_PER_UNIT


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search returns: hits from the best down, and the best of what it left out."""

    hits: tuple[Hit, ...]
    near_misses: tuple[NearMiss, ...] = ()
