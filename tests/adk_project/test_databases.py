"""H1 of the known failures: a connection that was closed behind our back must not fail the next request."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.conf import settings

from adk_project.databases import database
from adk_project.environment import read_environment
from tests.conftest import DATABASE_URL


def test_sqlite_takes_its_write_lock_at_begin_and_logs_ahead():
    options = database(read_environment({}))["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]


def test_a_sqlite_url_names_the_file(tmp_path):
    assert database(read_environment({"DATABASE_URL": f"sqlite:///{tmp_path}/x.db"}))["NAME"] == f"{tmp_path}/x.db"


def test_the_test_database_of_sqlite_is_a_file():
    assert database(read_environment({}))["TEST"]["NAME"].startswith("/")


def test_pool_and_timeouts_come_from_the_environment():
    values = read_environment(
        {
            "DATABASE_URL": "postgresql://db/threefold?sslmode=require",
            "THREEFOLD_DATABASE_POOL_MAX": "7",
            "THREEFOLD_STATEMENT_TIMEOUT_MS": "1234",
        }
    )
    options = database(values)["OPTIONS"]
    assert options["pool"]["max_size"] == 7
    assert "statement_timeout=1234" in options["options"]
    assert options["sslmode"] == "require"


def test_requests_keep_connections_on_sqlite_and_leave_them_to_the_pool_on_postgresql():
    assert database(read_environment({}))["CONN_MAX_AGE"] is None
    assert database(read_environment({"DATABASE_URL": "postgresql://db/threefold"}))["CONN_MAX_AGE"] == 0
    assert settings.DATABASES["default"]["ATOMIC_REQUESTS"] is False


@pytest.mark.postgres
def test_h1_the_request_after_a_terminated_connection_succeeds(own_server):
    target = "/apps/demo/users/ana/sessions"
    assert own_server.request("GET", target)[0] == 200
    assert _terminate_connections(own_server) > 0
    statuses = [own_server.request("GET", target)[0] for _ in range(5)]
    assert statuses == [200] * 5


@pytest.mark.postgres
def test_h1_many_connections_lost_at_once_cost_no_request(own_server):
    target = "/apps/demo/users/ana/sessions"
    with ThreadPoolExecutor(16) as clients:
        assert set(clients.map(lambda _: own_server.request("GET", target)[0], range(200))) == {200}
    assert _terminate_connections(own_server) >= 3
    assert [own_server.request("GET", target)[0] for _ in range(20)] == [200] * 20


@pytest.mark.postgres
def test_h1_a_write_after_a_terminated_connection_is_stored_once(own_server):
    target = "/apps/demo/users/ana/sessions"
    assert own_server.request("POST", target, {"sessionId": "before"})[0] in (200, 201)
    _terminate_connections(own_server)
    assert own_server.request("POST", target, {"sessionId": "after"})[0] in (200, 201)
    assert own_server.request("POST", target, {"sessionId": "after"})[0] == 409


def _terminate_connections(server):
    name = server.environment["DATABASE_URL"].rpartition("/")[2]
    with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
        ours = "application_name = 'threefold' AND datname = %s"
        killed = connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}", [name])
        return len(killed.fetchall())
