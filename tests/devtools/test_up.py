"""``dev.py up`` for real: a temporary data directory, a free port, a process of its own."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request

import pytest

from devtools.paths import ROOT
from devtools.place import free_port, is_ready, running_server

_SECONDS = 90


class Up:
    """One ``dev.py up`` process; ``output`` is what it printed."""

    def __init__(self, data_dir, port, log_dir):
        self.data_dir, self.port = data_dir, port
        self._log = log_dir / f"up-{port}-{time.monotonic_ns()}.log"
        command = [sys.executable, "dev.py", "up", "--port", str(port), "--data-dir", str(data_dir)]
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    @property
    def output(self):
        return self._log.read_text()

    def wait_until_welcome(self):
        self.wait_for(lambda: "Ctrl-C stops it." in self.output)
        return self

    def wait_for(self, condition):
        deadline = time.monotonic() + _SECONDS
        while not condition():
            assert self.process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.1)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(60)


@pytest.fixture
def up(tmp_path):
    started = []

    def start(data_dir=tmp_path / "data", port=None):
        started.append(Up(data_dir, port or free_port(), tmp_path))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_restarts_on_the_same_directory_and_stops_cleanly(up, tmp_path, number):
    first = up().wait_until_welcome()
    assert is_ready(first.port)
    key_file = tmp_path / "data" / "first-api-key"
    key = key_file.read_text()
    assert f"First API key: {key.strip()}" in first.output
    assert "Staff user: admin  password: " in first.output
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data" / "secret-key").stat().st_mode) == 0o600
    _paste_curl(first)
    assert first.stop(number) == 0, first.output
    assert not (tmp_path / "data" / "server.json").exists()

    second = up(port=first.port).wait_until_welcome()
    assert key_file.read_text() == key
    assert key.strip() not in second.output
    assert "password" not in second.output
    assert len(_sessions(second)) == 1
    assert second.stop(number) == 0, second.output


def test_the_printed_curl_line_and_python_snippet_work_when_pasted(up):
    running = up().wait_until_welcome()
    assert json.loads(_paste_curl(running))["state"] == {"colour": "green"}
    snippet = re.search(r"^\S+ - <<'END'\n.*?^END$", running.output, re.M | re.S).group()
    assert len(snippet.splitlines()) == 7
    done = subprocess.run(["bash", "-c", snippet], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "state {'colour': 'green'}"
    assert len(_sessions(running)) == 2


def test_a_server_killed_with_9_comes_back_with_its_data(up):
    running = up().wait_until_welcome()
    _paste_curl(running)
    killed = running_server(running.data_dir)["server_pid"]
    os.kill(killed, signal.SIGKILL)
    running.wait_for(lambda: (running_server(running.data_dir) or {}).get("server_pid", killed) != killed)
    running.wait_for(lambda: is_ready(running.port))
    assert len(_sessions(running)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_when_the_supervisor_is_killed_the_server_does_not_keep_the_port(up):
    running = up().wait_until_welcome()
    running.process.kill()
    running.process.wait()
    deadline = time.monotonic() + 40
    while is_ready(running.port):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert up(port=running.port).wait_until_welcome().stop() == 0


def test_a_port_in_use_is_one_sentence_and_2(up):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = up(port=port)
        assert refused.process.wait(_SECONDS) == 2
        assert refused.output == f"dev.py: Port {port} is in use; choose another one with --port.\n"


def test_a_directory_that_cannot_be_written_is_one_sentence_and_2(up, tmp_path):
    (tmp_path / "file").touch()
    refused = up(data_dir=tmp_path / "file" / "data")
    assert refused.process.wait(_SECONDS) == 2
    assert re.fullmatch(r"dev.py: The data directory \S+ cannot be written \(.*\)\.\n", refused.output)


def test_a_second_server_for_the_same_directory_is_refused(up):
    running = up().wait_until_welcome()
    refused = up()
    assert refused.process.wait(_SECONDS) == 2
    assert refused.output.endswith(f"already runs at http://127.0.0.1:{running.port}.\n")


def _paste_curl(running):
    line = re.search(r"^  (curl .*)$", running.output, re.M).group(1)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


def _sessions(running):
    key = (running.data_dir / "first-api-key").read_text().strip()
    url = f"http://127.0.0.1:{running.port}/apps/demo/users/ana/sessions"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_a_note_whose_process_ids_belong_to_others_by_now_stops_nobody(up, tmp_path):
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    note = {"url": "http://127.0.0.1:1", "supervisor_pid": os.getpid(), "server_pid": os.getpid()}
    (data_dir / "server.json").write_text(json.dumps(note))
    assert running_server(data_dir) is None
    running = up(data_dir).wait_until_welcome()
    assert running_server(data_dir)["server_pid"] != os.getpid()
    assert running.stop() == 0


def test_a_signal_while_it_prepares_ends_everything_at_once(up):
    starting = up()
    time.sleep(0.7)
    assert starting.stop() == 0
    assert running_server(starting.data_dir) is None


def test_its_database_is_nobody_elses_also_in_a_directory_that_is_open_to_all(up, tmp_path):
    data_dir = tmp_path / "open"
    data_dir.mkdir(mode=0o755)
    running = up(data_dir).wait_until_welcome()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data_dir.iterdir() if path.is_file()}
    assert running.stop() == 0
    assert all(mode & 0o077 == 0 for mode in modes.values()), modes
