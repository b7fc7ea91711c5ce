"""H2 of the known failures: a server that cannot store says so; nothing stands in for the database."""

import json

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from adk_project.version import VERSION
from tests.server_process import ServerProcess


def test_alive_asks_no_database(client):
    # Without the db fixture, pytest-django refuses any query.
    assert client.get("/health/live").json() == {"status": "ok"}


def test_version(client):
    answer = client.get("/version").json()
    assert answer["name"] == "threefold"
    assert answer["version"] == VERSION


def test_ready_with_details(client, db):
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["details"]["database"] == "ok"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/version"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "FOO"])
def test_health_takes_no_other_method_and_says_so_as_a_problem(path, method):
    answer = Client(enforce_csrf_checks=True).generic(method, path)
    assert answer.status_code == 405
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Allow"] == "GET, HEAD"
    assert answer.json()["code"] == "method_not_allowed"


def test_h2_missing_migrations_are_503_and_named(client, db):
    MigrationRecorder(connection).Migration.objects.filter(app="sessions_app").delete()
    answer = client.get("/health/ready")
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_ready"
    assert "sessions_app.0001" in answer.json()["detail"]


def test_h2_a_broker_that_is_down_is_a_detail(client, db, settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    assert "does not answer" in answer.json()["details"]["broker"]


@pytest.mark.parametrize("database_url", ["sqlite:////nowhere/at/all.sqlite3", "postgresql://127.0.0.1:1/threefold"])
def test_h2_without_its_database_a_server_is_alive_and_not_ready(tmp_path, database_url):
    process = ServerProcess(tmp_path / "server", database_url, THREEFOLD_DATABASE_POOL_TIMEOUT_SECONDS="1")
    process.place.key_file.write_text("tf_unknown_key")
    process.start(wait=False)
    try:
        process.wait_for(lambda: _status(process, "/health/live") == 200)
        status, _, body = process.request("GET", "/health/ready")
        assert status == 503
        assert json.loads(body)["detail"] == "The database does not answer."
        assert process.request("POST", "/apps/demo/users/ana/sessions", {})[0] == 503
    finally:
        process.kill()


def _status(process, target):
    try:
        return process.request("GET", target)[0]
    except OSError:
        return None
