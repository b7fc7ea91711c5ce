"""A real Threefold server for tests that speak to it over HTTP: gunicorn, a fresh database, API keys.

``live`` is started once per test run; a test that kills its server takes ``own_server`` instead. Isolation comes from
``app``, a project name of the test's own.
"""

import contextlib
import json
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.server_process import ServerProcess
from threefold import ThreefoldMemoryService, ThreefoldSessionService


class LiveServer(ServerProcess):
    """A server with a database of its own. ``start``, ``stop``, ``kill`` (-9) and ``restart`` keep port and data."""

    @classmethod
    def prepared(cls, directory: Path, database_url: str, **settings: str) -> "LiveServer":
        """Migrated, with the project ``demo`` and an admin key, and running."""
        server = cls(directory, database_url, **settings)
        server.prepare()
        server.start()
        return server

    @property
    def uri(self) -> str:
        return f"threefold://127.0.0.1:{self.port}"

    def make_key(self, *arguments: str) -> str:
        """A new key. ``arguments`` are those of ``manage.py create_api_key``."""
        key: str = json.loads(self.manage("create_api_key", "--format", "json", *arguments))["key"]
        return key

    def client(self, **arguments: object) -> ThreefoldSessionService:
        """The session service under test, with the admin key unless another is given."""
        return ThreefoldSessionService(self.uri, **{"api_key": self.key, **arguments})

    def memory(self, **arguments: object) -> ThreefoldMemoryService:
        """The memory service under test, which waits for what it asks for unless told otherwise."""
        return ThreefoldMemoryService(self.uri, **{"api_key": self.key, "wait": True, **arguments})


@contextlib.contextmanager
def fresh_database(directory: Path) -> Iterator[str]:
    """The address of an empty database: PostgreSQL where DATABASE_URL names one, else a file in ``directory``."""
    given = os.environ.get("DATABASE_URL", "")
    if not given.startswith("postgres"):
        yield f"sqlite:///{directory / 'live.sqlite3'}"
        return
    name = f"threefold_live_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{given.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def running_server(directory: Path) -> Iterator[LiveServer]:
    with fresh_database(directory) as database_url:
        server = LiveServer.prepared(directory / "server", database_url)
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """The shared server. It must be left running."""
    with running_server(tmp_path_factory.mktemp("live")) as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[LiveServer]:
    """A server for this test alone, which may kill it."""
    with running_server(tmp_path) as server:
        yield server


@pytest.fixture
def app() -> str:
    """A project name that no other test uses. The admin key creates the project on first use."""
    return f"app-{uuid.uuid4().hex[:12]}"


@pytest.fixture
async def sessions(live: LiveServer) -> AsyncIterator[ThreefoldSessionService]:
    """The client class on the shared server."""
    async with live.client() as service:
        yield service


@pytest.fixture
async def memories(live: LiveServer) -> AsyncIterator[ThreefoldMemoryService]:
    """The memory class on the shared server."""
    async with live.memory() as service:
        yield service
