"""The services that are put side by side. Each yields one service on a store of its own."""

import contextlib
import os
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import psycopg
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

Backend = Callable[[Path], AbstractAsyncContextManager[BaseSessionService]]


@contextlib.asynccontextmanager
async def in_memory(directory: Path) -> AsyncIterator[BaseSessionService]:
    yield InMemorySessionService()


@contextlib.asynccontextmanager
async def sqlite(directory: Path) -> AsyncIterator[BaseSessionService]:
    yield SqliteSessionService(db_path=str(directory / "native.db"))


@contextlib.asynccontextmanager
async def database_on_sqlite(directory: Path) -> AsyncIterator[BaseSessionService]:
    async with DatabaseSessionService(db_url=f"sqlite+aiosqlite:///{directory / 'database.db'}") as service:
        yield service


@contextlib.asynccontextmanager
async def database_on_postgresql(directory: Path) -> AsyncIterator[BaseSessionService]:
    given = os.environ["DATABASE_URL"]
    name = f"threefold_adk_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            where = given.rpartition("/")[0].partition("://")[2]
            async with DatabaseSessionService(db_url=f"postgresql+psycopg://{where}/{name}") as service:
                yield service
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


ADK_BACKENDS: dict[str, Backend] = {
    "InMemory": in_memory,
    "Sqlite": sqlite,
    "Database (SQLite)": database_on_sqlite,
    "Database (PostgreSQL)": database_on_postgresql,
}
