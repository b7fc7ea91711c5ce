from sessions_app.models.api_key import ApiKey
from sessions_app.models.event import Event, EventKind
from sessions_app.models.project import Project
from sessions_app.models.session import Session, SessionLabel, SessionQuerySet
from sessions_app.models.state import SessionState, SharedState, SharedStateChange, StateScope

__all__ = [
    "ApiKey",
    "Event",
    "EventKind",
    "Project",
    "Session",
    "SessionLabel",
    "SessionQuerySet",
    "SessionState",
    "SharedState",
    "SharedStateChange",
    "StateScope",
]
