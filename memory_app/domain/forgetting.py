"""What is to be forgotten, what goes with it, and what is told afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adk_project.shared.errors import invalid_field

MAX_IDS = 1_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries of one user to forget: those that fit every part that is given; all only if ``everything``."""

    ids: tuple[str, ...] = ()
    key: str | None = None
    query: str | None = None
    session_id: str | None = None
    kinds: tuple[str, ...] = ()
    before: float | None = None
    everything: bool = False

    def check(self) -> None:
        """Raises Invalid for a selection that selects by nothing: it must never mean "all"."""
        chosen = (self.ids, self.key, self.query, self.session_id, self.kinds, self.before is not None)
        if not any(chosen) and not self.everything:
            raise invalid_field("ids", "name at least one of ids, key, query, sessionId, kinds and before")
        if any(chosen) and self.everything:
            raise invalid_field("all", "does not go with anything that selects less than all")


@dataclass(frozen=True, slots=True)
class Similar:
    """An entry that says something like what is forgotten, and is kept unless it is selected too."""

    memory_id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a selection would erase: the entries, by kind, with those that fall with them; and what stays."""

    memory_ids: tuple[str, ...]
    kinds: Mapping[str, int]
    fingerprint: str
    similar: tuple[Similar, ...] = ()
    not_reached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased, without saying it again. ``not_reached`` are sessions whose log still holds it."""

    memory_ids: tuple[str, ...]
    kinds: Mapping[str, int]
    tombstone_ids: tuple[str, ...]
    digests: tuple[str, ...]
    not_reached: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
