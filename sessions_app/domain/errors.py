"""What can go wrong with projects, keys and sessions. Each docstring is the message a caller sees."""

from adk_project.shared.errors import Conflict, Forbidden, Missing, TooLarge


class ProjectNotFound(Missing):
    """There is no such project for this key. An operator creates one with: manage.py create_project NAME"""

    code = "project_not_found"


class ProjectExists(Conflict):
    """A project of this name exists already."""

    code = "project_exists"


class ApiKeyNotFound(Missing):
    """There is no API key with this prefix."""

    code = "api_key_not_found"


class SessionNotFound(Missing):
    """There is no such session."""

    code = "session_not_found"


class SessionExists(Conflict):
    """A session with this id exists already for this user of this project."""

    code = "session_exists"


class StaleSession(Conflict):
    """The session was modified in storage since it was read: the expected revision is not the current one."""

    code = "stale_session"


class EventConflict(Conflict):
    """Another event with this id is stored in this session already."""

    code = "event_conflict"


class ScopeMissing(Forbidden):
    """This API key does not have the scope that the request needs."""

    code = "scope_missing"


class UserBound(Forbidden):
    """This API key is bound to one user; what concerns all users of a project is out of its reach."""

    code = "user_bound_key"


class AppStateForbidden(Forbidden):
    """This API key is bound to one user and cannot write app: keys, which every other user of the project reads."""

    code = "app_state_forbidden"


class EventTooLarge(TooLarge):
    """The event is larger than this server accepts."""

    code = "event_too_large"


class StateTooLarge(TooLarge):
    """The state would grow larger than this server accepts."""

    code = "state_too_large"
