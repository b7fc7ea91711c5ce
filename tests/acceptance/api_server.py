"""``adk api_server`` as a process of its own, told about Threefold by ``threefold init``."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import httpx

from devtools.paths import ROOT
from devtools.place import free_port

AGENTS = Path(__file__).parent / "agents"


class ApiServer:
    """``adk api_server DIR``; ``log_path`` is where it prints. With ``memory`` its memory is on Threefold too;
    ``options`` are more of its own.
    """

    def __init__(self, directory, uri, key, *options, memory=False):
        self.port, self.directory = free_port(), directory
        self.options = [f"--session_service_uri={uri}", *([f"--memory_service_uri={uri}"] if memory else []), *options]
        self.environment = {**os.environ, "THREEFOLD_API_KEY": key, "PYTHONPATH": str(ROOT / "client" / "src")}
        self.log_path = directory.parent / "adk.log"

    def __enter__(self):
        command = [sys.executable, "-m", "google.adk.cli", "api_server", "--port", str(self.port)]
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *self.options, str(self.directory)],
                env=self.environment,
                stdout=log,
                stderr=log,
                cwd=self.directory.parent,
            )
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30, trust_env=False)
        deadline = time.monotonic() + 90
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, self.log_path.read_text()
            time.sleep(0.1)
        return self

    def answers(self):
        try:
            return self.http.get("/list-apps").status_code == 200
        except httpx.TransportError:
            return False

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.http.close()


def copy_agents(tmp_path):
    """The agents of ``agents/`` in a directory of the test's own, with the file that ``threefold init`` writes."""
    directory = tmp_path / "agents"
    shutil.copytree(AGENTS, directory, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "threefold.cli", "init", str(directory)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "client" / "src")})
    return directory
