import os
import subprocess
import sys

import pytest

from adk_project.environment import VARIABLES, BadEnvironment, read_environment
from devtools.paths import ROOT

PRODUCTION = {
    "THREEFOLD_MODE": "production",
    "THREEFOLD_SECRET_KEY": "s" * 32,
    "THREEFOLD_DIGEST_KEY": "d" * 32,
    "THREEFOLD_ALLOWED_HOSTS": "threefold.example, other.example",
    "DATABASE_URL": "postgresql://db/threefold",
    "REDIS_URL": "redis://cache/0",
}


def test_nothing_needs_to_be_set_in_embedded_mode():
    values = read_environment({})
    assert values["THREEFOLD_MODE"] == "embedded"
    assert values["THREEFOLD_CREATE_PROJECTS"] is True
    assert values["THREEFOLD_WEB_PROCESSES"] == 1


def test_production_has_its_own_defaults():
    values = read_environment(PRODUCTION)
    assert values["THREEFOLD_CREATE_PROJECTS"] is False
    assert values["THREEFOLD_BIND"] == "0.0.0.0:8000"
    assert values["THREEFOLD_ALLOWED_HOSTS"] == ("threefold.example", "other.example")


def test_a_blank_variable_counts_as_absent():
    assert read_environment({"THREEFOLD_MAX_BODY_BYTES": "  "}) == read_environment({})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("THREEFOLD_MODE", "prod"),
        ("DATABASE_URL", "mysql://db/threefold"),
        ("DATABASE_URL", "postgresql://db:port/threefold"),
        ("REDIS_URL", "cache:6379"),
        ("THREEFOLD_SECRET_KEY", "short"),
        ("THREEFOLD_ALLOWED_HOSTS", "https://threefold.example"),
        ("THREEFOLD_PUBLIC_URL", "threefold.example"),
        ("THREEFOLD_TRUST_PROXY", "yes"),
        ("THREEFOLD_LOG_LEVEL", "loud"),
        ("THREEFOLD_BIND", "8000"),
        ("THREEFOLD_BIND", "localhost:70000"),
        ("THREEFOLD_WEB_PROCESSES", "0"),
        ("THREEFOLD_WEB_THREADS", "many"),
        ("THREEFOLD_MAX_BODY_BYTES", "1e6"),
        ("THREEFOLD_MAX_EVENT_BYTES", "1023"),
        ("THREEFOLD_RATE_LIMIT_PER_MINUTE", "-1"),
        ("THREEFOLD_STATEMENT_TIMEOUT_MS", str(2**60)),
    ],
)
def test_a_broken_rule_is_refused_with_the_variables_name_and_rule(name, text):
    rule = next(variable.rule.phrase for variable in VARIABLES if variable.name == name)
    with pytest.raises(BadEnvironment, match=f"^{name} must be ") as refusal:
        read_environment({name: text})
    assert str(refusal.value) == f"{name} must be {rule}."


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({**PRODUCTION, "THREEFOLD_SECRET_KEY": ""}, "THREEFOLD_SECRET_KEY"),
        ({**PRODUCTION, "THREEFOLD_ALLOWED_HOSTS": ""}, "THREEFOLD_ALLOWED_HOSTS"),
        ({**PRODUCTION, "REDIS_URL": ""}, "REDIS_URL"),
        ({**PRODUCTION, "DATABASE_URL": ""}, "DATABASE_URL"),
        ({**PRODUCTION, "DATABASE_URL": "sqlite:///threefold.sqlite3"}, "DATABASE_URL"),
        ({"THREEFOLD_WEB_PROCESSES": "2"}, "THREEFOLD_WEB_PROCESSES"),
        ({"THREEFOLD_DATABASE_POOL_MIN": "9", "THREEFOLD_DATABASE_POOL_MAX": "8"}, "THREEFOLD_DATABASE_POOL_MIN"),
        ({"THREEFOLD_MAX_EVENT_BYTES": "4096", "THREEFOLD_MAX_BODY_BYTES": "2048"}, "THREEFOLD_MAX_EVENT_BYTES"),
        ({"THREEFOLD_MAX_BODY_BITES": "4096"}, "THREEFOLD_MAX_BODY_BITES"),
    ],
)
def test_an_impossible_combination_or_a_misspelt_name_is_refused(changes, named):
    with pytest.raises(BadEnvironment, match=f"^{named} "):
        read_environment(changes)


@pytest.mark.parametrize(
    "start",
    [
        ["-c", "import adk_project.settings"],
        ["-m", "gunicorn", "-c", "python:adk_project.gunicorn_conf", "adk_project.wsgi:application"],
        ["-m", "celery", "-A", "adk_project.celery", "beat"],
        ["manage.py", "migrate"],
    ],
    ids=["settings", "gunicorn", "celery", "manage.py"],
)
def test_every_way_to_start_stops_with_the_sentence(start):
    environment = {**os.environ, "THREEFOLD_RATE_LIMIT_PER_MINUTE": "lots"}
    done = subprocess.run([sys.executable, *start], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    sentence = "threefold: THREEFOLD_RATE_LIMIT_PER_MINUTE must be a whole number of requests, at least 0."
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_directory_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    environment = {**os.environ, "THREEFOLD_DATA_DIR": str(tmp_path / "file" / "data")}
    command = [sys.executable, "-c", "import adk_project.settings"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("threefold: THREEFOLD_DATA_DIR must be a directory this user can write to")


def test_the_documentation_has_the_same_table():
    rows = [line for line in (ROOT / "docs/configuration.md").read_text().splitlines() if line.startswith("| `")]
    assert rows == [_documented(variable) for variable in VARIABLES]


def _documented(variable):
    default = f"`{variable.default}`" if variable.default else "–"
    if variable.production_default is not None:
        default += f" (production: `{variable.production_default}`)"
    return f"| `{variable.name}` | {default} | {variable.rule.phrase} | {variable.meaning} |"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"THREEFOLD_LLM_EXTRACTOR": "openai", "THREEFOLD_LLM_URL": "http://llm/v1"}, "THREEFOLD_LLM_MODEL"),
        ({"THREEFOLD_LLM_EXTRACTOR": "openai", "THREEFOLD_LLM_MODEL": "m"}, "THREEFOLD_LLM_URL"),
        ({"THREEFOLD_LLM_EXTRACTOR": "genai", "THREEFOLD_LLM_MODEL": "m"}, "THREEFOLD_LLM_API_KEY"),
        ({"THREEFOLD_LLM_EXTRACTOR": "gemini"}, "THREEFOLD_LLM_EXTRACTOR"),
        ({"THREEFOLD_LLM_TIMEOUT_SECONDS": "60"}, "THREEFOLD_LLM_TIMEOUT_SECONDS"),
    ],
)
def test_a_language_model_that_could_not_be_asked_is_refused(given, name):
    with pytest.raises(BadEnvironment, match=f"^{name} must be"):
        read_environment(given)


def test_a_language_model_is_off_unless_it_is_named():
    assert read_environment({})["THREEFOLD_LLM_EXTRACTOR"] == "off"
    local = {"THREEFOLD_LLM_EXTRACTOR": "genai", "THREEFOLD_LLM_MODEL": "m", "THREEFOLD_LLM_URL": "http://llm"}
    assert read_environment(local)["THREEFOLD_LLM_EXTRACTOR"] == "genai"
