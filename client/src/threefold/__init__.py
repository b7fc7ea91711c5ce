"""ADK services that keep their data on a Threefold server.

The services are loaded on first use, so that ``threefold --help`` does not wait for ADK to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from threefold.errors import InvalidRequest, NotAuthorized, ProjectNotFound, ThreefoldError, ThreefoldUnavailable

if TYPE_CHECKING:
    from threefold.memory import ThreefoldMemoryService
    from threefold.plugin import IngestPlugin
    from threefold.sessions import ThreefoldSessionService

__version__ = "0.1.0"
__all__ = [
    "IngestPlugin",
    "InvalidRequest",
    "NotAuthorized",
    "ProjectNotFound",
    "ThreefoldError",
    "ThreefoldMemoryService",
    "ThreefoldSessionService",
    "ThreefoldUnavailable",
]

_LOADED_ON_USE = {
    "IngestPlugin": "threefold.plugin",
    "ThreefoldMemoryService": "threefold.memory",
    "ThreefoldSessionService": "threefold.sessions",
}


def __getattr__(name: str) -> Any:
    if name in _LOADED_ON_USE:
        return getattr(import_module(_LOADED_ON_USE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
