"""``dev.py test``: the same tests on SQLite, on PostgreSQL, and where services are required on the newer Django."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from devtools.interpreters import find_python
from devtools.paths import ROOT, Refusal
from devtools.venvs import DEV, Venv, main_venv

_REQUIRE = "THREEFOLD_REQUIRE_SERVICES"
_KEPT = (_REQUIRE, "TEST_DATABASE_URL", "TEST_REDIS_URL")
_DEFAULT_POSTGRESQL = ("postgresql://127.0.0.1:5432/postgres", "postgresql://postgres@127.0.0.1:5432/postgres")
_CONNECT = "import sys, psycopg; psycopg.connect(sys.argv[1], connect_timeout=3).close()"
_NEXT_PYTHON = (3, 12)
# All but those that use no database, or start a server on one of their own: they ran before and would do the same.
_TESTS_OF_DATABASES = tuple(
    f"--ignore=tests/{path}" for path in ("architecture", "devtools", "memory_app/domain", "sessions_app/domain")
)
# What Django does differently shows in these. The client, the browser and the generated suites meet the same server.
_TESTS_OF_DJANGO = (
    "tests/adk_project",
    "tests/jobs_app",
    "tests/memory_app/services",
    "tests/memory_app/selectors",
    "tests/sessions_app/services",
    "tests/sessions_app/known_failures",
    "tests/sessions_app/api/test_sessions_api.py",
    "tests/sessions_app/api/test_openapi.py",
    "tests/sessions_app/test_admin.py",
    "tests/sessions_app/test_commands.py",
)


@dataclass(frozen=True)
class Run:
    """One run of pytest: its name, the environment it uses, its database ('' is SQLite) and which tests it has."""

    name: str
    venv: Venv
    database_url: str
    tests: tuple[str, ...] = ()

    def execute(self, arguments: list[str]) -> int:
        """pytest's exit code. 5 (no test ran) stays what it is: a failure."""
        print(f"\n=== {self.name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="threefold-test-") as data_dir:
            environment = {**_clean_environment(), "THREEFOLD_DATA_DIR": data_dir, "DATABASE_URL": self.database_url}
            return subprocess.run(
                [self.venv.python, "-m", "pytest", *(arguments or self.tests)], cwd=ROOT, env=environment
            ).returncode


def run(arguments: list[str]) -> int:
    """0 when every run passed, else 1. Raises Refusal when a required service is missing."""
    services_required = os.environ.get(_REQUIRE, "").lower() in ("1", "true")
    venv = main_venv().ensure(DEV)
    database_url = find_postgresql(venv.python)
    if services_required and not database_url:
        raise Refusal(f"{_REQUIRE} is set, but no PostgreSQL answers; set TEST_DATABASE_URL.")
    runs = [Run("SQLite", venv, "")]
    if database_url:
        runs.append(Run("PostgreSQL", venv, database_url, _TESTS_OF_DATABASES))
    if services_required:
        runs += _next_django()
    codes = {each.name: each.execute(arguments) for each in runs}
    _report(codes, database_url)
    return int(any(codes.values()))


def find_postgresql(python: str) -> str:
    """The first PostgreSQL that answers, or '': TEST_DATABASE_URL, else the usual local addresses.

    Never DATABASE_URL: that is where a server keeps its data.
    """
    given = os.environ.get("TEST_DATABASE_URL")
    candidates = (given,) if given else _DEFAULT_POSTGRESQL
    return next((url for url in candidates if _connects(python, url)), "")


def _connects(python: str, url: str) -> bool:
    return subprocess.run([python, "-c", _CONNECT, url], stderr=subprocess.DEVNULL).returncode == 0


def _next_django() -> list[Run]:
    """The run on Django's newer fork, which the lock gives to Python 3.12 and later; none without such a Python."""
    python = find_python(_NEXT_PYTHON)
    if python is None or sys.version_info >= _NEXT_PYTHON:
        return []
    venv = Venv(ROOT / ".venv-next", base=python).ensure(DEV)
    return [Run("SQLite, next Django", venv, "", _TESTS_OF_DJANGO)]


def _clean_environment() -> dict[str, str]:
    """The caller's variables without Threefold's: a shell set up for production must not reach the tests."""
    ours = ("THREEFOLD_", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(ours)}


def _report(codes: dict[str, int], database_url: str) -> None:
    print()
    for name, code in codes.items():
        print(f"{name}: {'passed' if code == 0 else f'FAILED (pytest exit code {code})'}")
    if not database_url:
        print("PostgreSQL: not run, none answers; set TEST_DATABASE_URL to run it.")
