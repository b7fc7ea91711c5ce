"""Nothing in the repository may name a machine it was written on, or a registry that packages come from."""

import re

from devtools.paths import ROOT
from tests.architecture.tracked_files import tracked_files

# Put together here, so that this file does not match itself.
_MACHINE_PATHS = r"(?<![\w.])/(?:" + "|".join(("work", "farm", "root", "home")) + r")/[a-z.]"
_REGISTRIES = r"https?://\S*(?:" + "|".join(("py" + "pi", "np" + "mjs", "pythonhosted", "debian\\.org")) + ")"
_FORBIDDEN = re.compile(f"{_MACHINE_PATHS}|{_REGISTRIES}")


def test_no_tracked_file_names_a_machine_or_a_registry():
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(lines, 1) if _FORBIDDEN.search(line)
        ]
    assert found == []


def test_every_lock_has_hashes_for_every_package_and_no_address():
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text()
        assert "://" not in text, path.name
        assert "--index-url" not in text and "--find-links" not in text, path.name
        packages = re.findall(r"^[a-z0-9].*$", text, re.M)
        assert packages and all("==" in line and line.endswith("\\") for line in packages), path.name
