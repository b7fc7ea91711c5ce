"""H5 with real processes: a broker that refuses or hangs delays no request, and what was asked for is done later."""

import contextlib
import json
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.jobs_app.processes import OwnRedis, celery_worker, has_redis_server, own_redis, wait_until
from tests.live import LiveServer, fresh_database

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

_USER = "/apps/demo/users/ana"
_REQUESTS = 40


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[OwnRedis]:
    if not has_redis_server():
        missing("A redis-server to start")
    with own_redis(tmp_path) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path, broker: OwnRedis) -> Iterator[LiveServer]:
    with fresh_database(tmp_path) as url:
        secrets = dict.fromkeys(("THREEFOLD_SECRET_KEY", "THREEFOLD_DIGEST_KEY"), "for-this-test-only-" * 2)
        settings = {"THREEFOLD_MODE": "production", "THREEFOLD_ALLOWED_HOSTS": "localhost", "REDIS_URL": broker.url}
        running = LiveServer.prepared(tmp_path / "server", url, **secrets, **settings)
        try:
            assert running.request("POST", f"{_USER}/sessions", {"sessionId": "s1"})[0] == 200
            yield running
        finally:
            running.kill()


class Requests:
    """Appends and ingestions, timed, and the operations that were promised."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.operations: list[str] = []

    def append(self) -> None:
        event = {"author": "user", "content": {"role": "user", "parts": [{"text": f"This is turn {time.time()}"}]}}
        assert self.server.request("POST", f"{_USER}/sessions/s1/events", {"event": event})[0] == 200

    def ingest(self) -> None:
        status, _, body = self.server.request("POST", f"{_USER}/sessions/s1/ingest", {})
        assert status == 202
        self.operations.append(json.loads(body)["operation"]["id"])

    def median_seconds(self, request: Callable[[], None]) -> float:
        times = []
        for _ in range(_REQUESTS):
            started = time.monotonic()
            request()
            times.append(time.monotonic() - started)
        return statistics.median(times)

    def status(self, operation: str) -> str:
        status, _, body = self.server.request("GET", f"/api/v1/operations/{operation}")
        assert status == 200, body
        return json.loads(body)["operation"]["status"]

    def all_done(self) -> bool:
        return all(self.status(operation) == "done" for operation in self.operations)


@contextlib.contextmanager
def hanging(port: int) -> Iterator[None]:
    """Something that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", port), backlog=512):
        yield


def test_h5_a_broker_that_refuses_or_hangs_delays_no_request(server: LiveServer, broker: OwnRedis) -> None:
    requests = Requests(server)
    for request in (requests.append, requests.ingest):
        requests.median_seconds(request)
    usual = {request: requests.median_seconds(request) for request in (requests.append, requests.ingest)}
    broker.stop()
    refused = {request: requests.median_seconds(request) for request in usual}
    with hanging(broker.port):
        time.sleep(6)  # The rate limit counts again, and meets the new fault.
        hung = {request: requests.median_seconds(request) for request in usual}
    for request, seconds in usual.items():
        # The machine's noise is no fault of the broker; what is guarded against takes seconds.
        assert refused[request] < 2 * seconds + 0.02, (request.__name__, seconds, refused[request])
        assert hung[request] < 2 * seconds + 0.02, (request.__name__, seconds, hung[request])


def test_h5_what_was_asked_for_without_a_broker_is_done_once_it_is_back(
    server: LiveServer, broker: OwnRedis, tmp_path: Path
) -> None:
    requests = Requests(server)
    environment = {**server.environment, "CELERY_APP": "adk_project.celery"}
    worker = celery_worker(environment, tmp_path / "worker.log", app="adk_project.celery").start()
    try:
        requests.append(), requests.ingest()
        wait_until(requests.all_done, lambda: worker.log)
        broker.stop()
        for _ in range(10):
            requests.append(), requests.ingest()
        time.sleep(7)  # Longer than a sweep: there is none without a broker.
        assert not requests.all_done()
        broker.start()
        wait_until(requests.all_done, lambda: worker.log)
    finally:
        worker.kill()
