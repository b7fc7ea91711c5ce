"""What belongs to one event loop: an HTTP client, the locks of the sessions in use, and the appends in flight.

``Runner.run()`` starts a new loop in a new thread for each call, so one service meets many loops.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import httpx

T = TypeVar("T")


class LoopResources:
    """Everything one running loop needs. Made inside that loop and closed when the loop shuts down."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.locks: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()
        self.in_flight: set[asyncio.Task[Any]] = set()
        self.lifetime = _until_the_loop_ends(client)

    async def in_turn(self, key: tuple[str, ...], work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Awaits ``work()`` alone among all work for ``key``.

        When the caller is cancelled while it waits, the work is not begun. Once begun it runs to its end: its request
        may already be stored, and the session object must stay in step with the server.
        """
        begun = asyncio.Event()
        task = asyncio.ensure_future(self._locked(key, work, begun))
        self.in_flight.add(task)
        task.add_done_callback(self._finished)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not begun.is_set():
                task.cancel()
            raise

    async def _locked(
        self, key: tuple[str, ...], work: Callable[[], Coroutine[Any, Any, T]], begun: asyncio.Event
    ) -> T:
        async with self._lock(key):
            begun.set()
            return await work()

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self.in_flight.discard(task)
        if not task.cancelled():
            task.exception()  # Looked at, so that asyncio does not report it as lost when the caller was cancelled.

    def _lock(self, key: tuple[str, ...]) -> asyncio.Lock:
        """The lock of one session. It lives as long as somebody holds or awaits it."""
        lock = self.locks.get(key)
        if lock is None:
            lock = self.locks[key] = asyncio.Lock()
        return lock


class PerLoop:
    """Hands out the :class:`LoopResources` of the running loop. Concurrency: safe from many threads."""

    def __init__(self, make_client: Callable[[], httpx.AsyncClient]) -> None:
        self._make_client = make_client
        self._known: dict[asyncio.AbstractEventLoop, LoopResources] = {}
        self._guard = threading.Lock()

    async def current(self) -> LoopResources:
        loop = asyncio.get_running_loop()
        found = self._known.get(loop)
        if found is not None:
            return found
        made = LoopResources(self._make_client())
        with self._guard:
            # A closed loop cannot close its client any more; dropping it is all that is left to do.
            self._known = {known: held for known, held in self._known.items() if not known.is_closed()}
            self._known[loop] = made
        await anext(made.lifetime)
        return made

    async def close(self) -> None:
        """Closes the running loop's client here, and asks every other live loop to close its own."""
        here = asyncio.get_running_loop()
        with self._guard:
            known, self._known = self._known, {}
        for loop, held in known.items():
            if loop is here:
                await held.lifetime.aclose()
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(held.lifetime.aclose(), loop)


async def _until_the_loop_ends(client: httpx.AsyncClient) -> AsyncGenerator[None, None]:
    """Suspended for as long as the loop runs.

    ``asyncio.run`` finishes suspended generators before it closes its loop, which is the only hook there is for
    closing the sockets in time: nothing in ``adk web`` or ``Runner.run()`` calls ``close()``.
    """
    try:
        yield
    finally:
        await client.aclose()
