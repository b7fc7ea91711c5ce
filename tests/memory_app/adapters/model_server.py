"""A local server that speaks both protocols of language models, and fails in the ways they fail."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory_app.config import ModelAccess

Memories = list[dict[str, Any]]


@dataclass
class Answer:
    """What one request gets. ``body`` None: what the protocol makes of ``memories`` or ``text``."""

    memories: Memories = field(default_factory=list)
    text: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    finish: str | None = None
    silent_seconds: float = 0.0
    drip_seconds: float = 0.0


class ModelServer:
    """Answers requests by ``script`` in order, its last entry again and again; or by ``reply`` to the transcript."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.script: list[Answer] = []
        self.reply: Callable[[list[dict[str, Any]]], Memories] = lambda turns: []
        self.stopping = threading.Event()

    def next(self, transcript: list[dict[str, Any]]) -> Answer:
        if not self.script:
            return Answer(self.reply(transcript))
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def access(self, provider: str = "openai", **facts: Any) -> ModelAccess:
        url = self.url + ("/v1" if provider == "openai" else "")
        usual = {"url": url, "api_key": "secret-key", "timeout_seconds": 5.0}
        return ModelAccess(provider, "a-model", **{**usual, **facts})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    port = 0


def memory(turn: int, quote: str, kind: str = "FACT", **facts: Any) -> dict[str, Any]:
    return {"turn": turn, "kind": kind, "quote": quote, "key": None, "value": None, "confidence": 0.9, **facts}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model: ModelServer = self.server.model  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_openai = self.path == "/v1/chat/completions"
        assert is_openai or self.path == "/v1beta/models/a-model:generateContent", self.path
        model.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
        text = body["messages"][1]["content"] if is_openai else body["contents"][0]["parts"][0]["text"]
        answer = model.next(json.loads(text))
        model.stopping.wait(answer.silent_seconds)
        with contextlib.suppress(OSError):
            self._send(answer, is_openai, model)

    def _send(self, answer: Answer, is_openai: bool, model: ModelServer) -> None:
        text = json.dumps({"memories": answer.memories}) if answer.text is None else answer.text
        content = answer.body
        if content is None:
            content = json.dumps((_openai if is_openai else _genai)(text, answer.finish)).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(content)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for byte in range(len(content)) if answer.drip_seconds else ():
            self.wfile.write(content[byte : byte + 1])
            model.stopping.wait(answer.drip_seconds)
        if not answer.drip_seconds:
            self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


def _openai(text: str, finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish or "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}


def _genai(text: str, finish: str | None) -> dict[str, Any]:
    parts = [{"text": "thinking", "thought": True}, {"text": text[:3]}, {"text": text[3:]}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish or "STOP"}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 4, "thoughtsTokenCount": 3}
    return {"candidates": [candidate], "usageMetadata": usage}


@contextlib.contextmanager
def model_server() -> Iterator[ModelServer]:
    model = ModelServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None  # type: ignore[method-assign]  # A client that gave up hangs up.
    server.model = model  # type: ignore[attr-defined]
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def seconds_of(call: Callable[[], object]) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started
