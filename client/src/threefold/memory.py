"""ADK's memory service, kept by a Threefold server."""

import logging
from collections.abc import Sequence
from typing import Any

from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from typing_extensions import override

from threefold.errors import ThreefoldError, ThreefoldUnavailable
from threefold.memory_wire import (
    Metadata,
    entry_from_wire,
    entry_to_wire,
    metadata_to_wire,
    shortened,
    source_event_to_wire,
)
from threefold.paths import session_path, trimmed, user_path
from threefold.service import HttpService
from threefold.transport import Answer
from threefold.uri import Action
from threefold.wire import revision_of

log = logging.getLogger(__name__)

# The server answers at the latest after 25 seconds, finished or not.
_WAIT_SECONDS = 25.0
_EVENTS_PER_REQUEST = 500
_UNFINISHED = ("waiting", "running")


class ThreefoldMemoryService(HttpService, BaseMemoryService):
    """Long-term memory over HTTP: it passes the project's policy, and what was forgotten stays forgotten.

    Nothing is cached here, so forgetting takes effect at once. Everything is safe to repeat, and repeated when the
    server does not answer. Errors: see :mod:`threefold.errors`; every method may raise ThreefoldUnavailable and
    NotAuthorized.
    """

    def __init__(self, uri: str, *, wait: bool = False, **options: Any) -> None:
        """As :class:`threefold.ThreefoldSessionService`. An ingestion returns once the server has promised to do it;
        with ``wait``, once it is done, or ThreefoldUnavailable is raised after 25 seconds (it is still done later).
        """
        super().__init__(uri, **options)
        self._wait = wait

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Has the session's whole log ingested, as the server holds it: a filtered ``session`` loses nothing.

        May be called after every turn; what is known already is not stored again. Of a session that another service
        keeps, the events at hand are sent. Raises SessionNotFoundError for one of Threefold's that is not there.
        """
        path = (*session_path(session.app_name, session.user_id, session.id), "ingest")
        try:
            await self._ingest(path, {})
        except SessionNotFoundError:
            if revision_of(session) is not None:
                raise
            await self.add_events_to_memory(
                app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
            )

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Metadata | None = None,
    ) -> None:
        """Has these events ingested, without their attachments. The same event of a session twice is stored once."""
        path = (*user_path(app_name, user_id), "memory", "events")
        shared: dict[str, Any] = {"customMetadata": metadata_to_wire(custom_metadata)}
        if trimmed(session_id):
            shared["sessionId"] = trimmed(session_id)
        wire = [source_event_to_wire(event) for event in events if not event.partial]
        for start in range(0, len(wire), _EVENTS_PER_REQUEST):
            await self._ingest(path, {**shared, "events": wire[start : start + _EVENTS_PER_REQUEST]})

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Metadata | None = None,
    ) -> None:
        """Stores memories as they are given, all that policy and tombstones allow; the rest is logged by number and
        reason.

        ``custom_metadata`` may hold ``{"threefold": {"kind", "key", "confidence"}}``; without it an entry is a FACT.
        An entry's ``id`` names this one statement: a second call with the same id and text changes nothing.
        """
        path = (*user_path(app_name, user_id), "memories")
        shared = metadata_to_wire(custom_metadata)
        wire = [entry_to_wire(entry, shared, f"memories[{index}]") for index, entry in enumerate(memories)]
        if not wire:
            return
        answer = self._object(await self._transport.send("POST", path, body={"memories": wire}, repeatable=True))
        refused = (answer.get("outcome") or {}).get("refused")
        if refused:
            log.warning("Of %d memories some were not stored, by reason: %s.", len(wire), refused)

    @override
    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The memories that answer a query, the best first, at most as many as the project's policy puts into a prompt.

        A blank user or query finds nothing. Of a query over 10,000 characters its beginning and end are looked for.
        """
        if not trimmed(user_id) or not trimmed(query):
            return SearchMemoryResponse()
        path = (*user_path(app_name, user_id), Action("memories:search"))
        body = {"query": shortened(query), "forPrompt": True}
        answer = await self._transport.send("POST", path, body=body, repeatable=True)
        if answer.code == "not_found":  # The key is another user's.
            return SearchMemoryResponse()
        return SearchMemoryResponse(memories=self._entries(answer))

    @override
    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forgets one memory for good, with what was made of the same words; one that is gone already is fine.

        Raises ValueError without an id: "delete" must never mean "delete everything".
        """
        if not trimmed(memory_id):
            raise ValueError("memory_id must not be blank: name the one memory to delete")
        path = (*user_path(app_name, user_id), "memories", trimmed(memory_id))
        reason = [("reason", "deleted by the agent")]
        answer = await self._transport.send("DELETE", path, query=reason, repeatable=True)
        if answer.code not in ("memory_not_found", "not_found"):
            self._object(answer)

    async def _ingest(self, path: tuple[str, ...], body: dict[str, Any]) -> None:
        answer = await self._transport.send(
            "POST",
            path,
            query=[("wait", "true")] if self._wait else None,
            body=body,
            repeatable=True,
            patience_seconds=_WAIT_SECONDS if self._wait else 0.0,
        )
        status = self._status(answer)
        if status == "dead":
            raise ThreefoldError("The Threefold server could not ingest the events; its operation says why.")
        if self._wait and status in _UNFINISHED:
            raise ThreefoldUnavailable("The ingestion has not finished within 25 seconds; it will still be done.")

    def _status(self, answer: Answer) -> str:
        operation = self._object(answer).get("operation")
        if not isinstance(operation, dict) or not isinstance(operation.get("status"), str):
            raise ThreefoldError("What answered is not a Threefold server.", status=answer.status)
        return str(operation["status"])

    def _entries(self, answer: Answer) -> list[MemoryEntry]:
        body = self._object(answer)
        try:
            return [entry_from_wire(hit) for hit in body["memories"]]
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        raise ThreefoldError("What answered did not send Threefold memories.", status=answer.status)
