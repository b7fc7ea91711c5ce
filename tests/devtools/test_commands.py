import subprocess
import sys

import pytest

from devtools import bench, checks, commands, testing, venvs
from devtools.paths import ROOT, Refusal
from devtools.venvs import AGENT, DEV, Venv


def test_a_refusal_is_one_sentence_and_2(monkeypatch, capsys):
    def refuse():
        raise Refusal("Not like this.")

    monkeypatch.setattr(checks, "run", refuse)
    assert commands.main(["check"]) == 2
    assert capsys.readouterr().err == "dev.py: Not like this.\n"


@pytest.mark.parametrize("command", ["test", "bench"])
def test_arguments_are_passed_on_unread(monkeypatch, command):
    seen = []
    monkeypatch.setattr({"test": testing, "bench": bench}[command], "run", lambda rest: seen.append(rest) or 0)
    assert commands.main([command, "tests/x.py", "-k", "name", "-h"]) == 0
    assert seen == [["tests/x.py", "-k", "name", "-h"]]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["up", "--color"],
        ["up", "--port", "0"],
        ["up", "--port", "70000"],
        ["up", "--port", "x"],
        ["check", "x"],
    ],
)
def test_what_it_does_not_know_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        commands.main(arguments)
    assert stop.value.code == 2


def test_no_benchmarks_yet_is_said_plainly(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    with pytest.raises(Refusal, match="There are no benchmarks yet"):
        bench.run([])


def test_a_lock_is_installed_once_and_again_when_it_changes(monkeypatch, tmp_path):
    installed = []
    monkeypatch.setattr(Venv, "_install", lambda self, lock: installed.append(lock))
    venv = Venv(tmp_path)
    venv.ensure(AGENT)
    venv.ensure(AGENT)
    assert installed == [AGENT]
    monkeypatch.setattr(venvs, "_digest", lambda path: "changed")
    venv.ensure(AGENT)
    assert installed == [AGENT, AGENT]


def test_an_environment_with_the_development_lock_keeps_it(monkeypatch, tmp_path):
    installed = []
    monkeypatch.setattr(Venv, "_install", lambda self, lock: installed.append(lock))
    venv = Venv(tmp_path)
    venv.ensure(DEV)
    venv.ensure(AGENT)
    assert installed == [DEV]


def test_a_failing_run_makes_the_whole_test_command_fail(monkeypatch, capsys):
    codes = {"": 0, "postgresql://x/y": 5}
    monkeypatch.delenv("THREEFOLD_REQUIRE_SERVICES", raising=False)
    monkeypatch.setattr(testing, "main_venv", _FakeVenv)
    monkeypatch.setattr(testing, "find_postgresql", lambda python: "postgresql://x/y")
    monkeypatch.setattr(testing.Run, "execute", lambda self, arguments: codes[self.database_url])
    assert testing.run([]) == 1
    assert "PostgreSQL: FAILED (pytest exit code 5)" in capsys.readouterr().out


def test_a_required_service_that_is_missing_is_a_refusal(monkeypatch):
    monkeypatch.setenv("THREEFOLD_REQUIRE_SERVICES", "1")
    monkeypatch.setattr(testing, "main_venv", _FakeVenv)
    monkeypatch.setattr(testing, "find_postgresql", lambda python: "")
    with pytest.raises(Refusal, match="no PostgreSQL answers"):
        testing.run([])


def test_the_tests_do_not_see_the_callers_own_server_settings(monkeypatch):
    monkeypatch.setenv("THREEFOLD_MODE", "production")
    monkeypatch.setenv("REDIS_URL", "redis://somewhere")
    monkeypatch.setenv("TEST_REDIS_URL", "redis://tests")
    environment = testing._clean_environment()
    assert "THREEFOLD_MODE" not in environment
    assert "REDIS_URL" not in environment
    assert environment["TEST_REDIS_URL"] == "redis://tests"


def test_dev_py_loads_without_anything_installed():
    script = "import sys; sys.path.insert(0, '.'); import devtools.commands"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class _FakeVenv:
    python = "python"

    def ensure(self, lock):
        return self
