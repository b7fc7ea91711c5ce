"""What the services have in common: one server, how it is reached, and what its refusals become."""

from types import TracebackType
from typing import Any, Self

from threefold.errors import ThreefoldError
from threefold.refusals import refuse
from threefold.transport import Answer, Transport
from threefold.uri import parse_uri


class HttpService:
    """The first base class of each service. One object serves any number of event loops and tasks."""

    def __init__(
        self,
        uri: str,
        *,
        api_key: str | None = None,
        timeout_seconds: float = 10.0,
        max_attempts: int = 5,
        verify: Any = True,
        **_ignored: Any,
    ) -> None:
        """``uri`` is ``threefold://[:KEY@]host[:port][/prefix]``, or ``threefold+https://…``.

        The key is ``api_key``, else the URI's password, else THREEFOLD_API_KEY (read at the first request). ``verify``
        is httpx's; ``max_attempts`` (1 to 5) bounds how often a safe request is tried. Other arguments (ADK passes
        ``agents_dir``) are ignored. Raises ValueError for an unusable URI.
        """
        self._transport = Transport(
            parse_uri(uri), api_key=api_key, timeout_seconds=timeout_seconds, max_attempts=max_attempts, verify=verify
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(uri=<redacted>)"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections. Not needed for correctness: they close with their event loop, and a later call opens
        new ones.
        """
        await self._transport.close()

    def _object(self, answer: Answer) -> dict[str, Any]:
        """The body of an answer that is a yes. Raises what a refusal means."""
        if not answer.ok:
            raise self._refusal(answer)
        if not isinstance(answer.body, dict):
            raise ThreefoldError("What answered is not a Threefold server.", status=answer.status)
        return answer.body

    def _refusal(self, answer: Answer) -> Exception:
        return refuse(answer, has_key=self._transport.has_key)
