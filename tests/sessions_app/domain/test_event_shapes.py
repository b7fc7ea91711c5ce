"""What an event must look like: F1, F3 and design.md 2.1. A refusal names the path as the caller wrote it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_project.shared.errors import Invalid
from sessions_app.domain.adk_schema import MODELS

from .json_trees import trees
from .reading import read


def refused(event: Any) -> tuple[str, str]:
    with pytest.raises(Invalid) as caught:
        read(event)
    (broken,) = caught.value.fields
    return broken.field, broken.rule


@pytest.mark.parametrize(
    ("event", "field", "names"),
    [
        ({"invocationId": "a", "invocation_id": "a"}, "event.invocation_id", ("invocationId", "invocation_id")),
        ({"actions": {"state_delta": {}, "stateDelta": {}}}, "event.actions.stateDelta", ("stateDelta", "state_delta")),
        (
            {"content": {"parts": [{"inline_data": {}}, {"inlineData": {}, "inline_data": {}}]}},
            "event.content.parts[1].inline_data",
            ("inlineData", "inline_data"),
        ),
    ],
)
def test_a_field_in_both_spellings_is_refused_by_both_names(event: Any, field: str, names: tuple[str, str]) -> None:
    where, rule = refused(event)
    assert where == field
    assert all(name in rule for name in names)


@pytest.mark.parametrize("name", ["state", "message", "route", "node_path", "nodePath", "seq"])
@pytest.mark.parametrize("value", [None, "x", {"a": 1}])
def test_names_that_would_change_an_event_when_read_are_refused(name: str, value: object) -> None:
    assert refused({"id": "e", name: value})[0] == f"event.{name}"


def test_the_same_names_further_down_are_fine() -> None:
    read(
        {"actions": {"route": "left", "stateDelta": {"state": 1, "message": 2, "seq": 3}}, "customMetadata": {"seq": 1}}
    )


@pytest.mark.parametrize(
    ("event", "field", "rule"),
    [
        ([], "event", "must be an object"),
        (None, "event", "must be an object"),
        ('"hello"', "event", "must be an object"),
        ({"content": "hello"}, "event.content", "must be an object"),
        ({"content": []}, "event.content", "must be an object"),
        ({"content": {"parts": {}}}, "event.content.parts", "must be a list"),
        ({"content": {"parts": ["hello"]}}, "event.content.parts[0]", "must be an object"),
        ({"content": {"parts": [{}, None]}}, "event.content.parts[1]", "must be an object"),
        ({"content": {"parts": [{"function_call": 1}]}}, "event.content.parts[0].function_call", "must be an object"),
        (
            {"content": {"parts": [{"functionCall": {"args": []}}]}},
            "event.content.parts[0].functionCall.args",
            "must be an object",
        ),
        ({"actions": None}, "event.actions", "must be an object"),
        ({"actions": []}, "event.actions", "must be an object"),
        ({"actions": {"state_delta": None}}, "event.actions.state_delta", "must be an object"),
        ({"actions": {"stateDelta": [["a", 1]]}}, "event.actions.stateDelta", "must be an object"),
        ({"actions": {"artifactDelta": "f"}}, "event.actions.artifactDelta", "must be an object"),
        ({"actions": {"compaction": True}}, "event.actions.compaction", "must be an object"),
        (
            {"actions": {"compaction": {"compactedContent": None}}},
            "event.actions.compaction.compactedContent",
            "must be an object",
        ),
        ({"actions": {"rewindBeforeInvocationId": 5}}, "event.actions.rewindBeforeInvocationId", "must be a string"),
        ({"actions": {"rewind_before_invocation_id": "a\n"}}, "event.actions.rewind_before_invocation_id", "control"),
        (
            {"actions": {"requestedAuthConfigs": {"a b": {"authScheme": 1}}}},
            'event.actions.requestedAuthConfigs["a b"].authScheme',
            "object",
        ),
        ({"custom_metadata": []}, "event.custom_metadata", "must be an object"),
        ({"nodeInfo": "a/b"}, "event.nodeInfo", "must be an object"),
        ({"longRunningToolIds": "a"}, "event.longRunningToolIds", "must be a list"),
        ({"long_running_tool_ids": ["a", 1]}, "event.long_running_tool_ids[1]", "must be a string"),
        ({"id": 5}, "event.id", "must be a string"),
        ({"id": "x" * 256}, "event.id", "at most 255"),
        ({"id": ".."}, "event.id", "must not be"),
        ({"author": None}, "event.author", "must be a string"),
        ({"author": 1}, "event.author", "must be a string"),
        ({"author": "x" * 256}, "event.author", "at most 255"),
        ({"invocationId": 1.5}, "event.invocationId", "must be a string"),
        ({"invocation_id": ["a"]}, "event.invocation_id", "must be a string"),
        ({"branch": "x" * 1025}, "event.branch", "at most 1024"),
        ({"branch": True}, "event.branch", "must be a string"),
        ({"timestamp": "1700000000"}, "event.timestamp", "must be epoch seconds as a number"),
        ({"timestamp": "2026-01-02T03:04:05Z"}, "event.timestamp", "must be epoch seconds as a number"),
        ({"timestamp": True}, "event.timestamp", "must be epoch seconds as a number"),
        ({"timestamp": [1]}, "event.timestamp", "must be epoch seconds as a number"),
        ({"timestamp": 10**400}, "event.timestamp", "finite"),
        ({"partial": "true"}, "event.partial", "must be true or false"),
        ({"partial": 1}, "event.partial", "must be true or false"),
    ],
)
def test_a_wrong_shape_is_refused_by_the_path_that_was_written(event: Any, field: str, rule: str) -> None:
    where, why = refused(event)
    assert where == field
    assert rule in why


@pytest.mark.parametrize("field", ["id", "author", "invocationId", "invocation_id", "branch"])
@pytest.mark.parametrize("value", ["a\u0000b", "a\nb", "a\x85b", "a\ud800"])
def test_f1_ids_and_names_refuse_nul_control_characters_and_surrogates(field: str, value: str) -> None:
    assert refused({field: value})[0] == f"event.{field}"


@pytest.mark.parametrize(
    "where",
    ['"timestamp":{}', '"actions":{"stateDelta":{"n":{}}}', '"content":{"parts":[{"functionCall":{"args":{"n":{}}}}]}'],
)
@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_f3_no_number_is_stored_that_cannot_be_read_again(where: str, word: str) -> None:
    with pytest.raises(Invalid):
        read("{" + where.replace("{}", word) + "}")


own_names = st.sampled_from(
    sorted({name for fields in MODELS.values() for snake, (camel, *_) in fields.items() for name in (snake, camel)})
)
likely_trees = st.recursive(
    trees, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(own_names, inner, max_size=4), max_leaves=12
)
likely_events = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("content", "actions", "id", "timestamp", "partial", "branch", "usage_metadata"), likely_trees
    ),
)


@given(likely_events | likely_trees)
def test_any_json_is_stored_whole_or_refused_by_path(event: Any) -> None:
    try:
        draft = read(json.dumps(event))
    except Invalid as error:
        assert error.fields[0].field.startswith("event")
    else:
        assert read(draft.body).body == draft.body
