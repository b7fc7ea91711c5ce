"""Ids, digests and kinds: B1 (the same event sent again) and the defaults of what was left out."""

import json

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.event_body import PartialEvent, read_event
from sessions_app.domain.state import ScopedDelta, ScopedKeys, read_record

from .reading import read


def test_an_id_and_a_timestamp_are_added_when_absent() -> None:
    draft = read({"author": "user"}, default_id="d-1", default_timestamp=1700000000.0)
    assert (draft.event_id, draft.timestamp) == ("d-1", 1700000000.0)
    assert draft.body == '{"author":"user","id":"d-1","timestamp":1700000000.0}'


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_id_and_a_null_timestamp_are_absent(blank: object) -> None:
    draft = read({"id": blank, "timestamp": None, "author": "user"})
    assert json.loads(draft.body) == {"id": "made-id", "timestamp": 1700000000.5, "author": "user"}
    assert draft.digest == read({"author": "user"}).digest


def test_an_id_is_trimmed_in_the_body_too() -> None:
    draft = read({"id": " e-1 ", "timestamp": 1})
    assert draft.event_id == "e-1"
    assert draft == read({"id": "e-1", "timestamp": 1})


def test_absent_labels_are_empty() -> None:
    draft = read({})
    assert (draft.invocation_id, draft.author, draft.branch) == ("", "", None)
    assert draft.state == ScopedDelta()


def test_a_retry_without_a_timestamp_is_the_same_event() -> None:
    first, again = read({"id": "e"}, default_timestamp=1.0), read({"id": "e"}, default_timestamp=2.0)
    assert first.digest == again.digest
    assert first.body != again.body


@pytest.mark.parametrize(
    "other",
    [
        '{"actions": {"state_delta": {"b": 2.0, "a": 1}}, "id":"e"}',
        '{"id":"\\u0065","actions":{"stateDelta":{"a":1.00,"b":2}}}',
        '{"id":" e ","timestamp":null,"actions":{"stateDelta":{"temp:x":0,"a":1e0,"b":2}}}',
    ],
)
def test_another_spelling_is_the_same_event(other: str) -> None:
    assert read(other).digest == read('{"id":"e","actions":{"stateDelta":{"a":1,"b":2}}}').digest


@pytest.mark.parametrize(
    "other",
    [
        '{"id":"e","actions":{"stateDelta":{"a":1,"b":-0.0}}}',
        '{"id":"e","actions":{"stateDelta":{"a":1,"b":null}}}',
        '{"id":"e","actions":{"stateDelta":{"a":1}}}',
        '{"id":"e","actions":{"stateDelta":{"a":1,"b":0}},"author":"x"}',
        '{"id":"e","actions":{"stateDelta":{"a":1,"b":0}},"timestamp":5}',
        '{"id":"e","actions":{"stateDelta":{"a":1,"b":0}},"x_new":null}',
    ],
)
def test_another_value_is_another_event(other: str) -> None:
    assert read(other).digest != read('{"id":"e","actions":{"stateDelta":{"a":1,"b":0}}}').digest


# Kinds.


@pytest.mark.parametrize(
    ("actions", "kind"),
    [
        ({}, "conversation"),
        ({"compaction": None, "rewindBeforeInvocationId": None}, "conversation"),
        ({"rewind_before_invocation_id": "i-1"}, "rewind"),
        ({"rewindBeforeInvocationId": ""}, "rewind"),
        ({"compaction": {"start_timestamp": 1, "end_timestamp": 2, "compacted_content": {}}}, "compaction"),
        ({"compaction": {}, "rewindBeforeInvocationId": "i"}, "compaction"),
    ],
)
def test_the_kind_follows_from_the_actions(actions: dict, kind: str) -> None:
    assert read({"actions": actions}).kind == kind
    assert read({}).kind == "conversation"


def test_a_partial_event_is_refused_with_its_own_code() -> None:
    with pytest.raises(PartialEvent) as caught:
        read({"id": "e", "partial": True})
    assert caught.value.code == "partial_event"
    assert caught.value.fields[0].field == "event.partial"
    assert isinstance(caught.value, Invalid)
    assert read({"partial": False}).kind == "conversation"


def test_the_field_prefixes_every_path() -> None:
    with pytest.raises(Invalid) as caught:
        read_event({"content": True}, field="events[3]", default_id="d", default_timestamp=1.0)
    assert caught.value.fields[0].field == "events[3].content"


def test_a_client_cannot_remove_keys_with_a_conversation_event() -> None:
    """D3: ``removedKeys`` is an unknown field in an event from a caller: kept, and without effect."""
    draft = read({"id": "e", "timestamp": 1, "removedKeys": ["a"], "actions": {"stateDelta": {"b": 1}}})
    assert draft.removed == ScopedKeys()
    assert '"removedKeys":["a"]' in draft.body
    assert read_record(1, draft.kind, draft.body).removed_keys == ()
