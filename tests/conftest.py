"""Fixtures that any test may use: services that may be missing, and real servers (``tests/live.py``)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings

from tests.live import app, live, memories, own_server, sessions

__all__ = ["app", "live", "memories", "own_server", "sessions"]

DATABASE_URL = os.environ.get("DATABASE_URL", "")
ON_POSTGRESQL = DATABASE_URL.startswith("postgres")


def missing(service: str) -> None:
    """Skip the test, or fail it where services are required (CI)."""
    if os.environ.get("THREEFOLD_REQUIRE_SERVICES", "").lower() in ("1", "true"):
        pytest.fail(f"{service} is required here, but it does not answer")
    pytest.skip(f"{service} does not answer")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("postgres") and not ON_POSTGRESQL:
        pytest.skip("this run is on SQLite")


@pytest.fixture(scope="session")
def redis_url() -> str:
    """A Redis that tests may write to."""
    url = os.environ.get("TEST_REDIS_URL") or "redis://127.0.0.1:6379/15"
    try:
        redis.Redis.from_url(url, socket_connect_timeout=1).ping()
    except redis.RedisError:
        missing("Redis")
    return url


@pytest.fixture(scope="session", autouse=True)
def _no_sqlite_files_left() -> Iterator[None]:
    """Django removes its test database, but not the write-ahead log beside it."""
    yield
    name = settings.DATABASES["default"]["TEST"].get("NAME") or ""
    for suffix in ("", "-wal", "-shm"):
        if name.startswith("/"):
            Path(name + suffix).unlink(missing_ok=True)
