"""Where a development server lives: its data directory, its port, its environment, and the note it leaves there."""

import fcntl
import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devtools.paths import Refusal

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
_LOCK = "server.lock"


@dataclass(frozen=True)
class Place:
    """A server's data directory and port."""

    data_dir: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def key_file(self) -> Path:
        return self.data_dir / "first-api-key"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that serves this place; a DATABASE_URL of the caller is kept."""
        return {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "adk_project.settings",
            "THREEFOLD_MODE": "embedded",
            "THREEFOLD_DATA_DIR": str(self.data_dir),
            "THREEFOLD_BIND": f"{HOST}:{self.port}",
        }

    def check(self) -> None:
        """Raises Refusal when the directory cannot be written, is in use, or the port is taken."""
        _check_writable(self.data_dir)
        running = running_server(self.data_dir)
        if running:
            raise Refusal(f"A server for {self.data_dir} already runs at {running['url']}.")
        if not _is_free(self.port):
            raise Refusal(f"Port {self.port} is in use; choose another one with --port.")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the directory for this process. The lock goes with the process, however it ends. Raises Refusal."""
        with (self.data_dir / _LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Refusal(f"A server for {self.data_dir} is running or being started.") from None
            yield


def running_server(data_dir: Path) -> dict[str, Any] | None:
    """What ``server.json`` says (url, supervisor_pid, server_pid), if the server it names is alive, else None.

    Process ids alone prove nothing: after a reboot they belong to others.
    """
    try:
        if not _is_held(data_dir / _LOCK):
            return None
        note: dict[str, Any] = json.loads((data_dir / "server.json").read_text())
        os.kill(note["server_pid"], 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return note


def _is_held(lock_file: Path) -> bool:
    with lock_file.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def is_ready(port: int) -> bool:
    """Whether the server at ``port`` says that it can serve."""
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def free_port(preferred: int = 0) -> int:
    """``preferred`` if nobody uses it now, else another port that nobody uses."""
    if preferred and _is_free(preferred):
        return preferred
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def _check_writable(directory: Path) -> None:
    trial = directory / f".write-test-{os.getpid()}"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise Refusal(f"The data directory {directory} cannot be written ({error.strerror}).") from None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
