"""A real gunicorn with the real application, which tests may kill and start again."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from devtools.paths import ROOT
from devtools.place import Place, free_port, is_ready

_START_SECONDS = 90


class ServerProcess:
    """``url`` and ``key`` stay the same over restarts. ``settings`` are more environment variables."""

    def __init__(self, data_dir: Path, database_url: str, **settings: str) -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        self.place = Place(data_dir, free_port())
        self.environment = {**self.place.environment, "DATABASE_URL": database_url, "REDIS_URL": "", **settings}
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self.place.url

    @property
    def port(self) -> int:
        return self.place.port

    @property
    def key(self) -> str:
        """An API key with the admin scope for every project."""
        return self.place.key_file.read_text().strip()

    @property
    def log(self) -> str:
        return (self.place.data_dir / "server.log").read_text()

    def manage(self, *arguments: str) -> str:
        """Run a management command on this server's database and return what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def prepare(self) -> None:
        """Migrate, and make the project ``demo`` and the key."""
        self.manage("bootstrap")

    def start(self, wait: bool = True) -> None:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:adk_project.gunicorn_conf"]
        with (self.place.data_dir / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "adk_project.wsgi:application"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self) -> None:
        self.wait_for(lambda: is_ready(self.port))

    def wait_for(self, condition: Any) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not condition():
            assert self.process is not None and self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)

    def kill(self) -> None:
        """kill -9 for the master and its workers. Fine when nothing runs."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(40)

    def restart(self) -> None:
        """kill -9 and start again on the same port."""
        self.kill()
        self.start()

    def request(
        self, method: str, target: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request with the key: status, headers (names in lower case) and body. ``target`` is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            data = None if body is None else json.dumps(body).encode()
            given = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
            connection.request(method, target, data, given)
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()
