"""What requests say, checked: each function turns a body or a query into arguments of one service or selector."""

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from uuid_utils import uuid4, uuid7

from adk_project.shared.errors import Invalid, invalid_field
from adk_project.shared.pagination import read_limit
from adk_project.shared.wire import camel_case, read_members, read_query
from sessions_app import config
from sessions_app.domain.errors import EventTooLarge
from sessions_app.domain.event_body import EventDraft, genesis_draft, read_event, state_event
from sessions_app.domain.json_text import Json, integer
from sessions_app.domain.keys import optional_id
from sessions_app.domain.metadata import clean_expiry, clean_labels, clean_title
from sessions_app.domain.records import EventWindow
from sessions_app.models.event import EventKind

MAX_BATCH = 1000
NO_EVENTS = EventWindow(last=0)
_FACTS = ("title", "labels", "expires_at")
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?([eE][+-]?[0-9]{1,9})?")
Facts = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to create; ``session_id`` is a fresh UUIDv7 where the caller named none."""

    session_id: str
    genesis: EventDraft
    events: list[EventDraft]
    facts: Facts


def read_new_session(tree: Json, session_id: str | None = None) -> NewSession:
    """``{sessionId?, state?, events?, title?, labels?, expiresAt?}``; the id is in the path where it is given."""
    allowed = ("state", "events", *_FACTS) if session_id else ("session_id", "state", "events", *_FACTS)
    members = read_members(tree, allowed)
    now = time.time()
    return NewSession(
        session_id=session_id or optional_id(members.get("session_id"), "sessionId") or str(uuid7()),
        genesis=_genesis(members.get("state"), now),
        events=[] if members.get("events") is None else _drafts(members["events"], "events", now),
        facts=_facts(members, now),
    )


def read_bare_state(tree: Json) -> EventDraft:
    """The body of ADK's older create route: the state itself."""
    return _genesis(tree, time.time())


def read_append(tree: Json) -> tuple[EventDraft, int | None]:
    """``{event, expectedRevision?}``."""
    members = read_members(tree, ("event", "expected_revision"))
    if "event" not in members:
        raise invalid_field("event", "is required")
    return _draft(members["event"], "event", time.time()), _expected_revision(members)


def read_batch(tree: Json) -> tuple[list[EventDraft], int | None]:
    """``{events, expectedRevision?}``, 1 to 1,000 events."""
    members = read_members(tree, ("events", "expected_revision"))
    drafts = _drafts(members.get("events"), "events", time.time())
    if not 1 <= len(drafts) <= MAX_BATCH:
        raise invalid_field("events", f"must hold 1 to {MAX_BATCH} events")
    return drafts, _expected_revision(members)


def read_patch(tree: Json) -> tuple[EventDraft | None, Facts]:
    """``{stateDelta?, removeKeys?, title?, labels?, expiresAt?}``, at least one of them."""
    members = read_members(tree, ("state_delta", "remove_keys", *_FACTS))
    if not members:
        raise Invalid("The body must hold at least one of stateDelta, removeKeys, title, labels and expiresAt.")
    now = time.time()
    return _state_event(members, now), _facts(members, now)


def read_window(query: QueryDict) -> EventWindow:
    """``?numRecentEvents=&afterTimestamp=``: what ADK's GetSessionConfig says."""
    members = read_query(query, ("num_recent_events", "after_timestamp"))
    return EventWindow(
        last=_whole_number(members, "num_recent_events"),
        after_timestamp=_finite_number(members, "after_timestamp"),
    )


def read_event_page(query: QueryDict) -> tuple[int, int, list[str]]:
    """``?afterSeq=&limit=&kind=``: the seq to begin after, the page size, and the kinds, all where none is named."""
    members = read_query(query, ("after_seq", "limit"), repeated=("kind",))
    kinds = members.get("kind", [])
    for kind in kinds:
        if kind not in EventKind.values or kind == EventKind.GENESIS:
            known = ", ".join(value for value in EventKind.values if value != EventKind.GENESIS)
            raise invalid_field("kind", f"must be one of {known}")
    return _whole_number(members, "after_seq") or 0, read_limit(members.get("limit"), 100, 1000), kinds


def read_moment(value: str, field: str) -> float:
    """Epoch seconds, or an ISO 8601 time with its zone, as epoch seconds. Raises Invalid for a time without a zone."""
    if _NUMBER.fullmatch(value):
        return _finite(value, field)
    try:
        # A query string turns an unescaped plus sign of the zone into a blank.
        moment = datetime.fromisoformat(value.replace(" ", "+"))
    except ValueError:
        raise invalid_field(field, "must be epoch seconds or an ISO 8601 time with a zone") from None
    if moment.tzinfo is None:
        raise invalid_field(field, "needs a time zone, such as 2027-01-31T12:00:00Z")
    return moment.timestamp()


def _genesis(state: Json, now: float) -> EventDraft:
    return genesis_draft(state, timestamp=now)


def _drafts(events: Json, field: str, now: float) -> list[EventDraft]:
    if not isinstance(events, list):
        raise invalid_field(field, "must be a list of events")
    return [_draft(event, f"{field}[{index}]", now) for index, event in enumerate(events)]


def _draft(event: Json, field: str, now: float) -> EventDraft:
    draft = read_event(event, field=field, default_id=str(uuid4()), default_timestamp=now)
    largest = config.limits().max_event_bytes
    if len(draft.body) > largest:
        raise EventTooLarge(f"{field}: is larger than {largest} bytes, which this server accepts.", limit=largest)
    return draft


def _state_event(members: dict[str, Json], now: float) -> EventDraft | None:
    delta, removed = members.get("state_delta"), members.get("remove_keys")
    if delta is None and removed is None:
        return None
    return state_event(
        event_id=str(uuid4()),
        invocation_id=f"p-{uuid4()}",
        timestamp=now,
        delta={} if delta is None else delta,
        removed_keys=removed,
    )


def _facts(members: dict[str, Json], now: float) -> Facts:
    clean: dict[str, Callable[[Json], object]] = {
        "title": clean_title,
        "labels": clean_labels,
        "expires_at": lambda value: clean_expiry(value, now),
    }
    return {name: clean[name](members[name]) for name in _FACTS if name in members}


def _expected_revision(members: dict[str, Json]) -> int | None:
    value = members.get("expected_revision")
    return None if value is None else integer(value, "expectedRevision", minimum=0)


def _whole_number(members: Mapping[str, str], name: str) -> int | None:
    value = members.get(name)
    if value is None:
        return None
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise invalid_field(camel_case(name), "must be an integer of at least 0")
    return int(value)


def _finite_number(members: Mapping[str, str], name: str) -> float | None:
    value = members.get(name)
    return None if value is None else _finite(value, camel_case(name))


def _finite(value: str, field: str) -> float:
    if not _NUMBER.fullmatch(value) or not math.isfinite(float(value)):
        raise invalid_field(field, "must be a finite number of epoch seconds")
    return float(value)


def read_forget(query: QueryDict) -> bool:
    """``?forget=true``: whether what was made of a session goes with it."""
    value = read_query(query, ("forget",)).get("forget", "false")
    if value not in ("true", "false"):
        raise invalid_field("forget", "must be true or false")
    return value == "true"
