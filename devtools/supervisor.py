"""Keeping one server alive: started, watched, started again when it dies, stopped cleanly on a signal."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from devtools.paths import ROOT
from devtools.place import Place, is_ready

_READY_SECONDS = 60
_STOP_SECONDS = 40
_QUICK_DEATHS = 5
_STABLE_SECONDS = 30
_PR_SET_PDEATHSIG = 1


class Supervisor:
    """Runs ``command`` for ``place``. ``DIR/server.json`` names the url and the process ids while it runs."""

    def __init__(self, command: Sequence[str], place: Place) -> None:
        self._command = list(command)
        self._place = place
        self._note: Path = place.data_dir / "server.json"
        self._stopping = False
        self._quick_deaths = 0

    def run(self, when_ready: Callable[[], None]) -> int:
        """Serve until SIGTERM, SIGINT or SIGHUP: exit code 0. Exit code 1 when the server cannot be kept alive."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)
        child = self._start()
        if not self._wait_until_ready(child):
            self._stop(child)
            return self._give_up("The server did not become ready; its messages are above.")
        if not self._stopping:
            when_ready()
        return self._watch(child)

    def _ask_to_stop(self, *_: object) -> None:
        self._stopping = True

    def _start(self) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C reaches only the supervisor, which then stops the server in order.
        child = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self._place.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        pids = {"supervisor_pid": os.getpid(), "server_pid": child.pid}
        draft = self._note.with_suffix(".new")
        draft.write_text(json.dumps({"url": self._place.url, **pids}))
        draft.replace(self._note)
        return child

    def _wait_until_ready(self, child: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + _READY_SECONDS
        while not self._stopping and child.poll() is None and time.monotonic() < deadline:
            if is_ready(self._place.port):
                return True
            time.sleep(0.1)
        return self._stopping

    def _watch(self, child: subprocess.Popen[bytes]) -> int:
        started = time.monotonic()
        while not self._stopping:
            if child.poll() is None:
                time.sleep(0.1)
                continue
            quick = time.monotonic() - started < _STABLE_SECONDS
            self._quick_deaths = self._quick_deaths + 1 if quick else 1
            if self._quick_deaths > _QUICK_DEATHS:
                return self._give_up(f"The server died {self._quick_deaths} times in a row; see its messages above.")
            print(f"dev.py: the server ended ({child.returncode}); starting it again.", file=sys.stderr, flush=True)
            _kill_group(child)
            child, started = self._start(), time.monotonic()
        self._stop(child)
        self._note.unlink(missing_ok=True)
        return 0

    def _stop(self, child: subprocess.Popen[bytes]) -> None:
        child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_STOP_SECONDS)
        _kill_group(child)

    def _give_up(self, sentence: str) -> int:
        self._note.unlink(missing_ok=True)
        if self._stopping:
            return 0
        print(f"dev.py: {sentence}", file=sys.stderr, flush=True)
        return 1


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """End what a dead server left behind: its workers would keep the port."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _end_with_parent() -> None:
    """On Linux: when the supervisor is killed with -9, the server stops too instead of keeping the port."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
