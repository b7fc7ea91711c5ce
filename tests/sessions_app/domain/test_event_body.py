"""What becomes of an event between the request and the table: D2, F1, F3, F4, F7, S7, S9, S10 and design.md 2.1."""

import base64
import json
from typing import Any

import pytest
from google.adk.events.event import Event
from hypothesis import given, settings

from sessions_app.domain.event_body import read_event
from sessions_app.domain.json_text import digest, parse_json
from sessions_app.domain.state import ScopedDelta, ScopedKeys

from .adk_events import events, fill
from .reading import read


def test_a_draft_has_the_columns_and_the_body() -> None:
    draft = read(
        '{"id":"e-1","timestamp":1700000000.1234567,"invocationId":"i-1","author":"agent","branch":"a.b",'
        '"content":{"role":"model","parts":[{"text":"hi"}]},'
        '"actions":{"stateDelta":{"k":1.00,"user:lang":"fr","app:flag":null,"temp:t":1},"artifactDelta":{"f":0}}}'
    )
    assert (draft.event_id, draft.kind, draft.invocation_id, draft.author, draft.branch) == (
        "e-1",
        "conversation",
        "i-1",
        "agent",
        "a.b",
    )
    assert draft.timestamp == 1700000000.1234567
    assert draft.state == ScopedDelta({"k": "1.00"}, {"lang": '"fr"'}, {"flag": "null"})
    assert draft.removed == ScopedKeys()
    assert draft.body == (
        '{"id":"e-1","timestamp":1700000000.1234567,"invocationId":"i-1","author":"agent","branch":"a.b",'
        '"content":{"role":"model","parts":[{"text":"hi"}]},'
        '"actions":{"stateDelta":{"k":1.00,"user:lang":"fr","app:flag":null},"artifactDelta":{"f":0}}}'
    )
    assert draft.digest == digest(parse_json(draft.body))


@given(events)
@settings(max_examples=60)
def test_f7_both_spellings_of_a_real_adk_event_are_one_stored_event(event: Event) -> None:
    camel = read(event.model_dump_json(by_alias=True, exclude_none=True))
    snake = read(event.model_dump_json(by_alias=False, exclude_none=True))
    assert camel == snake


@given(events)
@settings(max_examples=60)
def test_adk_reads_the_stored_body_as_the_event_that_was_sent(event: Event) -> None:
    draft = read(event.model_dump_json(by_alias=True, exclude_none=True))
    sent = event.model_dump(mode="json", by_alias=True, exclude_none=True)
    sent["actions"]["stateDelta"] = {
        key: value for key, value in sent["actions"]["stateDelta"].items() if not key.startswith("temp:")
    }
    assert json.loads(draft.body) == sent
    stored = Event.model_validate_json(draft.body)
    assert stored.model_dump(mode="json", by_alias=True, exclude_none=True) == sent
    assert (stored.id, stored.timestamp, stored.author) == (draft.event_id, draft.timestamp, draft.author)


@given(events)
@settings(max_examples=30)
def test_reading_leaves_the_tree_as_it_is_and_a_stored_body_stays(event: Event) -> None:
    text = event.model_dump_json(by_alias=False, exclude_none=False)
    tree = parse_json(text)
    draft = read_event(tree, field="event", default_id="d", default_timestamp=1.0)
    assert tree == parse_json(text)
    assert read(draft.body) == draft


@pytest.mark.parametrize("extra", [None, "x_new"])
def test_f7_every_field_of_the_installed_adk_is_kept_in_one_spelling(extra: str | None) -> None:
    camel, snake = fill(Event, by_alias=True, extra=extra), fill(Event, by_alias=False, extra=extra)
    assert camel != snake
    assert json.loads(read(snake).body) == camel
    assert read(snake) == read(camel)


def test_f7_unknown_fields_and_empty_values_are_kept() -> None:
    event = {
        "id": "e",
        "timestamp": 1.5,
        "x_new": {"a": [1]},
        "content": {
            "parts": [{"text": "", "x_new": {"a_b": []}}, {"functionCall": {"args": {"n": None, "z": 0, "f": False}}}]
        },
        "customMetadata": {},
        "errorMessage": "",
        "turnComplete": False,
        "longRunningToolIds": [],
        "actions": {"x_new": None, "stateDelta": {}},
    }
    assert json.loads(read(event).body) == event


def test_an_optional_null_is_kept() -> None:
    event = {
        "id": "e",
        "timestamp": 1,
        "content": None,
        "branch": None,
        "partial": None,
        "actions": {"compaction": None},
    }
    draft = read(event)
    assert json.loads(draft.body) == event
    assert (draft.branch, draft.kind) == (None, "conversation")


@pytest.mark.parametrize(
    "field",
    [
        "stateDelta",
        "state_delta",
        "artifactDelta",
        "agentState",
        "setModelResponse",
        "customMetadata",
        "output",
        "args",
        "response",
    ],
)
def test_free_values_are_never_renamed(field: str) -> None:
    value = {"state_delta": 1, "stateDelta": 2, "mime_type": {"invocation_id": 3}, "temp:x": {"temp:y": 4}}
    if field in ("customMetadata", "output"):
        draft = read({"id": "e", "timestamp": 1, field: value})
        assert json.loads(draft.body)[field] == value
    elif field in ("args", "response"):
        part = {"functionCall" if field == "args" else "functionResponse": {field: value}}
        assert json.loads(read({"content": {"parts": [part]}}).body)["content"]["parts"] == [part]
    else:
        kept = {
            key: item
            for key, item in value.items()
            if "elta" not in field or field == "artifactDelta" or key != "temp:x"
        }
        stored = json.loads(read({"actions": {field: value}}).body)["actions"]
        assert stored == {"stateDelta" if field == "state_delta" else field: kept}


def test_keys_of_maps_are_data_and_the_models_below_are_renamed() -> None:
    draft = read(
        {
            "actions": {
                "requested_auth_configs": {
                    "call_id": {"auth_scheme": {"type_": "apiKey", "in_": "query"}},
                    "other": "x",
                },
                "requested_tool_confirmations": {"tool_call": {"hint": "h", "payload": {"a_b": 1}}},
                "render_ui_widgets": [{"id": "w", "payload": {"mime_type": 1}}],
            }
        }
    )
    assert json.loads(draft.body)["actions"] == {
        "requestedAuthConfigs": {"call_id": {"authScheme": {"type": "apiKey", "in": "query"}}, "other": "x"},
        "requestedToolConfirmations": {"tool_call": {"hint": "h", "payload": {"a_b": 1}}},
        "renderUiWidgets": [{"id": "w", "payload": {"mime_type": 1}}],
    }


def test_models_that_adk_itself_writes_in_snake_case_stay() -> None:
    event = {"id": "e", "timestamp": 1, "cacheMetadata": {"cache_name": "c", "invocations_used": 1}}
    assert json.loads(read(event).body) == event


@pytest.mark.parametrize("text", [r"a\u0000b", r"\\u0000", r"\ud800", r"\udfff\ud800", r"\n\t", r"\ud83d\ude00"])
def test_f1_content_and_state_hold_anything(text: str) -> None:
    """S9: NUL, lone surrogates and the literal six characters come back as they were sent, in keys too."""
    body = (
        f'{{"id":"e","timestamp":1,"content":{{"parts":[{{"text":"{text}"}},{{"functionCall":{{"args":{{"{text}":[["{text}"]]}}}}}}]}},'
        f'"actions":{{"stateDelta":{{"{text}":"{text}"}}}},"customMetadata":{{"{text}":1}},"longRunningToolIds":["{text}"]}}'
    )
    draft = read(body)
    assert draft.body == body
    assert "\x00" not in draft.body
    assert list(draft.state.session.values()) == [f'"{text}"']


def test_s10_numbers_and_key_order_come_back_exactly() -> None:
    body = '{"timestamp":1.1234567,"id":"e","actions":{"stateDelta":{"z":1e308,"y":-0.0,"a":1180591620717411303424}}}'
    draft = read(body)
    assert draft.body == body
    assert draft.state.session == {"z": "1e308", "y": "-0.0", "a": "1180591620717411303424"}


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_f4_bytes_stay_as_they_were_sent(encode: Any) -> None:
    data = encode(b"\xfb\xff\xfe").decode()
    event = {"id": "e", "timestamp": 1, "content": {"parts": [{"inlineData": {"data": data, "mimeType": "image/png"}}]}}
    stored = Event.model_validate_json(read(event).body)
    assert json.loads(read(event).body) == event
    assert stored.content.parts[0].inline_data.data == b"\xfb\xff\xfe"  # type: ignore[union-attr,index]


# Temporary keys.


@pytest.mark.parametrize("name", ["stateDelta", "state_delta"])
def test_d2_temporary_values_are_nowhere(name: str) -> None:
    draft = read({"actions": {name: {"temp:token": "abc", "temp:": "abc", "k": 1}}})
    assert "abc" not in repr(draft)
    assert json.loads(draft.body)["actions"] == {"stateDelta": {"k": 1}}
    assert draft.state == ScopedDelta({"k": "1"})


def test_d2_only_the_top_level_of_the_delta_is_cut() -> None:
    event = {
        "id": "e",
        "timestamp": 1,
        "content": {"parts": [{"functionCall": {"args": {"temp:a": 1}}}]},
        "actions": {"stateDelta": {"d": {"temp:a": 1}, "user:temp:a": 1, "TEMP:a": 1}, "agentState": {"temp:a": 1}},
        "customMetadata": {"temp:a": 1},
    }
    assert json.loads(read(event).body) == event


def test_d2_a_temporary_value_does_not_make_another_event() -> None:
    one = read({"id": "e", "actions": {"stateDelta": {"k": 1, "temp:t": 1}}})
    assert one.digest == read({"id": "e", "actions": {"stateDelta": {"k": 1}}}).digest
