"""``threefold init`` and ``threefold doctor`` as a person runs them."""

import os
import subprocess
import sys

import pytest
import yaml

from threefold.scaffold import services_yaml

KEY_NAMES = ("THREEFOLD_API_KEY", "THREEFOLD_URI")


def threefold(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in KEY_NAMES}
    clean["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-m", "threefold.cli", *map(str, arguments)]
    return subprocess.run(command, env={**clean, **environment}, capture_output=True, text=True, timeout=180)


def agents(directory):
    for name in ("alpha", "beta"):
        (directory / name).mkdir(parents=True)
        (directory / name / "agent.py").write_text("root_agent = None\n")
    (directory / "data").mkdir()
    return directory


def test_init_writes_the_file_and_says_where_adk_looks(tmp_path):
    done = threefold("init", agents(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "services.yaml").read_text() == services_yaml()
    assert "adk web --session_service_uri=threefold://" in done.stdout and "adk run" in done.stdout
    assert not (tmp_path / "alpha" / "services.yaml").exists()


def test_the_file_names_a_class_for_sessions_and_memory_in_plain_and_in_tls():
    entries = yaml.safe_load(services_yaml())["services"]
    found = {(entry["scheme"], entry["type"]): entry["class"].rpartition(".")[2] for entry in entries}
    assert found == {
        (scheme, kind): name
        for scheme in ("threefold", "threefold+https")
        for kind, name in (("session", "ThreefoldSessionService"), ("memory", "ThreefoldMemoryService"))
    }


def test_init_writes_into_each_agent_too_when_asked(tmp_path):
    assert threefold("init", agents(tmp_path), "--agents").returncode == 0
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("services.yaml"))
    assert written == ["alpha/services.yaml", "beta/services.yaml", "services.yaml"]


def test_init_can_run_twice(tmp_path):
    assert threefold("init", tmp_path).returncode == threefold("init", tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["services.yaml", "services.yml"])
def test_init_leaves_a_foreign_file_alone_unless_forced(tmp_path, name):
    (tmp_path / name).write_text("services: []\n")
    done = threefold("init", tmp_path)
    assert done.returncode == 1 and name in done.stderr and "threefold.sessions" in done.stderr
    assert (tmp_path / name).read_text() == "services: []\n"
    assert threefold("init", tmp_path, "--force").returncode == 0
    assert (tmp_path / "services.yaml").read_text() == services_yaml()


def test_doctor_is_content_with_a_good_server_key_and_directory(live, tmp_path):
    threefold("init", tmp_path)
    done = threefold("doctor", tmp_path, "--uri", live.uri, THREEFOLD_API_KEY=live.key)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0].split()[-1] for line in lines[:3]] == ["connection", "version", "key"]
    assert all(line.startswith("ok") for line in lines) and len(lines) in (6, 10)
    assert "ADK makes a ThreefoldSessionService" in lines[-2] and "ADK makes a ThreefoldMemoryService" in lines[-1]
    assert live.key not in done.stdout + done.stderr


def test_doctor_reads_the_address_from_the_environment(live):
    done = threefold("doctor", THREEFOLD_API_KEY=live.key, THREEFOLD_URI=live.uri)
    assert done.returncode == 0 and "ok   connection" in done.stdout


def test_doctor_tries_the_scopes_without_writing_anything(live, app):
    live.manage("create_project", app)
    key = live.make_key("--project", app, "--scope", "sessions:read")
    done = threefold("doctor", "--uri", live.uri, "--app", app, THREEFOLD_API_KEY=key)
    assert done.returncode == 1
    assert "ok   sessions:read" in done.stdout and "FAIL sessions:write" in done.stdout
    done = threefold("doctor", "--uri", live.uri, "--app", app, THREEFOLD_API_KEY=live.key)
    assert done.returncode == 0 and "ok   sessions:write" in done.stdout
    assert live.request("GET", f"/apps/{app}/sessions")[2].startswith(b'{"sessions":[]')


def test_doctor_tries_the_scopes_of_memory_and_does_without_forgetting(live, app):
    live.manage("create_project", app)
    scopes = ["--scope", "sessions:read", "--scope", "sessions:write", "--scope", "memory:read"]
    key = live.make_key("--project", app, *scopes)
    done = threefold("doctor", "--uri", live.uri, "--app", app, THREEFOLD_API_KEY=key)
    assert done.returncode == 1 and "ok   memory:read" in done.stdout and "FAIL memory:write" in done.stdout
    key = live.make_key("--project", app, *scopes, "--scope", "memory:write")
    done = threefold("doctor", "--uri", live.uri, "--app", app, THREEFOLD_API_KEY=key)
    assert done.returncode == 0 and "ok   memory:write" in done.stdout
    assert "--   memory:forget: not granted: delete_memory will be refused" in done.stdout
    done = threefold("doctor", "--uri", live.uri, "--app", app, THREEFOLD_API_KEY=live.key)
    assert done.returncode == 0 and "ok   memory:forget" in done.stdout
    assert live.request("GET", f"/apps/{app}/users/threefold-doctor/memories")[2] == b'{"memories":[]}'


@pytest.mark.parametrize("key", ["", "tf_abcdefgh_wrongwrongwrong"])
def test_doctor_names_a_missing_or_wrong_key_without_showing_it(live, key):
    done = threefold("doctor", "--uri", live.uri, THREEFOLD_API_KEY=key)
    assert done.returncode == 1 and "FAIL key" in done.stdout
    assert "wrongwrong" not in done.stdout + done.stderr


def test_doctor_names_a_server_that_is_not_there_and_one_that_is_another(tmp_path):
    done = threefold("doctor", "--uri", "threefold://:tf_secret@127.0.0.1:9")
    assert done.returncode == 1 and "FAIL connection" in done.stdout and "tf_secret" not in done.stdout
    done = threefold("doctor", "--uri", "nonsense")
    assert done.returncode == 1 and "FAIL address" in done.stdout
    assert threefold("doctor").returncode == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (services_yaml().replace("threefold.sessions", "threefold.nonsense"), "Could not import class"),
        ("services: []\n", "does not know threefold://"),
        ("services: [\n", "Failed to load"),
        (services_yaml().replace("threefold.sessions.ThreefoldSessionService", "collections.OrderedDict"), "FAIL"),
    ],
)
def test_doctor_says_what_adk_only_logs(tmp_path, text, expected):
    (tmp_path / "services.yaml").write_text(text)
    done = threefold("doctor", tmp_path)
    assert done.returncode == 1 and expected in done.stdout, done.stdout


def test_doctor_names_a_file_from_before_there_was_memory(tmp_path):
    (tmp_path / "services.yaml").write_text(services_yaml().partition("  - scheme: threefold\n    type: memory")[0])
    done = threefold("doctor", tmp_path)
    assert done.returncode == 1 and "ok   session registration" in done.stdout
    assert "FAIL memory registration" in done.stdout and "run `threefold init` on it again" in done.stdout
    assert threefold("init", tmp_path).returncode == threefold("doctor", tmp_path).returncode == 0


def test_doctor_misses_the_file(tmp_path):
    done = threefold("doctor", tmp_path)
    assert done.returncode == 1 and "threefold init" in done.stdout
