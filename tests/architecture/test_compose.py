"""The production files, as far as they can be judged without an engine."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from adk_project.environment import VARIABLES
from devtools.paths import ROOT

SECRETS = {
    "THREEFOLD_SECRET_KEY": "s" * 32,
    "THREEFOLD_DIGEST_KEY": "d" * 32,
    "THREEFOLD_ALLOWED_HOSTS": "threefold.example",
    "POSTGRES_PASSWORD": "p",
}


def config(secrets):
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed")
    environment = {"PATH": os.environ["PATH"], **secrets}
    command = ["docker-compose", "--file", "docker-compose.yml", "config", "--quiet"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_compose_file_is_valid():
    done = config(SECRETS)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_is_refused_by_name(name):
    done = config({each: value for each, value in SECRETS.items() if each != name})
    assert done.returncode != 0
    assert f"{name} must be set in .env" in done.stderr


def test_every_port_stays_on_this_machine():
    ports = re.findall(r'^\s+- "([^"]*:\d+)"$', (ROOT / "docker-compose.yml").read_text(), re.M)
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


@pytest.mark.parametrize("file", ["docker-compose.yml", "Dockerfile", ".env.example"])
def test_every_variable_it_sets_exists(file):
    known = {variable.name for variable in VARIABLES} | {"THREEFOLD_PORT"}
    assert set(re.findall(r"\bTHREEFOLD_[A-Z_]+\b", (ROOT / file).read_text())) - {"THREEFOLD_"} <= known


def test_the_image_runs_as_nobody_special_and_checks_its_health():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^USER threefold$", dockerfile, re.M)
    assert re.search(r"^HEALTHCHECK ", dockerfile, re.M)
    assert "--require-hashes -r requirements/server.txt" in dockerfile


def test_everything_the_image_copies_is_sent_to_the_builder():
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M)
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    for source in " ".join(copied).split():
        assert f"!{source}" in allowed
        assert (ROOT / source).exists()


def test_static_files_can_be_collected_as_the_image_does_it():
    environment = {
        **os.environ,
        "THREEFOLD_MODE": "production",
        "DATABASE_URL": "postgresql://nobody/none",
        "REDIS_URL": "redis://nobody",
        **{name: value for name, value in SECRETS.items() if name.startswith("THREEFOLD_")},
    }
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
