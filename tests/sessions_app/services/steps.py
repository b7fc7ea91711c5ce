"""Steps that tests of services and of known failures share: make a session, append to it, look at what is stored."""

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any

from sessions_app.domain.event_body import EventDraft, genesis_draft, read_event, state_event
from sessions_app.domain.json_text import Json, parse_json
from sessions_app.domain.keys import SessionKey
from sessions_app.domain.records import AppendResult, EventWindow, SessionView
from sessions_app.models import Event, Session
from sessions_app.selectors import get_session, list_events
from sessions_app.services.events import append_events
from sessions_app.services.projects import create_project
from sessions_app.services.sessions import create_session, open_session, patch_session

ACTOR = "test"
NO_EVENTS = EventWindow(last=0)


def tree(value: object) -> Json:
    """What the wire would have brought for a Python value."""
    return parse_json(json.dumps(value))


def new_project() -> str:
    return create_project(f"p-{uuid.uuid4().hex[:12]}", ACTOR)


def genesis(state: dict[str, Any] | None = None, timestamp: float | None = None) -> EventDraft:
    return genesis_draft(tree(state), timestamp=time.time() if timestamp is None else timestamp)


def new_session(
    project: str | None = None,
    user: str = "ana",
    session: str = "s1",
    state: dict[str, Any] | None = None,
    **facts: object,
) -> SessionKey:
    """A session that was just created, in a project of its own unless one is named."""
    key = SessionKey(project or new_project(), user, session)
    create_session(key, genesis(state), facts=facts, actor=ACTOR)
    return key


def open_key(key: SessionKey, state: dict[str, Any] | None = None) -> None:
    open_session(key, genesis(state), actor=ACTOR)


def draft(
    event_id: str | None = None, delta: dict[str, Any] | None = None, text: str | None = None, **fields: Any
) -> EventDraft:
    """An agent's event, read as the API reads it. Without an id it gets one."""
    event: dict[str, Any] = {"invocationId": "i1", "author": "agent", **fields}
    if event_id is not None:
        event["id"] = event_id
    if text is not None:
        event["content"] = {"role": "model", "parts": [{"text": text}]}
    if delta is not None:
        event["actions"] = {**event.get("actions", {}), "stateDelta": delta}
    return read_event(tree(event), field="event", default_id=str(uuid.uuid4()), default_timestamp=time.time())


def append(key: SessionKey, *drafts: EventDraft, expected: int | None = None) -> list[AppendResult]:
    return append_events(key, drafts, expected, ACTOR)


def append_one(
    key: SessionKey, event_id: str | None = None, expected: int | None = None, **fields: Any
) -> AppendResult:
    [result] = append(key, draft(event_id, **fields), expected=expected)
    return result


def patch(key: SessionKey, delta: dict[str, Any] | None = None, removed: Sequence[str] = (), **facts: object) -> None:
    """A write beside the run."""
    event = None
    if delta is not None or removed:
        event = state_event(
            event_id=str(uuid.uuid4()),
            invocation_id="p-1",
            timestamp=time.time(),
            delta=tree(delta or {}),
            removed_keys=list(removed),
        )
    patch_session(key, event, facts, ACTOR)


def view_of(key: SessionKey) -> SessionView:
    return get_session(key, NO_EVENTS)


def state_of(key: SessionKey) -> dict[str, Any]:
    """The merged state."""
    return json.loads(view_of(key).state)


def events_of(key: SessionKey, window: EventWindow = EventWindow()) -> list[dict[str, Any]]:
    return [json.loads(body) for body in get_session(key, window).events]


def ids_of(key: SessionKey, window: EventWindow = EventWindow()) -> list[str]:
    return [event["id"] for event in events_of(key, window)]


def seqs_of(key: SessionKey) -> list[int]:
    events, following = list_events(key, 0, 100_000)
    assert following is None
    return [event.seq for event in events]


def session_row(key: SessionKey) -> Session:
    return Session.objects.at(key).get()


def event_rows(key: SessionKey) -> list[Event]:
    """The session's whole log, genesis included."""
    return list(Event.objects.filter(session=session_row(key)).order_by("seq"))
