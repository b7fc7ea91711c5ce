"""The records that the server itself writes: D3, D5 and design.md 2.2."""

import json
from typing import Any

import pytest
from google.adk.events.event import Event

from adk_project.shared.errors import Invalid
from sessions_app.domain.event_body import EventDraft, genesis_body, genesis_draft, state_event
from sessions_app.domain.json_text import digest, parse_json
from sessions_app.domain.state import ScopedDelta, ScopedKeys, fold, read_record


def write_state(**changes: Any) -> EventDraft:
    return state_event(
        event_id="e-9",
        invocation_id="i-9",
        timestamp=1700000000.25,
        delta=parse_json(json.dumps(changes.get("delta", {}))),
        removed_keys=parse_json(json.dumps(changes.get("removed_keys"))),
    )


def test_a_state_write_is_an_event_that_adk_can_read() -> None:
    draft = write_state(
        delta={"ui": "dark", "user:a": None, "temp:t": "abc"}, removed_keys=["b", "app:c", "temp:t2", "b"]
    )
    assert draft.kind == "state"
    assert draft.author == "user"
    assert draft.state == ScopedDelta({"ui": '"dark"'}, {"a": "null"}, {})
    assert draft.removed == ScopedKeys(("b",), (), ("c",))
    assert draft.body == (
        '{"id":"e-9","invocationId":"i-9","author":"user","timestamp":1700000000.25,'
        '"actions":{"stateDelta":{"ui":"dark","user:a":null,"b":null,"app:c":null}},"removedKeys":["b","app:c"]}'
    )
    event = Event.model_validate_json(draft.body)
    assert event.actions.state_delta == {"ui": "dark", "user:a": None, "b": None, "app:c": None}
    assert draft.digest == digest(parse_json(draft.body))


def test_d3_the_fold_removes_what_a_state_write_removed() -> None:
    first = write_state(delta={"a": 1, "b": 2})
    second = write_state(delta={"c": None}, removed_keys=["a"])
    state = fold([read_record(1, first.kind, first.body), read_record(2, second.kind, second.body)])
    assert {key: item.value_text for key, item in state.items()} == {"b": "2", "c": "null"}


def test_a_state_write_without_removals_has_no_list_of_them() -> None:
    assert "removedKeys" not in write_state(delta={"a": 1}).body
    assert "removedKeys" not in write_state(delta={"a": 1}, removed_keys=["temp:x"]).body


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"delta": []}, "stateDelta"),
        ({"delta": None}, "stateDelta"),
        ({"removed_keys": "a"}, "removeKeys"),
        ({"removed_keys": {"a": 1}}, "removeKeys"),
        ({"removed_keys": ["a", 1]}, "removeKeys[1]"),
        ({"delta": {"a": 1}, "removed_keys": ["a"]}, "removeKeys"),
    ],
)
def test_a_state_write_is_checked(changes: dict, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        write_state(**changes)
    assert caught.value.fields[0].field.startswith(field)


def test_d5_the_state_given_at_creation_is_a_record_of_the_log() -> None:
    body, state = genesis_body(parse_json('{"region":"north","n":1.00,"user:a":1,"app:b":null,"temp:token":"abc"}'))
    assert body == '{"actions":{"stateDelta":{"region":"north","n":1.00,"user:a":1,"app:b":null}}}'
    assert state == ScopedDelta({"region": '"north"', "n": "1.00"}, {"a": "1"}, {"b": "null"})
    assert read_record(0, "genesis", body).delta == state.session


def test_creation_without_state_has_an_empty_record() -> None:
    assert genesis_body(None) == genesis_body({}) == ('{"actions":{"stateDelta":{}}}', ScopedDelta())


@pytest.mark.parametrize("state", ["[]", '"a"', "1", "true"])
def test_the_state_given_at_creation_must_be_an_object(state: str) -> None:
    with pytest.raises(Invalid) as caught:
        genesis_body(parse_json(state), field="state")
    assert caught.value.fields[0].field == "state"


def test_the_first_record_has_an_id_that_no_event_can_have() -> None:
    draft = genesis_draft(parse_json('{"b":1.0,"a":null,"app:x":2,"temp:token":"abc"}'), timestamp=5.5)
    assert (draft.event_id, draft.kind, draft.timestamp) == ("", "genesis", 5.5)
    assert "abc" not in repr(draft)
    assert draft.digest == digest(parse_json(draft.body))
    assert draft.digest == genesis_draft(parse_json('{"app:x":2e0,"a":null,"b":1}'), timestamp=6.5).digest


def test_a_draft_says_what_it_changes_in_each_scope() -> None:
    draft = write_state(delta={"a": None, "user:b": 1}, removed_keys=["c", "app:d"])
    assert draft.changes("session") == {"a": "null", "c": None}
    assert draft.changes("user") == {"b": "1"}
    assert draft.changes("app") == {"d": None}
