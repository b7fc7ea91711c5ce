"""Reading events that a newer ADK wrote: one unknown field must not make a whole session unreadable."""

import logging
from collections.abc import Sequence
from typing import Any

from google.adk.events.event import Event
from pydantic import ValidationError

logger = logging.getLogger(__name__)

# ADK rewrites these input-only names into content, state and route; in a stored event they can only be a mistake.
_CONVENIENCE_KEYS = ("message", "state", "route", "node_path")
_SKELETON = ("id", "invocationId", "author", "timestamp", "branch")
_MAX_ROUNDS = 8
_warned: set[str] = set()


def read_event(raw: dict[str, Any]) -> Event:
    """An ADK event from its JSON form. Whatever this ADK cannot place is left out, with one warning per kind."""
    data = {key: value for key, value in raw.items() if key not in _CONVENIENCE_KEYS}
    for _ in range(_MAX_ROUNDS):
        try:
            return Event.model_validate(data)
        except ValidationError as refused:
            errors = refused.errors(include_url=False, include_input=False, include_context=False)
        data = _copy(data)
        if not _remove_all(data, [error["loc"] for error in errors]):
            break
    return _skeleton(raw)


def _skeleton(raw: dict[str, Any]) -> Event:
    """The last resort keeps an event's place, author and effect on state."""
    _warn("an event this ADK cannot read; it is shown without content")
    delta = (raw.get("actions") or {}).get("stateDelta")
    event = Event.model_validate({key: raw[key] for key in _SKELETON if key in raw})
    event.actions.state_delta = delta if isinstance(delta, dict) else {}
    return event


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _remove_all(data: dict[str, Any], places: list[tuple[int | str, ...]]) -> bool:
    """Removes what each place names. All are looked up first: one error per branch of a union names the same field
    again.
    """
    found = [_find(data, place) for place in places]
    for holder, key, name in found:
        holder.pop(key, None)
        _warn(f"the field {name}" if name else "something")
    return bool(found) and all(name for _, _, name in found)


def _find(data: dict[str, Any], place: Sequence[int | str]) -> tuple[dict[str, Any], Any, str]:
    """The deepest dict entry that ``place`` reaches; steps that name a branch of a union exist in no dict and are
    passed over.
    """
    holder, key, names = {}, None, []
    node: Any = data
    for step in place:
        if isinstance(node, dict) and step in node:
            holder, key, node = node, step, node[step]
            names.append(str(step))
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[step]
    return holder, key, ".".join(names)


def _warn(what: str) -> None:
    if what not in _warned:
        _warned.add(what)
        logger.warning(
            "The stored session holds %s, unknown to this version of google-adk: left out here, kept on the server.",
            what,
        )
