"""``dev.py bench``: the benchmarks of ``bench/``."""

import subprocess

from devtools.paths import ROOT, Refusal
from devtools.venvs import DEV, main_venv


def run(arguments: list[str]) -> int:
    """The benchmarks' own exit code. Raises Refusal when there are none."""
    if not (ROOT / "bench" / "__main__.py").exists():
        raise Refusal("There are no benchmarks yet: bench/ has no __main__.py.")
    return subprocess.run([main_venv().ensure(DEV).python, "-m", "bench", *arguments], cwd=ROOT).returncode
