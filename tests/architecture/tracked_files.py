"""The files of this checkout that are, or are about to be, in the repository."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from devtools.paths import ROOT


def tracked_files(*patterns: str) -> list[Path]:
    """Tracked and new files (ignored ones left out) that match any of git's ``patterns``; all without a pattern."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / name for name in sorted(set(names)) if (ROOT / name).is_file()]


def python_files() -> Iterator[Path]:
    """Every Python file but the migrations, which Django writes."""
    return (path for path in tracked_files("*.py") if "migrations" not in path.parts)
