"""What travels: events and state as JSON text, sessions and events as ADK objects.

The wire is pure ASCII (everything else is escaped), so a lone surrogate or U+0000 that a model produced survives both
ways.
"""

import json
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.adk.sessions.state import State

from threefold.jsonsafe import check_event_value, event_fallback_json, join, to_json
from threefold.tolerant import read_event

# Model providers do report -inf log probabilities: they are sent as null, as ADK itself would, and do not end the turn.
_MAY_BE_NON_FINITE = ("avg_logprobs", "logprobs_result")
_STATE_DELTA = {"actions": {"state_delta"}}


def encode(body: Any) -> bytes:
    """JSON text in ASCII. Raises ValueError without quoting the value that does not fit."""
    try:
        return json.dumps(body, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError):
        refusal = "The request holds a value that is not JSON (NaN, infinite, or nested too deeply)."
    raise ValueError(refusal)


def is_temp(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(State.TEMP_PREFIX)


def state_to_wire(state: dict[str, Any], name: str = "state") -> dict[str, Any]:
    """The JSON form of ``state`` without its ``temp:`` keys, whose values are never looked at.

    Raises ValueError naming the key whose value is not JSON.
    """
    lasting = {key: value for key, value in state.items() if not is_temp(key)}
    try:
        wire: dict[str, Any] = to_json(lasting, name)
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply") from None
    return wire


def event_to_wire(event: Event) -> dict[str, Any]:
    """The JSON form of an event, camelCase, without absent fields and ``temp:`` keys. ``event`` itself is not touched.

    Raises ValueError naming the field or state key that is not JSON.
    """
    delta = state_to_wire(event.actions.state_delta, "event.actions.state_delta")
    try:
        wire = _dump(event, has_surrogate_key=_check(event))
    except RecursionError:
        raise ValueError("event: nested too deeply") from None
    wire["actions"] = {"stateDelta": delta, **wire.get("actions", {})}
    return wire


def session_from_wire(body: dict[str, Any]) -> Session:
    """An ADK session, its revision set as the marker that every later append sends back. Fields ADK does not know are
    left out.
    """
    session = Session(
        id=body["id"],
        app_name=body["appName"],
        user_id=body["userId"],
        state=body.get("state") or {},
        events=[read_event(event) for event in body.get("events") or []],
        last_update_time=body.get("lastUpdateTime") or 0.0,
    )
    session._storage_update_marker = str(body["revision"])
    return session


def revision_of(session: Session) -> int | None:
    """The revision this session was read at; None for one that did not come from Threefold."""
    marker = session._storage_update_marker
    return int(marker) if marker is not None and marker.isdecimal() and marker.isascii() else None


def _check(event: Event) -> bool:
    found = False
    for name, value in event.__dict__.items():
        if name in _MAY_BE_NON_FINITE:
            continue
        if name == "actions":
            rest = {key: item for key, item in value.__dict__.items() if key != "state_delta"}
            value = rest
        found = check_event_value(value, join("event", name)) or found
    return found


def _dump(event: Event, *, has_surrogate_key: bool) -> dict[str, Any]:
    """JSON mode replaces a lone surrogate in a dict key by U+FFFD without a word, so that case takes the longer way."""
    if has_surrogate_key:
        raw = event.model_dump(mode="python", by_alias=True, exclude_none=True, exclude=_STATE_DELTA)
        for name in ("avgLogprobs", "logprobsResult"):
            raw[name] = _without_non_finite(raw.get(name))
        wire: dict[str, Any] = event_fallback_json(raw, "event")
        return {key: value for key, value in wire.items() if value is not None}
    wire = event.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=_STATE_DELTA)
    for name in ("avgLogprobs", "logprobsResult"):
        if name in wire:
            wire[name] = _without_non_finite(wire[name])
    return {key: value for key, value in wire.items() if value is not None}


def _without_non_finite(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, dict):
        return {key: _without_non_finite(item) for key, item in value.items()}
    return [_without_non_finite(item) for item in value] if isinstance(value, list) else value
