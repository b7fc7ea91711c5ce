"""Real worker processes that tests may kill: Celery's, and the embedded one; and a Redis of the test's own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import redis

from devtools.paths import ROOT
from devtools.place import free_port

PATIENCE_SECONDS = 120


class Killable:
    """A command in a process group of its own, which can be killed whole and started again."""

    def __init__(self, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        self._command, self._environment, self._log = command, dict(environment), log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Killable":
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        return self

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def children(self) -> list[int]:
        """The processes that this one has forked."""
        assert self._process is not None
        pid = self._process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def kill_child(self) -> None:
        """kill -9 for one child, if there is one just now."""
        for child in self.children()[-1:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def kill(self) -> None:
        """kill -9 for the whole group. Fine when nothing runs."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(PATIENCE_SECONDS)


def python(module: str, *arguments: str, environment: Mapping[str, str], log: Path) -> Killable:
    return Killable([sys.executable, "-m", module, *arguments], environment, log)


def celery_worker(
    environment: Mapping[str, str], log: Path, *, app: str = "tests.jobs_app.slow_celery", processes: int = 2
) -> Killable:
    """A prefork worker with its own beat."""
    schedule = str(log.with_suffix(".schedule"))
    arguments = ["-A", app, "worker", "--beat", "--schedule", schedule, "--concurrency", str(processes)]
    return python("celery", *arguments, "--loglevel", "INFO", environment=environment, log=log)


def wait_until(
    condition: Callable[[], Any], what: Callable[[], object] = lambda: "", seconds: float = PATIENCE_SECONDS
) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


class OwnRedis:
    """A Redis on a port of its own, which may be stopped and started; it forgets everything when it stops."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, cwd=self._directory, stdout=subprocess.DEVNULL)
        wait_until(self._answers, seconds=20)

    def _answers(self) -> bool:
        try:
            return bool(redis.Redis(port=self.port, socket_timeout=1).ping())
        except redis.RedisError:
            return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def has_redis_server() -> bool:
    return shutil.which("redis-server") is not None


@contextlib.contextmanager
def own_redis(directory: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(directory)
    server.start()
    try:
        yield server
    finally:
        server.stop()
