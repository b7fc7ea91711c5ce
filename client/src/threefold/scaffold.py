"""``threefold init``: the ``services.yaml`` that tells ADK what ``threefold://`` means."""

from pathlib import Path

FILE_NAME = "services.yaml"
# One entry per kind of service: artifacts join here.
SERVICE_CLASSES = {
    "session": "threefold.sessions.ThreefoldSessionService",
    "memory": "threefold.memory.ThreefoldMemoryService",
}
_SCHEMES = ("threefold", "threefold+https")
_AGENT_FILES = ("agent.py", "root_agent.yaml", "__init__.py")
_MARK = "# Written by `threefold init`."
_HEADER = f"""\
{_MARK}
# `adk web DIR` and `adk api_server DIR` read this file in DIR. `adk run DIR/AGENT` reads it in DIR/AGENT.
# Name the server with --session_service_uri=threefold://HOST:PORT and --memory_service_uri=threefold://HOST:PORT, and
# put the key into THREEFOLD_API_KEY.
services:
"""


class ForeignFile(Exception):
    """The directory has a services file that `threefold init` did not write. The text is its name."""


def services_yaml() -> str:
    """The text of the file."""
    entries = [
        f"  - scheme: {scheme}\n    type: {kind}\n    class: {class_path}\n"
        for kind, class_path in SERVICE_CLASSES.items()
        for scheme in _SCHEMES
    ]
    return _HEADER + "".join(entries)


def write_services(directory: Path, *, force: bool = False) -> Path:
    """Writes the file and returns its path. Safe to run twice.

    Raises ForeignFile when a services file that is not ours is there and ``force`` is off; OSError.
    """
    if not force:
        for path in (directory / FILE_NAME, directory / "services.yml"):
            if path.exists() and not _is_ours(path):
                raise ForeignFile(path.name)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / FILE_NAME
    path.write_text(services_yaml(), encoding="utf-8")
    return path


def agent_folders(directory: Path) -> list[Path]:
    """The folders in ``directory`` that ADK would take for agents."""
    if not directory.is_dir():
        return []
    folders = [path for path in sorted(directory.iterdir()) if path.is_dir() and not path.name.startswith((".", "_"))]
    return [path for path in folders if any((path / name).is_file() for name in _AGENT_FILES)]


def _is_ours(path: Path) -> bool:
    return path.read_text(encoding="utf-8", errors="replace").startswith(_MARK)
