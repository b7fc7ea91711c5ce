"""Threefold over HTTP: a real server, and threads that each keep one connection."""

import http.client
import json
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self

from bench.events import STATE_KEYS, sample_event
from tests.live import LiveServer

Step = Callable[[http.client.HTTPConnection, str, int], None]


class ThreefoldPeer:
    """Each connection works on a session of a user of its own. Rates are operations a second over all of them."""

    name = "threefold"

    def __init__(self, directory: Path, database_url: str) -> None:
        self._server = LiveServer.prepared(directory / "server", database_url, THREEFOLD_RATE_LIMIT_PER_MINUTE="0")
        self._headers = {"Authorization": f"Bearer {self._server.key}", "Content-Type": "application/json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.kill()

    def append(self, connections: int, operations: int) -> float:
        """Appends of one event with three state keys, each with the revision it expects."""

        def step(connection: http.client.HTTPConnection, path: str, number: int) -> None:
            body = {"event": sample_event(number).model_dump(mode="json", by_alias=True, exclude_none=True)}
            self._send(connection, "POST", f"{path}/events", body | {"expectedRevision": number})

        return self._run(connections, operations, step)

    def window20(self, connections: int, operations: int) -> float:
        """Reads of the last 20 of 100 events with the merged state."""
        return self._run(connections, operations, self._read_window, events=100)

    def _read_window(self, connection: http.client.HTTPConnection, path: str, number: int) -> None:
        session = self._send(connection, "GET", f"{path}?numRecentEvents=20")
        assert len(session["events"]) == 20 and len(session["state"]) == STATE_KEYS

    def _run(self, connections: int, operations: int, step: Step, events: int = 0) -> float:
        barrier = threading.Barrier(connections + 1)
        threads = [
            threading.Thread(target=self._work, args=(barrier, operations // connections or 1, step, events))
            for _ in range(connections)
        ]
        for thread in threads:
            thread.start()
        barrier.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        return connections * (operations // connections or 1) / (time.perf_counter() - begin)

    def _work(self, barrier: threading.Barrier, operations: int, step: Step, events: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port)
        path = f"/apps/demo/users/{uuid.uuid4().hex}/sessions/s1"
        self._send(connection, "PUT", path, {})
        if events:
            bodies = [sample_event(n).model_dump(mode="json", by_alias=True, exclude_none=True) for n in range(events)]
            self._send(connection, "POST", f"{path}/events:batch", {"events": bodies})
        barrier.wait()
        for number in range(operations):
            step(connection, path, number)
        connection.close()

    def _send(self, connection: http.client.HTTPConnection, method: str, target: str, body: object = None) -> dict:
        data = None if body is None else json.dumps(body)
        connection.request(method, target, data, self._headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, answer
        return answer
