"""ADK services that keep their data on a Threefold server.

``ThreefoldSessionService`` is loaded on first use, so that ``threefold --help`` does not wait for ADK to import.
"""

from typing import TYPE_CHECKING, Any

from threefold.errors import InvalidRequest, NotAuthorized, ProjectNotFound, ThreefoldError, ThreefoldUnavailable

if TYPE_CHECKING:
    from threefold.sessions import ThreefoldSessionService

__version__ = "0.1.0"
__all__ = [
    "InvalidRequest",
    "NotAuthorized",
    "ProjectNotFound",
    "ThreefoldError",
    "ThreefoldSessionService",
    "ThreefoldUnavailable",
]


def __getattr__(name: str) -> Any:
    if name == "ThreefoldSessionService":
        from threefold.sessions import ThreefoldSessionService

        return ThreefoldSessionService
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
