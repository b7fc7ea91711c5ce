import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from devtools import interpreters
from devtools.paths import ROOT


def test_the_running_interpreter_will_do():
    assert interpreters.find_python() == sys.executable


def test_a_candidate_that_does_not_run_is_passed_over(tmp_path, monkeypatch):
    """A version manager's shim is on PATH and exits 127."""
    shim = tmp_path / "python3"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreters.find_python((99, 0)) is None
    assert interpreters.find_python() == sys.executable


def test_it_looks_into_a_version_managers_directory(tmp_path, monkeypatch):
    place = tmp_path / "versions" / "3.99.0" / "bin"
    place.mkdir(parents=True)
    fake = place / "python3"
    fake.write_text("#!/bin/sh\necho 3 99 /the/real/one\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreters.find_python((3, 99)) == "/the/real/one"


def old_pythons():
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    return sorted([*versions.glob("3.8.*/bin/python3"), *versions.glob("3.9.*/bin/python3")])


@pytest.mark.skipif(not old_pythons(), reason="no Python 3.8 or 3.9 is here")
def test_an_old_python_hands_over_to_a_newer_one():
    command = [str(old_pythons()[0]), "dev.py", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "{up,demo,test,bench,check}" in done.stdout
