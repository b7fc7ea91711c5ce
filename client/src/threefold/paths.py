"""Where things are on the server, as path segments that are encoded later, and the ids that lead there."""

from typing import Any

from google.adk.sessions.base_session_service import GetSessionConfig

from threefold.wire import state_to_wire


def trimmed(value: str | None) -> str:
    """The id without outer blanks; ``""`` for an absent one."""
    return value.strip() if isinstance(value, str) else ""


def required(name: str, value: str | None) -> str:
    """The trimmed id. Raises ValueError naming it when it is blank: an incomplete key never means a default."""
    text = trimmed(value)
    if not text:
        raise ValueError(f"{name} must not be blank")
    return text


def user_path(app_name: str, user_id: str) -> tuple[str, ...]:
    """What belongs to one user."""
    return ("apps", required("app_name", app_name), "users", required("user_id", user_id))


def sessions_path(app_name: str, user_id: str) -> tuple[str, ...]:
    """The collection of one user's sessions."""
    return (*user_path(app_name, user_id), "sessions")


def session_path(app_name: str, user_id: str, session_id: str) -> tuple[str, ...]:
    """One session."""
    return (*sessions_path(app_name, user_id), required("session_id", session_id))


def state_member(state: dict[str, Any] | None) -> dict[str, Any]:
    """``{"state": …}`` for a request body, or ``{}``. Raises ValueError naming a key whose value is not JSON."""
    lasting = state_to_wire(state or {})
    return {"state": lasting} if lasting else {}


def window(config: GetSessionConfig | None) -> list[tuple[str, str]]:
    """The query of a get: which events to bring."""
    query = []
    if config is not None and config.num_recent_events is not None:
        query.append(("numRecentEvents", str(config.num_recent_events)))
    if config is not None and config.after_timestamp is not None:
        query.append(("afterTimestamp", repr(float(config.after_timestamp))))
    return query
