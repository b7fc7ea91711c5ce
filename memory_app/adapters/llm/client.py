"""One question to a model: time-outs, bounded retries, and a count of what it cost. Nothing that was said is logged."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from memory_app.adapters.llm.wires import WIRES, Question, Reply
from memory_app.config import ModelAccess

TRIES = 2
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 5.0
MAX_ANSWER_BYTES = 4 * 1024 * 1024
_RETRIED = {408, 409, 425, 429, *range(500, 600)}

TIMEOUT, UNREACHABLE, BUSY, BROKEN, REFUSED, BAD_ANSWER, NO_ANSWER = (
    "timeout",
    "unreachable",
    "busy",
    "server_error",
    "refused",
    "bad_answer",
    "no_answer",
)


class ModelFailure(Exception):
    """No usable answer. ``code`` is a stable word; ``may_pass`` says that asking later may help."""

    def __init__(self, code: str, *, may_pass: bool, pause_seconds: float | None = None) -> None:
        super().__init__(code)
        self.code, self.may_pass, self.pause_seconds = code, may_pass, pause_seconds


class ModelClient:
    """Asks one model, and counts. ``keep`` is called before each request: it says that slow work is still alive."""

    def __init__(self, access: ModelAccess, keep: Callable[[], None]) -> None:
        self._access, self._keep, self._wire = access, keep, WIRES[access.provider]
        self.calls = self.tokens_in = self.tokens_out = 0

    @contextmanager
    def connected(self) -> Iterator["ModelClient"]:
        # trust_env: settings come from THREEFOLD_ variables only, and a proxy must not see what was said by accident.
        with httpx.Client(timeout=self._access.timeout_seconds, trust_env=False) as self._http:
            yield self

    def ask(self, question: Question, accept: Callable[[str], None]) -> None:
        """Hand the answer's text to ``accept``; ask once more when that raises ValueError. Raises ModelFailure."""
        for left in reversed(range(TRIES)):
            try:
                accept(self._ask_once(question))
                return
            except ValueError:
                failure = ModelFailure(BAD_ANSWER, may_pass=False)
                pause = 0.0
            except ModelFailure as caught:
                failure = caught
                pause = FIRST_PAUSE_SECONDS if caught.pause_seconds is None else caught.pause_seconds
            if not left or (not failure.may_pass and failure.code != BAD_ANSWER):
                raise failure
            time.sleep(min(pause, LONGEST_PAUSE_SECONDS))

    def _ask_once(self, question: Question) -> str:
        self._keep()
        self.calls += 1
        reply = self._read(self._send(question))
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        if reply.text is None:
            raise ModelFailure(NO_ANSWER, may_pass=False)
        return reply.text

    def _send(self, question: Question) -> bytes:
        access, wire = self._access, self._wire
        deadline = time.monotonic() + access.timeout_seconds
        headers = {**wire.headers(access), "Content-Type": "application/json"}
        # ASCII only: half a character, which JSON can hold, could not be sent otherwise.
        body = json.dumps(wire.body(access, question))
        try:
            with self._http.stream("POST", wire.address(access), content=body, headers=headers) as response:
                if response.status_code != 200:
                    raise _status_failure(response)
                return _read_all(response, deadline)
        except httpx.TimeoutException:
            raise ModelFailure(TIMEOUT, may_pass=True) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise ModelFailure(UNREACHABLE, may_pass=True) from None

    def _read(self, content: bytes) -> Reply:
        try:
            reply = self._wire.read(json.loads(content))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise ModelFailure(BAD_ANSWER, may_pass=False) from None
        if reply.text is not None and not isinstance(reply.text, str):
            raise ModelFailure(BAD_ANSWER, may_pass=False)
        return reply


def _read_all(response: httpx.Response, deadline: float) -> bytes:
    """The body. A server that drips is as slow as one that is silent."""
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            raise ModelFailure(BAD_ANSWER, may_pass=False)
        if time.monotonic() > deadline:
            raise ModelFailure(TIMEOUT, may_pass=True)
    return bytes(content)


def _status_failure(response: httpx.Response) -> ModelFailure:
    status = response.status_code
    if status not in _RETRIED:
        return ModelFailure(REFUSED, may_pass=False)
    wait = response.headers.get("retry-after", "")
    return ModelFailure(
        BUSY if status == 429 else BROKEN, may_pass=True, pause_seconds=float(wait) if wait.isdecimal() else None
    )
