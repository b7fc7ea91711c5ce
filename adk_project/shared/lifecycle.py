"""What happens in every app when a user is erased or a session is deleted: each registers its part, one service runs
them all in its own transaction."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# The order in which the parts run, which is the order in which everyone takes these locks.
JOBS, SESSIONS, ARTIFACTS, MEMORY = range(4)


@dataclass(frozen=True, slots=True)
class LeavingUser:
    """Who is erased, and who asked for it."""

    project_id: int
    user_id: str
    actor: str


@dataclass(frozen=True, slots=True)
class Erased:
    """What is gone, by name, and what still names the user or holds a value of theirs."""

    counts: Mapping[str, int] = field(default_factory=dict)
    not_reached: tuple[str, ...] = ()


Eraser = Callable[[LeavingUser], Erased]

_erasers: dict[int, Eraser] = {}


def register_eraser(rank: int, eraser: Eraser) -> None:
    """Have ``eraser`` called, in the caller's transaction, when a user is erased."""
    _erasers[rank] = eraser


def run_erasers(user: LeavingUser) -> Erased:
    """Erase a user everywhere, in the caller's transaction. Safe to run twice."""
    counts: Counter[str] = Counter()
    not_reached: list[str] = []
    for rank in sorted(_erasers):
        erased = _erasers[rank](user)
        counts.update(erased.counts)
        not_reached += erased.not_reached
    return Erased(dict(counts), tuple(not_reached))


@dataclass(frozen=True, slots=True)
class DeletedSession:
    """A session whose log is gone, and who deleted it."""

    project: str
    user_id: str
    session_id: str
    actor: str


SessionForgetter = Callable[[DeletedSession], None]

_session_forgetters: dict[int, SessionForgetter] = {}


def register_session_forgetter(rank: int, forgetter: SessionForgetter) -> None:
    """Have ``forgetter`` called, in the caller's transaction, when a session is deleted with what was made of it."""
    _session_forgetters[rank] = forgetter


def forget_session(session: DeletedSession) -> None:
    """Forget what was made of a deleted session, in the caller's transaction. Safe to run twice."""
    for rank in sorted(_session_forgetters):
        _session_forgetters[rank](session)
