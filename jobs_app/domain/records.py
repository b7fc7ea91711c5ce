"""What is handed in and out of the outbox: frozen facts, never rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

WAITING, RUNNING, DONE, DEAD, CANCELLED = "waiting", "running", "done", "dead", "cancelled"
UNFINISHED = (WAITING, RUNNING)

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be done after the caller's transaction is committed.

    ``topic`` names the handler. ``payload`` is JSON. Jobs of one ``lane`` run one after the other in the order in which
    they were written; a blank lane orders nothing. ``project_id`` and ``user_id`` say whose the job is.
    """

    topic: str
    payload: Mapping[str, Any]
    project_id: int
    user_id: str
    actor: str
    lane: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that this worker holds until its lease ends. ``attempt`` counts from 1.

    ``keep`` renews the lease: long work calls it between its pieces. It raises LostLease when another worker took over.
    """

    id: int
    topic: str
    payload: Mapping[str, Any]
    project_id: int
    user_id: str
    actor: str
    attempt: int
    lease: UUID
    keep: Callable[[], None] = field(repr=False, compare=False, default=lambda: None)


class Handler(Protocol):
    """How one topic is worked on. Both parts may run more than once; only one ``apply`` ever takes effect."""

    def work(self, job: ClaimedJob) -> Any:
        """The slow part, outside any transaction. It must change nothing in the database."""

    def apply(self, job: ClaimedJob, outcome: Any) -> Result:
        """Write the effects, inside the transaction that also marks the job as done. Returns what to report."""


@dataclass(frozen=True, slots=True)
class OperationView:
    """A job as the caller that asked for it sees it. ``error`` is a stable word, never content."""

    id: UUID
    topic: str
    status: str
    project_id: int
    user_id: str
    attempts: int
    created_at: datetime
    finished_at: datetime | None
    result: Result
    error: str | None
