"""What can go wrong between an agent and its server.

Where ADK has a class of its own (``StaleSessionError``, ``SessionNotFoundError``, ``AlreadyExistsError``) that class is
raised. The ones here cover the rest. No message holds a URL, a key, an id or stored content: ADK's API server sends
exception texts to its callers.
"""


class ThreefoldError(Exception):
    """The server refused or failed. ``status`` is the HTTP status (None when there was no answer), ``code`` the problem
    code.
    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class ThreefoldUnavailable(ThreefoldError):
    """The server could not be reached, or kept answering 429, 502, 503 or 504, until the retries were used up."""


class NotAuthorized(ThreefoldError):
    """The API key is missing, unknown, expired, revoked, or lacks the scope for this call (401, 403)."""


class InvalidRequest(ThreefoldError, ValueError):
    """The server refused the input (400, 413, 422). The text is the server's own and names the field."""


class ProjectNotFound(InvalidRequest):
    """The server has no project of this app name. The text is the server's own and says how to create it."""
