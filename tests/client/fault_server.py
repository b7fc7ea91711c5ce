"""Fault injection only: a server that misbehaves on command.

It cuts connections, answers 503 or garbage, and is slow. Everything that can be shown against a real Threefold server
is shown there (``tests/live.py``); nothing here stands in for it.
"""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CUT = "cut the connection after the request was read"


@dataclass(frozen=True)
class Say:
    """One answer. ``after_seconds`` delays it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    after_seconds: float = 0.0


@dataclass(frozen=True)
class Heard:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def problem(status: int, code: str, detail: str = "no", **headers: str) -> Say:
    return Say(status, {"type": "about:blank", "title": "t", "status": status, "code": code, "detail": detail}, headers)


def session(revision: int = 0, **changes: Any) -> Say:
    body = {"id": "s", "appName": "a", "userId": "u", "state": {}, "events": [], "lastUpdateTime": 1.0}
    return Say(200, {**body, "revision": revision, "lastSeq": revision, **changes})


def stored(revision: int, *, repeated: bool = False) -> Say:
    return Say(200, {"event": {}, "seq": revision, "revision": revision, "lastUpdateTime": 5.0, "repeated": repeated})


class FaultServer:
    """Answers with ``script`` in order; its last entry is repeated for ever. ``heard`` is every request so far."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.heard: list[Heard] = []
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> "FaultServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def uri(self) -> str:
        return f"threefold://127.0.0.1:{self._server.server_address[1]}"

    def _next(self, heard: Heard) -> Any:
        with self._guard:
            self.heard.append(heard)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def _handler(outer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler's
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                say = outer._next(Heard(self.command, self.path, dict(self.headers), body))
                if say == CUT:
                    self.close_connection = True
                    return
                time.sleep(say.after_seconds)
                raw = say.body if isinstance(say.body, bytes) else json.dumps(say.body).encode()
                self.send_response(say.status)
                for name, value in {"Content-Length": str(len(raw)), **say.headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *_: object) -> None: ...

        return Handler
