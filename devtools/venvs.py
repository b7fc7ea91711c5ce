"""Virtual environments that hold exactly what a lock file says."""

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from devtools.paths import CLIENT, ROOT, Refusal

AGENT = "agent.txt"
DEV = "dev.txt"


@dataclass(frozen=True)
class Venv:
    """A virtual environment at ``path``, made by the interpreter ``base``."""

    path: Path
    base: str = sys.executable

    @property
    def python(self) -> str:
        return str(self.path / "bin" / "python")

    @property
    def _stamp(self) -> Path:
        return self.path / "threefold-lock.json"

    def ensure(self, lock: str) -> "Venv":
        """Install ``lock`` and the client unless that is what was installed last. Raises Refusal when pip or uv fails.

        An environment that has the development lock keeps it: it holds all that agents need.
        """
        installed = self._installed()
        if installed.get("lock") == DEV:
            lock = DEV
        wanted = {"lock": lock, "digests": [_digest(ROOT / "requirements" / lock), _digest(CLIENT / "pyproject.toml")]}
        if installed != wanted:
            self._install(lock)
            self._stamp.write_text(json.dumps(wanted))
        return self

    def _installed(self) -> dict[str, object]:
        try:
            return json.loads(self._stamp.read_text())
        except (OSError, ValueError):
            return {}

    def _install(self, lock: str) -> None:
        print(f"Installing requirements/{lock} into {self.path.name} ...", flush=True)
        self._stamp.unlink(missing_ok=True)
        installer = self._make_installer()
        _run([*installer, "--require-hashes", "-r", str(ROOT / "requirements" / lock)])
        _run([*installer, "--no-deps", "--no-build-isolation", "-e", str(CLIENT)])

    def _make_installer(self) -> list[str]:
        """The start of an install command: uv if it answers, else pip."""
        if not Path(self.python).exists():
            _run([self.base, "-m", "venv", "--without-pip", "--clear", str(self.path)])
        uv = shutil.which("uv")
        if uv and _answers([uv, "--version"]):
            return [uv, "pip", "install", "--quiet", "--python", self.python]
        if not _answers([self.python, "-m", "pip", "--version"]):
            _run([self.python, "-m", "ensurepip"])
        return [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _answers(command: list[str]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Refusal(f"This step failed: {' '.join(command)}\n{done.stderr.strip()}")


def main_venv() -> Venv:
    """The environment every command but the second Django's test run uses."""
    return Venv(ROOT / ".venv")
