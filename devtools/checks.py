"""``dev.py check``: everything that can be said about the code without running the tests."""

import os
import re
import subprocess
import tempfile
import time

from devtools.paths import ROOT
from devtools.venvs import DEV, main_venv

_MODULES = {
    "format": ("ruff", "format", "--check", "--output-format", "concise", "."),
    "lint": ("ruff", "check", "--quiet", "--output-format", "concise", "."),
    "types": ("mypy", "--no-error-summary"),
}
_ADDRESS = re.compile(r"://|--index-url|--extra-index-url|--find-links")


def run() -> int:
    """0 when every check passed, else 1; each failure's own output is shown."""
    venv = main_venv().ensure(DEV)
    python = venv.python
    results = [_step(name, [python, "-m", *command]) for name, command in _MODULES.items()]
    results.append(_step("imports", [str(venv.path / "bin" / "lint-imports")]))
    with tempfile.TemporaryDirectory(prefix="threefold-check-") as data_dir:
        environment = {**os.environ, "THREEFOLD_DATA_DIR": data_dir, "THREEFOLD_MODE": "embedded", "DATABASE_URL": ""}
        missing = [python, "manage.py", "makemigrations", "--check", "--dry-run"]
        results.append(_step("migrations", missing, environment))
    results.append(_locks_are_clean())
    return int(not all(results))


def _step(name: str, command: list[str], environment: dict[str, str] | None = None) -> bool:
    start = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    passed = done.returncode == 0
    print(f"{name}: {'ok' if passed else 'FAILED'} ({time.monotonic() - start:.1f} s)", flush=True)
    if not passed:
        print(done.stdout.rstrip(), flush=True)
    return passed


def _locks_are_clean() -> bool:
    """A lock file must not name a registry: everybody installs from the one their machine is set up for."""
    bad = [path.name for path in sorted((ROOT / "requirements").glob("*.txt")) if _ADDRESS.search(path.read_text())]
    print(f"locks: {'FAILED, an address stands in ' + ', '.join(bad) if bad else 'ok'}")
    return not bad
