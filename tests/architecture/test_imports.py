import ast
import subprocess
import sys
from pathlib import Path

import pytest

from devtools.paths import ROOT

APPS = ("sessions_app", "memory_app", "artifacts_app", "audit_app")
DJANGO_IN_VIEWS = ("django.db.models", "django.db")


def test_the_import_contracts_hold():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("app", APPS)
def test_only_config_reads_the_settings(app):
    readers = {path.relative_to(ROOT).as_posix() for path in _files(app) if "django.conf" in _imports(path)}
    # The bootstrap command writes into the data directory, which is the server's and no app's.
    assert readers <= {f"{app}/config.py", "sessions_app/management/commands/bootstrap.py"}


@pytest.mark.parametrize("app", APPS)
def test_views_do_not_touch_the_orm(app):
    """import-linter sees Django as one package, so what a view imports from it is looked at here."""
    views = [path for path in _files(f"{app}/api") if path.name != "filters.py"]
    assert [path.name for path in views if any(name.startswith(DJANGO_IN_VIEWS) for name in _imports(path))] == []


def test_nothing_but_settings_and_the_server_reads_the_environment():
    packages = ("adk_project", *APPS)
    readers = {path.relative_to(ROOT).as_posix() for each in packages for path in _files(each) if _uses_environ(path)}
    # celery and wsgi only set DJANGO_SETTINGS_MODULE.
    allowed = {"settings", "gunicorn_conf", "celery", "wsgi"}
    assert readers == {f"adk_project/{name}.py" for name in allowed}


def test_the_project_package_is_empty_so_that_domain_code_loads_without_celery():
    assert (ROOT / "adk_project/__init__.py").read_text() == ""


def _files(directory):
    return sorted((ROOT / directory).rglob("*.py"))


def _imports(path):
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _uses_environ(path):
    nodes = ast.walk(ast.parse(path.read_text()))
    return any(isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") for node in nodes)
