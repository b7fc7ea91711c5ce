"""One HTTP exchange with the server: authentication, short time-outs, and repeating what is safe to repeat."""

import asyncio
import json
import os
import random
from dataclasses import dataclass
from typing import Any

import httpx

from threefold.errors import NotAuthorized, ThreefoldError, ThreefoldUnavailable
from threefold.loops import PerLoop
from threefold.uri import Endpoint, encode_query, encode_segment
from threefold.wire import encode

_PAUSES_SECONDS = (0.1, 0.3, 0.9, 2.0)
_LONGEST_PAUSE_SECONDS = 5.0
_LARGE_BYTES = 4 * 1024 * 1024
_TRY_AGAIN = {502, 503, 504}
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_USER_AGENT = "threefold-adk/0.1.0"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What the server said. ``body`` is the parsed JSON (None when it was none); ``attempts`` counts from 1."""

    status: int
    body: Any
    attempts: int = 1
    retry_after_seconds: float | None = None

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def code(self) -> str:
        """The problem code, or ``""`` when what answered was not Threefold (a proxy, another server)."""
        code = self.body.get("code") if isinstance(self.body, dict) and not self.ok else None
        return code if isinstance(code, str) else ""

    @property
    def detail(self) -> str:
        detail = self.body.get("detail") if self.code else None
        return detail[:500] if isinstance(detail, str) else ""


@dataclass(frozen=True, slots=True)
class _NoAnswer:
    """``kind`` is the failure's class name (httpx's texts may quote addresses); ``sent`` is False if it surely never
    left.
    """

    kind: str
    sent: bool


class Transport:
    """Sends requests to one server. No I/O and no event loop before the first :meth:`send`."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        api_key: str | None = None,
        timeout_seconds: float = 10.0,
        max_attempts: int = 5,
        verify: Any = True,
    ) -> None:
        self._endpoint = endpoint
        self._api_key = api_key or endpoint.api_key
        self._timeout_seconds = timeout_seconds
        self._pauses_seconds = (*_PAUSES_SECONDS[: max(max_attempts, 1) - 1], None)
        self._verify = verify
        self.loops = PerLoop(self._make_client)

    @property
    def has_key(self) -> bool:
        return bool(self._key())

    async def send(
        self,
        method: str,
        segments: tuple[str, ...],
        *,
        query: list[tuple[str, str]] | None = None,
        body: Any = None,
        repeatable: bool = False,
        patience_seconds: float = 0.0,
    ) -> Answer:
        """Sends one request and returns the answer, whatever its status below 500.

        ``repeatable`` says that doing it twice has the effect of doing it once. Everything is repeated while the
        connection cannot be opened or the answer is 429. The server may take ``patience_seconds`` longer than usual.
        Raises ThreefoldUnavailable when the retries are used up, ThreefoldError for a 5xx.
        """
        client = (await self.loops.current()).client
        url = self._url(segments, query)
        content = None if body is None else encode(body)
        for attempt, pause in enumerate(self._pauses_seconds, start=1):
            result = await self._try_once(client, method, url, content, attempt, patience_seconds)
            if pause is None or not _worth_repeating(result, repeatable):
                break
            await asyncio.sleep(_pause_seconds(pause, result))
        return _settle(result, len(content or b""))

    async def close(self) -> None:
        await self.loops.close()

    async def _try_once(
        self,
        client: httpx.AsyncClient,
        method: str,
        url: httpx.URL,
        content: bytes | None,
        attempt: int,
        patience_seconds: float,
    ) -> Answer | _NoAnswer:
        timeout = self._timeout(patience_seconds)
        try:
            response = await client.request(
                method, url, content=content, headers=self._headers(content), timeout=timeout
            )
        except (httpx.TransportError, OSError) as error:
            return _NoAnswer(type(error).__name__, sent=not isinstance(error, _NEVER_SENT))
        except httpx.HTTPError as error:
            return _NoAnswer(type(error).__name__, sent=True)
        return Answer(response.status_code, _parse(response), attempt, _retry_after_seconds(response))

    def _url(self, segments: tuple[str, ...], query: list[tuple[str, str]] | None) -> httpx.URL:
        path = "/".join((self._endpoint.prefix, *(encode_segment(segment) for segment in segments)))
        raw = f"{path}?{encode_query(query)}" if query else path
        server = self._endpoint
        try:
            return httpx.URL(scheme=server.scheme, host=server.host, port=server.port, raw_path=raw.encode("ascii"))
        except (httpx.InvalidURL, ValueError):
            refusal = "The server address or an id makes no valid URL (an id may be too long)."
        raise ValueError(refusal)

    def _headers(self, content: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": _USER_AGENT}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _key(self) -> str | None:
        # Read at each request: `adk web` builds its services before it loads any .env file.
        key = (self._api_key or os.environ.get("THREEFOLD_API_KEY", "")).strip()
        if key and not (key.isascii() and key.isprintable()):
            raise NotAuthorized("The API key holds characters that no key has.")
        return key or None

    def _timeout(self, patience_seconds: float = 0.0) -> httpx.Timeout:
        usual = self._timeout_seconds
        return httpx.Timeout(usual, connect=min(3.0, usual), read=usual + patience_seconds)

    def _make_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            timeout=self._timeout(),
            limits=httpx.Limits(max_connections=50, max_keepalive_connections=20),
            # A proxy from the environment is not for a server on this machine.
            trust_env=not self._endpoint.is_loopback,
            # Plain http never uses certificates, and loading them costs each new loop 30 ms.
            verify=self._verify if self._endpoint.scheme == "https" else False,
        )


def _worth_repeating(result: Answer | _NoAnswer, repeatable: bool) -> bool:
    if isinstance(result, _NoAnswer):
        return repeatable or not result.sent
    return result.status == 429 or (repeatable and result.status in _TRY_AGAIN)


def _pause_seconds(pause: float, result: Answer | _NoAnswer) -> float:
    asked = result.retry_after_seconds if isinstance(result, Answer) else None
    if asked is not None:
        return min(asked, _LONGEST_PAUSE_SECONDS)
    return pause * random.uniform(0.7, 1.3)


def _settle(result: Answer | _NoAnswer, sent_bytes: int) -> Answer:
    if isinstance(result, _NoAnswer):
        # A server that refuses a large body unread may close before its answer can be read.
        hint = f" The request had {sent_bytes:,} bytes; it may be too large." if sent_bytes > _LARGE_BYTES else ""
        raise ThreefoldUnavailable(f"The Threefold server did not answer ({result.kind}).{hint}")
    if result.status in _TRY_AGAIN or result.status == 429:
        raise ThreefoldUnavailable(
            f"The Threefold server is not available (status {result.status}).", status=result.status, code=result.code
        )
    if result.status >= 500:
        raise ThreefoldError(
            f"The Threefold server failed (status {result.status}).", status=result.status, code=result.code
        )
    return result


def _parse(response: httpx.Response) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _retry_after_seconds(response: httpx.Response) -> float | None:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.isdecimal() else None
