"""Production mode for real: web processes, a worker and beat on PostgreSQL and Redis. Names H1, H2 and H5."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from devtools.paths import ROOT
from tests.live import LiveServer, fresh_database

pytestmark = pytest.mark.postgres

_SESSIONS = "/apps/demo/users/ana/sessions"


def production(redis_url: str) -> dict[str, str]:
    return {
        "THREEFOLD_MODE": "production",
        "THREEFOLD_SECRET_KEY": "for-this-test-only-" * 2,
        "THREEFOLD_DIGEST_KEY": "for-this-test-only-" * 2,
        "THREEFOLD_ALLOWED_HOSTS": "threefold.example",
        "THREEFOLD_WEB_PROCESSES": "2",
        "REDIS_URL": redis_url,
    }


@pytest.fixture
def start(tmp_path: Path):
    servers = []
    with fresh_database(tmp_path) as database_url:

        def make(redis_url: str) -> LiveServer:
            servers.append(LiveServer.prepared(tmp_path / "server", database_url, **production(redis_url)))
            return servers[-1]

        yield make
        for server in servers:
            server.kill()


@pytest.mark.redis
def test_a_worker_runs_what_is_sent_and_beat_starts(start, redis_url):
    redis.Redis.from_url(redis_url).flushdb()
    server = start(redis_url)
    assert details(server)["worker"] == "no task finished yet"
    schedule = str(server.place.data_dir / "schedule")
    beat = celery(server, "beat", "--schedule", schedule, "--pidfile=", "--max-interval=1")
    worker = celery(server, "worker", "--concurrency", "1")
    try:
        sent = celery(server, "call", "sessions_app.tasks.sweep_expired_sessions")
        assert sent.wait(60) == 0
        deadline = time.monotonic() + 60
        while details(server)["worker"] == "no task finished yet":
            assert time.monotonic() < deadline, server.log
            assert beat.poll() is None and worker.poll() is None
            time.sleep(0.5)
        assert details(server)["broker"] == "ok"
        worker.terminate()
        assert worker.wait(30) == 0
    finally:
        for process in (beat, worker):
            process.kill()
            process.wait()


@pytest.mark.redis
def test_h1_the_request_after_redis_dropped_its_connections_succeeds(start, redis_url):
    server = start(redis_url)
    assert server.request("GET", _SESSIONS)[0] == 200
    redis.Redis.from_url(redis_url).client_kill_filter(_type="normal", skipme=True)
    assert [server.request("GET", _SESSIONS)[0] for _ in range(5)] == [200] * 5


def test_h2_h5_without_redis_it_serves_and_says_so(start):
    server = start("redis://127.0.0.1:1/0")
    began = time.monotonic()
    assert server.request("POST", _SESSIONS, {"sessionId": "s1"})[0] == 200
    assert time.monotonic() - began < 3
    assert "does not answer" in details(server)["broker"]


def test_a_host_that_is_not_allowed_is_refused(start):
    server = start("redis://127.0.0.1:1/0")
    assert server.request("GET", "/version", headers={"Host": "elsewhere.example"})[0] == 400
    assert server.request("GET", "/version", headers={"Host": "threefold.example"})[0] == 200


def details(server: LiveServer) -> dict[str, str]:
    status, _, body = server.request("GET", "/health/ready")
    assert status == 200, body
    return json.loads(body)["details"]


def celery(server: LiveServer, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "celery", "-A", "adk_project.celery", *arguments]
    with (server.place.data_dir / f"{arguments[0]}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, env=server.environment, stdout=log, stderr=log)
