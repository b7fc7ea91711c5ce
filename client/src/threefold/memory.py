"""ADK's memory service, kept by a Threefold server."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Self

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types
from typing_extensions import override

from threefold.errors import ThreefoldError
from threefold.jsonsafe import to_json
from threefold.paths import required, session_path, trimmed
from threefold.refusals import is_missing, refuse
from threefold.transport import Answer, Transport
from threefold.uri import parse_uri
from threefold.wire import event_to_wire

Metadata = Mapping[str, object] | None


class ThreefoldMemoryService(BaseMemoryService):
    """Long-term memory over HTTP: it passes the project's policy, and what was forgotten stays forgotten.

    Nothing is cached here, so forgetting takes effect at once. Errors: see :mod:`threefold.errors`; every method may
    raise ThreefoldUnavailable and NotAuthorized.
    """

    def __init__(
        self,
        uri: str,
        *,
        api_key: str | None = None,
        timeout_seconds: float = 10.0,
        max_attempts: int = 5,
        verify: Any = True,
        wait: bool = False,
        **_ignored: Any,
    ) -> None:
        """As :class:`threefold.ThreefoldSessionService`. With ``wait`` an ingestion returns once it is done (up to 25
        seconds); without, once the server has promised to do it. Raises ValueError for an unusable URI.
        """
        self._wait = wait
        self._transport = Transport(
            parse_uri(uri),
            api_key=api_key,
            timeout_seconds=max(timeout_seconds, 30.0) if wait else timeout_seconds,
            max_attempts=max_attempts,
            verify=verify,
        )

    def __repr__(self) -> str:
        return "ThreefoldMemoryService(uri=<redacted>)"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections; a later call opens new ones."""
        await self._transport.close()

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Has the session's whole log ingested, as the server holds it: a filtered ``session`` loses nothing.

        May be called after every turn; what is known already is not stored again. Raises SessionNotFoundError.
        """
        path = (*session_path(session.app_name, session.user_id, session.id), "ingest")
        await self._ingest(path, {})

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Metadata = None,
    ) -> None:
        """Has these events ingested. They are named by their ids: the same event twice is stored once."""
        body: dict[str, Any] = {"events": [event_to_wire(event) for event in events if not event.partial]}
        if trimmed(session_id):
            body["sessionId"] = trimmed(session_id)
        if custom_metadata:
            body["customMetadata"] = to_json(dict(custom_metadata), "custom_metadata")
        if body["events"]:
            await self._ingest((*_user_path(app_name, user_id), "memory", "events"), body)

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Metadata = None,
    ) -> None:
        """Stores memories as they are given, all that the project's policy keeps.

        ``custom_metadata`` of an entry may hold ``kind``, ``key`` and ``confidence`` under the key ``threefold``. Not
        repeated after an unclear failure unless every entry has an id.
        """
        if not memories:
            return
        body: dict[str, Any] = {"memories": [_entry_to_wire(entry) for entry in memories]}
        if custom_metadata:
            body["customMetadata"] = to_json(dict(custom_metadata), "custom_metadata")
        self._checked(await self._transport.send("POST", (*_user_path(app_name, user_id), "memories"), body=body))

    @override
    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The memories that answer a query, at most as many as the project's policy puts into a prompt."""
        if not trimmed(query):
            return SearchMemoryResponse()
        answer = await self._transport.send(
            "POST",
            (*_user_path(app_name, user_id), "memories:search"),
            body={"query": query, "forPrompt": True},
            repeatable=True,
        )
        if is_missing(answer):
            return SearchMemoryResponse()
        found = self._checked(answer).get("memories") or []
        return SearchMemoryResponse(memories=[entry for entry in map(_entry_from_wire, found) if entry])

    @override
    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forgets one memory for good, with what was made of the same words; one that is gone already is fine.

        Raises ValueError without an id: "delete" must never mean "delete everything".
        """
        if not trimmed(memory_id):
            raise ValueError("memory_id must not be blank: name the one memory to delete")
        answer = await self._transport.send(
            "DELETE",
            (*_user_path(app_name, user_id), "memories", trimmed(memory_id)),
            query=[("reason", "deleted by the agent")],
            repeatable=True,
        )
        if answer.code not in ("memory_not_found", "not_found", "project_not_found"):
            self._checked(answer)

    async def _ingest(self, path: tuple[str, ...], body: dict[str, Any]) -> None:
        query = [("wait", "true")] if self._wait else None
        answer = self._checked(await self._transport.send("POST", path, query=query, body=body, repeatable=True))
        operation = answer.get("operation")
        if isinstance(operation, dict) and operation.get("status") == "dead":
            raise ThreefoldError("The Threefold server could not ingest the events; its operation says why.")

    def _checked(self, answer: Answer) -> dict[str, Any]:
        if not answer.ok:
            raise refuse(answer, has_key=self._transport.has_key)
        if not isinstance(answer.body, dict):
            raise ThreefoldError("What answered is not a Threefold server.", status=answer.status)
        return answer.body


def _user_path(app_name: str, user_id: str) -> tuple[str, ...]:
    return ("apps", required("app_name", app_name), "users", required("user_id", user_id))


def _entry_to_wire(entry: MemoryEntry) -> dict[str, Any]:
    metadata = dict(entry.custom_metadata)
    special = metadata.pop("threefold", None)
    wire: dict[str, Any] = {
        "id": entry.id or str(uuid.uuid4()),
        "content": entry.content.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    if isinstance(special, Mapping):
        wire.update({name: special[name] for name in ("kind", "key", "confidence") if name in special})
    optional = {"author": entry.author, "timestamp": entry.timestamp}
    wire.update({name: value for name, value in optional.items() if value})
    if metadata:
        wire["customMetadata"] = to_json(metadata, "custom_metadata")
    return wire


def _entry_from_wire(body: Any) -> MemoryEntry | None:
    """One hit as ADK knows it; None for one that this version of ADK cannot read."""
    try:
        source = body.get("source") or {}
        metadata = {
            **(body.get("customMetadata") or {}),
            **{
                name: value
                for name, value in (
                    ("session_id", source.get("sessionId")),
                    ("event_id", source.get("eventId")),
                    ("kind", body.get("kind")),
                    ("score", body.get("score")),
                )
                if value is not None
            },
        }
        return MemoryEntry(
            id=body["id"],
            content=types.Content.model_validate(body["content"]),
            author=body.get("author"),
            timestamp=body.get("timestamp"),
            custom_metadata=metadata,
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
