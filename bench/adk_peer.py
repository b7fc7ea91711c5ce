"""ADK's own DatabaseSessionService, in this process, on a database of the same kind."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.session import Session

from bench.events import STATE_KEYS, sample_event
from tests.live import fresh_database

Step = Callable[[DatabaseSessionService, Session, int], Awaitable[None]]


class AdkPeer:
    """Each connection is a task with a session of a user of its own. Rates are operations a second over all of them."""

    name = "adk"

    def __init__(self, directory: Path, database_url: str) -> None:
        (directory / "adk").mkdir()
        self._database = fresh_database(directory / "adk")
        self._is_postgresql = database_url.startswith("postgres")

    def __enter__(self) -> Self:
        url = self._database.__enter__()
        scheme, _, rest = url.partition(":")
        self._url = f"postgresql+psycopg:{rest}" if self._is_postgresql else f"sqlite+aiosqlite:{rest}"
        return self

    def __exit__(self, *details: object) -> None:
        self._database.__exit__(None, None, None)

    def append(self, connections: int, operations: int) -> float:
        """Appends through a session that is kept current, as a Runner does."""

        async def step(service: DatabaseSessionService, session: Session, number: int) -> None:
            await service.append_event(session, sample_event(number))

        return asyncio.run(self._run(connections, operations, step))

    def window20(self, connections: int, operations: int) -> float:
        """Reads of the last 20 of 100 events with the merged state."""
        return asyncio.run(self._run(connections, operations, self._read_window, events=100))

    async def _read_window(self, service: DatabaseSessionService, session: Session, number: int) -> None:
        config = GetSessionConfig(num_recent_events=20)
        found = await service.get_session(
            app_name=session.app_name, user_id=session.user_id, session_id=session.id, config=config
        )
        assert found is not None and len(found.events) == 20 and len(found.state) == STATE_KEYS

    async def _run(self, connections: int, operations: int, step: Step, events: int = 0) -> float:
        async with DatabaseSessionService(self._url) as service:
            sessions = [await self._prepare(service, events) for _ in range(connections)]
            each = operations // connections or 1
            begin = time.perf_counter()
            await asyncio.gather(*(self._work(service, session, each, step) for session in sessions))
            return connections * each / (time.perf_counter() - begin)

    async def _prepare(self, service: DatabaseSessionService, events: int) -> Session:
        session = await service.create_session(app_name="demo", user_id=uuid.uuid4().hex, session_id="s1")
        for number in range(events):
            await service.append_event(session, sample_event(number))
        return session

    async def _work(self, service: DatabaseSessionService, session: Session, each: int, step: Step) -> None:
        for number in range(each):
            await step(service, session, number)
