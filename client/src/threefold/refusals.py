"""From a refusing answer to the exception its caller expects."""

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError

from threefold.errors import InvalidRequest, NotAuthorized, ProjectNotFound, ThreefoldError
from threefold.transport import Answer

_STALE = (
    "The session has been modified in storage since it was loaded. Reload the session before appending more events."
)
_NO_KEY = "The Threefold server asks for an API key: set THREEFOLD_API_KEY."
_MISSING = {"not_found", "session_not_found", "project_not_found"}


def is_missing(answer: Answer) -> bool:
    """True when Threefold itself says 404. A 404 of anything else (a wrong address, a proxy) is no statement about
    data.
    """
    return answer.status == 404 and answer.code in _MISSING


def refuse(answer: Answer, *, has_key: bool = True) -> Exception:
    """The exception for an answer that is not 2xx: ADK's own class where there is one."""
    if answer.code == "stale_session":
        return StaleSessionError(_STALE)
    if answer.code == "session_exists":
        return AlreadyExistsError("A session with this id already exists.")
    if answer.code == "event_conflict":
        return AlreadyExistsError("Another event with this id is already stored in the session.")
    if answer.code == "session_not_found":
        return SessionNotFoundError("Session not found.")
    if answer.status in (401, 403):
        return NotAuthorized(_auth_text(answer, has_key), status=answer.status, code=answer.code)
    kind = ProjectNotFound if answer.code == "project_not_found" else _kind(answer)
    return kind(answer.detail or _plain_text(answer), status=answer.status, code=answer.code)


def _kind(answer: Answer) -> type[ThreefoldError]:
    return InvalidRequest if answer.code and answer.status in (400, 413, 422) else ThreefoldError


def _auth_text(answer: Answer, has_key: bool) -> str:
    if answer.status == 401 and not has_key:
        return _NO_KEY
    return answer.detail or f"The Threefold server refused the API key (status {answer.status})."


def _plain_text(answer: Answer) -> str:
    if answer.code:
        return f"The Threefold server refused the request ({answer.code})."
    return f"What answered is not a Threefold server, or not at this address (status {answer.status})."
