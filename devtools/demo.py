"""``dev.py demo``: plays the story against the server of a data directory, starting one for it if none runs."""

import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devtools import up
from devtools.paths import ROOT, Refusal
from devtools.place import DEFAULT_PORT, Place, free_port, is_ready, running_server
from devtools.venvs import AGENT, main_venv

_START_SECONDS = 120


def run(data_dir: Path) -> int:
    """0 when the story went as it should, else 1. A server started for it is stopped again."""
    data_dir = data_dir.expanduser().resolve()
    python = main_venv().ensure(AGENT).python
    with _server(data_dir, python):
        return subprocess.run([python, "-m", "devtools.story", str(data_dir)], cwd=ROOT).returncode


@contextmanager
def _server(data_dir: Path, python: str) -> Iterator[None]:
    if running_server(data_dir):
        yield
        return
    place = Place(data_dir, free_port(DEFAULT_PORT))
    place.check()
    up.bootstrap(python, place)
    log = data_dir / "demo-server.log"
    print(f"No server runs for this data directory; one is started for the story, its log is {log}", flush=True)
    command = [sys.executable, str(ROOT / "dev.py"), "up", "--port", str(place.port), "--data-dir", str(data_dir)]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
        try:
            _wait(server, place.port)
            yield
        finally:
            server.terminate()
    arguments = shlex.join(command[2:])
    print(f"The server of the story is stopped. To look at the session: python3 dev.py {arguments}")


def _wait(server: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not is_ready(port):
        if server.poll() is not None or time.monotonic() > deadline:
            raise Refusal("No server could be started for the story; its log says why.")
        time.sleep(0.2)
