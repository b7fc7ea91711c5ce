"""What the services and selectors hand out: frozen facts, never model rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AppendResult:
    """One event as it is stored. ``repeated`` tells that it had been stored before this call."""

    body: str
    seq: int
    revision: int
    last_update_time: float
    repeated: bool


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One entry of a session's log as it is read. ``body`` is JSON text, ``recorded_at`` epoch seconds."""

    seq: int
    kind: str
    body: str
    recorded_at: float
    recorded_by: str


@dataclass(frozen=True, slots=True)
class SessionHead:
    """Where a session's log ends. ``pk`` names the log for good, also when the session's id is used a second time."""

    pk: int
    last_seq: int


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of a log as background work reads it. ``body`` is JSON text, ``recorded_at`` the server's clock."""

    seq: int
    event_id: str
    body: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class EventOutline:
    """One entry of a log without its content."""

    seq: int
    kind: str
    author: str
    recorded_at: datetime
    recorded_by: str


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session as a caller sees it. ``state`` is the JSON text of the merged state; times are epoch seconds."""

    project: str
    user_id: str
    session_id: str
    state: str
    last_update_time: float
    create_time: float
    revision: int
    last_seq: int
    title: str | None = None
    expires_at: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventWindow:
    """Which events a read returns: those not older than ``after_timestamp``, of these the last ``last``."""

    last: int | None = None
    after_timestamp: float | None = None


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key just issued. ``key`` is the only copy of its text."""

    prefix: str
    key: str


@dataclass(frozen=True, slots=True)
class ApiKeyView:
    """What may be shown of a key. ``projects`` is None for a key to all of them."""

    prefix: str
    name: str
    scopes: tuple[str, ...]
    projects: tuple[str, ...] | None
    user_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
