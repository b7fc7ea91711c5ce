"""An event as it was sent becomes an event as it is stored: one spelling, no ``temp:`` keys, the rest untouched."""

from dataclasses import dataclass, field
from typing import Literal

from adk_project.shared.errors import FieldError, Invalid, invalid_field

from .event_fields import expect_list, expect_object, members_of, rename_fields, written_path
from .json_text import Json, JsonNumber, dump_json, is_string, join_path, number, parse_stored
from .json_text import digest as digest_json
from .keys import FORBIDDEN_CHARACTERS, MAX_ID_LENGTH, optional_id
from .state import (
    COMPACTION,
    CONVERSATION,
    GENESIS,
    REWIND,
    STATE,
    ScopedDelta,
    ScopedKeys,
    split_delta,
    split_key,
    split_keys,
)

MAX_BRANCH_LENGTH = 1024
STATE_AUTHOR = "user"

# ADK rewrites these input names into other fields, so a stray one would change state or content when an agent reads it.
_INSTEAD_OF = {
    "state": "actions.stateDelta",
    "message": "content",
    "route": "actions.route",
    "node_path": "nodeInfo.path",
    "nodePath": "nodeInfo.path",
}


class PartialEvent(Invalid):
    """A partial event is never stored."""

    code = "partial_event"


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event ready to be stored. ``body`` is its JSON text; ``digest`` is that of the event without defaults."""

    event_id: str
    kind: str
    invocation_id: str
    author: str
    branch: str | None
    timestamp: float
    body: str
    digest: bytes
    state: ScopedDelta
    removed: ScopedKeys = field(default_factory=ScopedKeys)

    def changes(self, scope: Literal["session", "user", "app"]) -> dict[str, str | None]:
        """What the event does to one scope: key without prefix -> the value's JSON text, or None to remove the key."""
        values: dict[str, str | None] = getattr(self.state, scope)
        return values | dict.fromkeys(getattr(self.removed, scope))


def read_event(tree: Json, *, field: str, default_id: str, default_timestamp: float) -> EventDraft:
    """The draft of an event that a caller sent. The tree is left as it is.

    The digest is taken before the defaults are added, so that a retry without a timestamp is still the same event.

    Raises Invalid with the path of what is wrong, and PartialEvent.
    """
    if not isinstance(tree, dict):
        raise invalid_field(field, "must be an object")
    _refuse_reserved_names(tree, field)
    event = rename_fields(tree, "Event", field)
    _refuse_partial(event, field)
    actions = _read_actions(event, tree, field)
    invocation_id, author, branch = _read_labels(event, tree, field)
    _check_tool_ids(event.get("longRunningToolIds"), written_path(tree, "Event", "longRunningToolIds", field))
    event_id = _take_id(event, field)
    timestamp = _take_timestamp(event, field)
    sent_digest = digest_json(event)
    if event_id is None:
        event["id"] = event_id = default_id
    if timestamp is None:
        event["timestamp"], timestamp = JsonNumber(repr(default_timestamp)), default_timestamp
    return EventDraft(
        event_id=event_id,
        kind=_kind_of(actions),
        invocation_id=invocation_id,
        author=author,
        branch=branch,
        timestamp=timestamp,
        body=dump_json(event),
        digest=sent_digest,
        state=split_delta(members_of(actions.get("stateDelta"))),
    )


def state_event(
    *,
    event_id: str,
    invocation_id: str,
    timestamp: float,
    delta: Json,
    removed_keys: Json = None,
    delta_field: str = "stateDelta",
    removed_field: str = "removeKeys",
) -> EventDraft:
    """The ADK event of a state-only write. ADK reads a removed key as null, and the fold removes it.

    Raises Invalid for a delta that is no object, for keys that are no list of strings, and for a key in both.
    """
    kept = _without_temporary(expect_object(delta, delta_field))
    removed = _read_removed_keys(removed_keys, removed_field)
    if not kept.keys().isdisjoint(removed):
        raise invalid_field(removed_field, f"has a key that {delta_field} sets")
    event: dict[str, Json] = {
        "id": event_id,
        "invocationId": invocation_id,
        "author": STATE_AUTHOR,
        "timestamp": JsonNumber(repr(timestamp)),
        "actions": {"stateDelta": kept | dict.fromkeys(removed)},
    }
    if removed:
        event["removedKeys"] = list[Json](removed)
    return EventDraft(
        event_id=event_id,
        kind=STATE,
        invocation_id=invocation_id,
        author=STATE_AUTHOR,
        branch=None,
        timestamp=timestamp,
        body=dump_json(event),
        digest=digest_json(event),
        state=split_delta(kept),
        removed=split_keys(removed),
    )


def genesis_body(state: Json, *, field: str = "state") -> tuple[str, ScopedDelta]:
    """The body of the record at seq 0 and the state given at creation, by scope. None is an empty state."""
    kept = _without_temporary({} if state is None else expect_object(state, field))
    return dump_json({"actions": {"stateDelta": kept}}), split_delta(kept)


def genesis_draft(state: Json, *, timestamp: float, field: str = "state") -> EventDraft:
    """The first record of a log, with the state given at creation. Its id is blank, which no event's can be."""
    body, scoped = genesis_body(state, field=field)
    return EventDraft(
        event_id="",
        kind=GENESIS,
        invocation_id="",
        author="",
        branch=None,
        timestamp=timestamp,
        body=body,
        digest=digest_json(parse_stored(body)),
        state=scoped,
    )


def _refuse_reserved_names(tree: dict[str, Json], path: str) -> None:
    for name, instead in _INSTEAD_OF.items():
        if name in tree:
            raise invalid_field(f"{path}.{name}", f"is not a field of a stored event; use {instead}")
    if "seq" in tree:
        raise invalid_field(f"{path}.seq", "is given by the server")


def _refuse_partial(event: dict[str, Json], path: str) -> None:
    partial = event.get("partial")
    if partial is True:
        rule = "is never stored; send the whole event when it is complete"
        raise PartialEvent(f"{path}.partial: {rule}", fields=(FieldError(f"{path}.partial", rule),))
    # ADK reads 1 and "true" as true, so only the two plain words can be told apart for sure.
    if partial not in (None, False):
        raise invalid_field(f"{path}.partial", "must be true or false")


def _read_actions(event: dict[str, Json], tree: dict[str, Json], path: str) -> dict[str, Json]:
    """The event's actions, from which the temporary keys are cut in place."""
    actions = members_of(event.get("actions"))
    if "stateDelta" in actions:
        actions["stateDelta"] = _without_temporary(members_of(actions["stateDelta"]))
    target = actions.get("rewindBeforeInvocationId")
    if target is not None:
        place = written_path(tree["actions"], "EventActions", "rewindBeforeInvocationId", f"{path}.actions")
        _check_label(target, place, MAX_ID_LENGTH)
    return actions


def _kind_of(actions: dict[str, Json]) -> str:
    if actions.get("compaction") is not None:
        return COMPACTION
    return CONVERSATION if actions.get("rewindBeforeInvocationId") is None else REWIND


def _read_labels(event: dict[str, Json], tree: dict[str, Json], path: str) -> tuple[str, str, str | None]:
    """Invocation id, author and branch."""
    invocation_path = written_path(tree, "Event", "invocationId", path)
    invocation_id = _check_label(event.get("invocationId", ""), invocation_path, MAX_ID_LENGTH)
    author = _check_label(event.get("author", ""), f"{path}.author", MAX_ID_LENGTH)
    branch = event.get("branch")
    return invocation_id, author, None if branch is None else _check_label(branch, f"{path}.branch", MAX_BRANCH_LENGTH)


def _check_label(value: Json, path: str, max_length: int) -> str:
    if not is_string(value):
        raise invalid_field(path, "must be a string")
    if len(value) > max_length:
        raise invalid_field(path, f"must have at most {max_length} characters")
    if FORBIDDEN_CHARACTERS.search(value):
        raise invalid_field(path, "must not contain control characters, NUL or lone surrogates")
    return value


def _check_tool_ids(value: Json, path: str) -> None:
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if not is_string(each):
            raise invalid_field(join_path(path, index), "must be a string")


def _take_id(event: dict[str, Json], path: str) -> str | None:
    """The id that was sent, trimmed in the event too; a blank one is taken out."""
    event_id = optional_id(event.get("id"), f"{path}.id")
    if event_id is None:
        event.pop("id", None)
    else:
        event["id"] = event_id
    return event_id


def _take_timestamp(event: dict[str, Json], path: str) -> float | None:
    """The timestamp that was sent; a null one is taken out."""
    value = event.get("timestamp")
    if value is None:
        event.pop("timestamp", None)
        return None
    if not isinstance(value, JsonNumber):
        raise invalid_field(f"{path}.timestamp", "must be epoch seconds as a number")
    return number(value, f"{path}.timestamp")


def _without_temporary(delta: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in delta.items() if split_key(key)[0] != "temp"}


def _read_removed_keys(value: Json, path: str) -> list[str]:
    """The keys in order, each once, without the temporary ones, which are never stored."""
    keys: dict[str, None] = {}
    for index, key in enumerate([] if value is None else expect_list(value, path)):
        if not is_string(key):
            raise invalid_field(join_path(path, index), "must be a string")
        if split_key(key)[0] != "temp":
            keys[key] = None
    return list(keys)
