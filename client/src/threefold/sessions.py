"""ADK's session service, kept by a Threefold server."""

import uuid
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any, Self

from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
from google.adk.sessions.session import Session
from typing_extensions import override

from threefold.errors import ThreefoldError
from threefold.options import create_options
from threefold.paths import required, session_path, sessions_path, state_member, trimmed, user_path, window
from threefold.refusals import is_missing, refuse
from threefold.service import HttpService
from threefold.transport import Answer
from threefold.wire import event_to_wire, revision_of, session_from_wire, state_to_wire

_PAGE_SIZE = 200


class ThreefoldSessionService(HttpService, BaseSessionService):
    """Sessions over HTTP, as strict as ADK's database service: an append through a superseded session is refused.

    One object serves any number of event loops and tasks. Ids are trimmed; a blank session id is generated at creation.
    Errors: see :mod:`threefold.errors`; every method may raise ThreefoldUnavailable and NotAuthorized.
    """

    @override
    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
        **options: Any,
    ) -> Session:
        """Creates a session. ``options``: ``ttl`` (seconds, or "3600s"), ``expire_time`` (epoch seconds, or an aware
        datetime or ISO text), ``labels`` (dict of text), ``title`` or ``display_name``.

        Raises AlreadyExistsError; ValueError for a bad id, a state value that is not JSON or a bad option; TypeError
        for an unknown option.
        """
        collection = sessions_path(app_name, user_id)
        body = {**create_options(options), **state_member(state)}
        given = trimmed(session_id)
        body["sessionId"] = given or str(uuid.uuid4())
        # Only an id made here can be repeated: a conflict on the second try is then this call's own first success.
        answer = await self._transport.send("POST", collection, body=body, repeatable=not given)
        if answer.code == "session_exists" and not given and answer.attempts > 1:
            answer = await self._transport.send("GET", (*collection, body["sessionId"]), repeatable=True)
        return self._session(answer)

    async def open_session(
        self, *, app_name: str, user_id: str, session_id: str, state: dict[str, Any] | None = None
    ) -> Session:
        """Gets the session, or creates it with ``state``; the state of an existing one is left alone. Atomic and
        repeatable.
        """
        path = session_path(app_name, user_id, session_id)
        return self._session(await self._transport.send("PUT", path, body=state_member(state), repeatable=True))

    @override
    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """The session with its events in the order they were appended, or None when there is none. Any other failure
        raises.
        """
        if not trimmed(session_id):
            return None
        path = session_path(app_name, user_id, session_id)
        answer = await self._transport.send("GET", path, query=window(config), repeatable=True)
        return None if is_missing(answer) else self._session(answer)

    @override
    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """All sessions with their merged state and no events, oldest activity first. None means all users; a blank user
        has none.
        """
        if user_id is not None and not trimmed(user_id):
            return ListSessionsResponse()
        sessions = [session async for session in self._walk(app_name, trimmed(user_id))]
        sessions.sort(key=lambda session: (session.last_update_time, session.user_id, session.id))
        return ListSessionsResponse(sessions=sessions)

    @override
    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Deletes the session and its events. A missing one is fine; ``app:`` and ``user:`` state stays."""
        if not trimmed(session_id):
            return
        answer = await self._transport.send("DELETE", session_path(app_name, user_id, session_id), repeatable=True)
        if not answer.ok and not is_missing(answer):
            raise self._refusal(answer)

    @override
    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """The user's state across sessions, keys without ``user:``; ``{}`` when there is none."""
        return await self._state((*user_path(app_name, user_id), "state"))

    async def get_app_state(self, *, app_name: str) -> dict[str, Any]:
        """The app's state across users, keys without ``app:``; ``{}`` when there is none."""
        return await self._state(("apps", required("app_name", app_name), "state"))

    async def update_state(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        state_delta: dict[str, Any] | None = None,
        remove_keys: Iterable[str] = (),
        title: str | None = None,
        labels: dict[str, str] | None = None,
    ) -> Session:
        """Writes state beside a conversation that may be running: the runner's next append still succeeds.

        ``state_delta`` replaces whole values (None is a value), ``remove_keys`` removes keys; both take prefixed keys.
        Not repeated after an unclear failure. Raises SessionNotFoundError; ValueError for a value that is not JSON.
        """
        delta = state_to_wire(state_delta or {}, "state_delta")
        given = {"stateDelta": delta or None, "removeKeys": list(remove_keys) or None, "title": title, "labels": labels}
        body = {name: value for name, value in given.items() if value is not None}
        return self._session(
            await self._transport.send("PATCH", session_path(app_name, user_id, session_id), body=body)
        )

    @override
    async def append_event(self, session: Session, event: Event) -> Event:
        """Stores ``event`` at the end of ``session`` and, only once the server said yes, applies it to ``session``.

        A partial event is returned untouched. Repeating an append whose answer was lost stores nothing twice.
        Concurrency: many tasks may append through one session object. Raises StaleSessionError ("modified in storage")
        and SessionNotFoundError; AlreadyExistsError when another event has this id; ValueError for content or state
        that is not JSON.
        """
        if event.partial:
            return event
        wire = event_to_wire(event)
        loop = await self._transport.loops.current()
        key = (session.app_name, session.user_id, session.id)
        return await loop.in_turn(key, lambda: self._append(session, event, wire))

    async def _append(self, session: Session, event: Event, wire: dict[str, Any]) -> Event:
        revision = revision_of(session)
        if revision is None:
            revision = await self._revision_of_foreign(session)
        path = (*session_path(session.app_name, session.user_id, session.id), "events")
        body = {"event": wire, "expectedRevision": revision}
        answer = await self._transport.send("POST", path, body=body, repeatable=True)
        if is_missing(answer):
            raise SessionNotFoundError("Session not found.")
        self._commit(session, event, _Stored.read(self._object(answer)), revision)
        return event

    def _commit(self, session: Session, event: Event, stored: "_Stored", revision: int) -> None:
        """Brings the caller's objects in step with the server. No await: other tasks see all of it or nothing."""
        self._apply_temp_state(session, event)
        self._trim_temp_delta_state(event)
        if stored.repeated and stored.revision <= revision:
            return  # This session already holds the event.
        self._commit_event_to_session(session, event)
        session.last_update_time = stored.last_update_time
        session._storage_update_marker = str(stored.revision)

    async def _revision_of_foreign(self, session: Session) -> int:
        """The current revision for a session object that carries none, if nothing newer is stored. Raises
        StaleSessionError.
        """
        stored = await self.get_session(
            app_name=session.app_name,
            user_id=session.user_id,
            session_id=session.id,
            config=GetSessionConfig(num_recent_events=1),
        )
        if stored is None:
            raise SessionNotFoundError("Session not found.")
        newest_known = session.events[-1].id if session.events else None
        newest_stored = stored.events[-1].id if stored.events else None
        if stored.last_update_time > session.last_update_time and newest_known != newest_stored:
            raise refuse(Answer(409, {"code": "stale_session"}))
        return revision_of(stored) or 0

    async def _walk(self, app_name: str, user_id: str) -> AsyncIterator[Session]:
        """Every session of the app (or of one user), page by page."""
        fixed = [("order", "created"), ("limit", str(_PAGE_SIZE))] + ([("user", user_id)] if user_id else [])
        path = ("apps", required("app_name", app_name), "sessions")
        cursor: str | None = None
        while True:
            query = fixed + ([("cursor", cursor)] if cursor else [])
            answer = await self._transport.send("GET", path, query=query, repeatable=True)
            if is_missing(answer):
                return
            page = self._object(answer)
            for body in page.get("sessions", ()):
                yield self._session(Answer(200, body))
            if not page.get("next") or page["next"] == cursor:
                return
            cursor = page["next"]

    async def _state(self, path: tuple[str, ...]) -> dict[str, Any]:
        answer = await self._transport.send("GET", path, repeatable=True)
        return {} if is_missing(answer) else self._object(answer)

    def _session(self, answer: Answer) -> Session:
        body = self._object(answer)
        try:
            return session_from_wire(body)
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        raise ThreefoldError("What answered did not send a Threefold session.", status=answer.status)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the server says about an append: the session's new revision and time, and whether it was a repetition."""

    revision: int
    last_update_time: float
    repeated: bool

    @classmethod
    def read(cls, body: dict[str, Any]) -> Self:
        revision, moment = body.get("revision"), body.get("lastUpdateTime")
        if not isinstance(revision, int) or not isinstance(moment, int | float):
            raise ThreefoldError("What answered is not a Threefold server.")
        return cls(revision, float(moment), bool(body.get("repeated")))
