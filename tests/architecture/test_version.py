import tomllib

from adk_project.version import VERSION
from devtools.paths import ROOT


def test_the_server_says_the_version_of_the_package():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION
