"""Finding a Python that can do the work. This file alone must also run on Python 3.8.

A candidate counts only when it runs: a shim on PATH may lead to an interpreter that is not there.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
NEWEST_MINOR = 16
NONE_FOUND = (
    "No Python >= 3.11 with the modules ssl, sqlite3, venv and ensurepip was found; install one "
    "(on Debian and Ubuntu: apt-get install python3 python3-venv) and run the command again."
)
_PROBE = "import ssl, sqlite3, venv, ensurepip, sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"


def find_python(oldest: tuple[int, int] = OLDEST) -> str | None:
    """The path of an interpreter of at least ``oldest``: this one if it will do, else another that answers, or None."""
    for candidate in [sys.executable] + _candidates():
        found = _probe(candidate)
        if found and found[0] >= oldest:
            return candidate if candidate == sys.executable else found[1]
    return None


def _candidates() -> list[str]:
    names = ["python3"] + [f"python3.{minor}" for minor in range(NEWEST_MINOR, OLDEST[1] - 1, -1)]
    on_path = [path for path in map(shutil.which, names) if path]
    pyenv = os.environ.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv")
    return on_path + sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python3")))


def _probe(python: str) -> tuple[tuple[int, int], str] | None:
    """((major, minor), real path) of an interpreter that runs and has what is needed, else None."""
    try:
        done = subprocess.run([python, "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode:
        return None
    major, minor, path = done.stdout.decode().strip().split(" ", 2)
    return (int(major), int(minor)), path
