"""Group F: payloads."""

import json

import pytest
from django.test import override_settings

from tests.sessions_app.http_client import Api, user_path
from tests.sessions_app.services.projection import check_project
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db

NUL, ESCAPE = "a\x00b", "a\\u0000b"


def test_f1_nul_in_content_comes_back_and_an_honest_backslash_stays_itself(api: Api, session: str) -> None:
    """Users saw: a server error for one event, and the rest of the turn lost; or honest text that was changed."""
    value = {NUL: [[NUL, ESCAPE]], ESCAPE: "\ud800", "both": NUL + ESCAPE}
    parts = [{"text": NUL}, {"text": ESCAPE}, {"functionCall": {"name": "tool", "args": value}}]
    event = {
        "id": "e1",
        "content": {"parts": parts},
        "actions": {"stateDelta": {NUL: value, ESCAPE: 1, f"user:{NUL}": NUL}},
    }
    assert api.post(f"{session}/events", {"event": event}).status == 200
    assert api.patch(session, {"stateDelta": {f"app:{NUL}": value}}).status == 200

    stored = api.get(session).json
    assert stored["events"][0]["content"]["parts"] == parts
    assert stored["state"] == {NUL: value, ESCAPE: 1, f"user:{NUL}": NUL, f"app:{NUL}": value}
    assert api.patch(session, {"removeKeys": [NUL, f"user:{NUL}", f"app:{NUL}"]}).json["state"] == {ESCAPE: 1}
    check_project(session.split("/")[2])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"sessionId": NUL}, "sessionId"),
        ({"title": NUL}, "title"),
        ({"labels": {NUL: "x"}}, "labels"),
        ({"labels": {"x": NUL}}, "labels.x"),
        ({"events": [{"id": NUL}]}, "events[0].id"),
        ({"events": [{"author": NUL}]}, "events[0].author"),
        ({"events": [{"invocationId": NUL}]}, "events[0].invocationId"),
        ({"events": [{"branch": NUL}]}, "events[0].branch"),
    ],
)
def test_f1_nul_in_an_id_or_a_name_is_refused_by_its_path(api: Api, project: str, body: dict, field: str) -> None:
    """Users saw: a server error from the database where the name should have been refused."""
    with nothing_changes():
        answer = api.post(f"{user_path(project, 'ana')}/sessions", body)
    assert (answer.status, answer.fields) == (400, [field])


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_f3_a_number_that_is_not_finite_is_refused_by_its_path_and_nothing_is_stored(
    api: Api, session: str, word: str
) -> None:
    """Users saw: a server error at the write, or a row that can be written and never read again."""
    bodies = {
        f'{{"event":{{"actions":{{"stateDelta":{{"k":{word}}}}}}}}}': ("events", 'body.event.actions.stateDelta["k"]'),
        f'{{"event":{{"timestamp":{word}}}}}': ("events", "body.event.timestamp"),
        f'{{"event":{{"customMetadata":{{"a":[1,{word}]}}}}}}': ("events", 'body.event.customMetadata["a"][1]'),
        f'{{"event":{{}},"expectedRevision":{word}}}': ("events", "body.expectedRevision"),
        f'{{"events":[{{"output":{word}}}]}}': ("events:batch", "body.events[0].output"),
    }
    with nothing_changes():
        for body, (route, field) in bodies.items():
            answer = api.post(f"{session}/{route}", body)
            assert (answer.status, answer.fields) == (400, [field])
        assert api.patch(session, f'{{"stateDelta":{{"k":{word}}}}}').status == 400
        assert api.patch(session, f'{{"expiresAt":{word}}}').status == 400
        assert api.put(session, f'{{"state":{{"k":{word}}}}}').status == 400
    assert api.get(session).json["events"] == []


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "Infinity", "-inf", "1e400", "1_0", "0x1", " 1", "٣", ""])
def test_f3_the_same_words_as_text_are_no_number(api: Api, session: str, word: str) -> None:
    """Users saw: strings such as "nan" and "1e400" slip through a float field."""
    with nothing_changes():
        for body in ({"event": {"timestamp": word}}, {"event": {}, "expectedRevision": word}):
            assert api.post(f"{session}/events", body).status == 400
        assert api.patch(session, {"expiresAt": word}).status == 400
    assert api.get(f"{session}?afterTimestamp={word}").status == 400
    assert api.get(f"{session}?numRecentEvents={word}").status == 400


def test_f6_a_body_an_event_and_a_state_that_are_too_large_are_refused_with_the_limit(api: Api, session: str) -> None:
    """Users saw: a database and backups that grow without end."""
    large = {"event": {"content": {"parts": [{"inlineData": {"mimeType": "image/png", "data": "A" * 5000}}]}}}
    cases = [
        (override_settings(THREEFOLD_MAX_BODY_BYTES=4000), large, 4000),
        (override_settings(THREEFOLD_MAX_EVENT_BYTES=3000), large, 3000),
        (
            override_settings(THREEFOLD_MAX_STATE_BYTES=2000),
            {"event": {"actions": {"stateDelta": {"k": "A" * 2500}}}},
            2000,
        ),
    ]
    for limit, body, number in cases:
        with limit, nothing_changes():
            answer = api.post(f"{session}/events", body)
        assert answer.status == 413
        assert str(number) in answer.json["detail"].replace(",", "")
        assert answer.json["limit"] == number
    assert api.post(f"{session}/events", large).status == 200


def test_f6_an_attachment_is_in_no_log_and_no_list(
    api: Api, session: str, project: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Users saw: private files in the log, and lists that grew with them."""
    caplog.set_level("DEBUG")
    data = "QUJD" * 5000
    part = {"inlineData": {"mimeType": "image/png", "data": data}}
    api.post(f"{session}/events", {"event": {"id": "e1", "content": {"parts": [part]}}})
    api.post(f"{session}/events", {"event": {"id": "e1", "content": {"parts": [part]}, "author": 5}})
    assert api.get(session).json["events"][0]["content"]["parts"] == [part]
    assert data[:100] not in caplog.text
    for target in (
        f"{user_path(project, 'ana')}/sessions",
        f"/apps/{project}/sessions",
        f"{session}?numRecentEvents=0",
    ):
        assert len(api.get(target).text) < 1000


NEW_FIELDS = {
    "x_new": {"a": [1, None], "b": {}},
    "customMetadata": {"none": None, "empty": {}, "list": [], "snake_case": 1, "zero": 0, "no": False, "text": ""},
    "content": {"role": "", "parts": [{"text": "", "x_new": {"a": [1]}}]},
}


def test_f7_fields_the_server_does_not_know_and_empty_values_are_given_back(api: Api, session: str) -> None:
    """Users saw: custom metadata gone after a reload, and a remote agent that began anew at every call."""
    answer = api.post(f"{session}/events", {"event": {"id": "e1", "timestamp": 1.0, **NEW_FIELDS}})
    assert answer.status == 200
    for stored in (answer.json["event"], api.get(session).json["events"][0]):
        assert stored == {"id": "e1", "timestamp": 1.0, **NEW_FIELDS}
    [listed] = api.get(f"{session}/events").json["events"]
    assert listed == {"seq": 1, "id": "e1", "timestamp": 1.0, **NEW_FIELDS}


def test_f7_either_spelling_of_adks_own_fields_is_one_stored_event(api: Api, session: str) -> None:
    """Users saw: one event stored in two ways, and the second a conflict or a double."""
    camel = {
        "id": "e1", "invocationId": "i", "longRunningToolIds": ["t"], "customMetadata": {"snake_key": 1},
        "actions": {"stateDelta": {"some_key": {"inner_key": 1}}, "transferToAgent": "b"},
        "content": {"parts": [{"functionCall": {"id": "t", "name": "n", "args": {"arg_one": 1}}}]},
    }  # fmt: skip
    snake = {
        "id": "e1", "invocation_id": "i", "long_running_tool_ids": ["t"], "custom_metadata": {"snake_key": 1},
        "actions": {"state_delta": {"some_key": {"inner_key": 1}}, "transfer_to_agent": "b"},
        "content": {"parts": [{"function_call": {"id": "t", "name": "n", "args": {"arg_one": 1}}}]},
    }  # fmt: skip
    first = api.post(f"{session}/events", {"event": camel}).json
    with nothing_changes():
        second = api.post(f"{session}/events", {"event": snake}).json
    assert second == {**first, "repeated": True}
    assert api.get(session).json["state"] == {"some_key": {"inner_key": 1}}


def test_s8_bytes_are_text_on_the_wire_and_come_back_as_sent(api: Api, session: str) -> None:
    """Users saw: a decoding error for bytes in state. On the wire they are base64, and base64 is text."""
    for data in ("-_-_", "+/+/", "-_8", "-_8="):
        part = {"inlineData": {"mimeType": "a/b", "data": data}}
        event = {"content": {"parts": [part]}, "actions": {"stateDelta": {"b": data}}}
        stored = api.post(f"{session}/events", {"event": event}).json["event"]
        assert stored["content"]["parts"] == [part]
        assert api.get(f"{session}/state").json == {"b": data}


def test_s9_nul_and_half_characters_of_a_model_do_not_end_the_turn(api: Api, session: str) -> None:
    """Users saw: the model had answered, and the database refused a character of it."""
    text = "\x00 \ud83d \udfff \u2028 \U0001f642"
    event = {"content": {"parts": [{"text": text}]}, "actions": {"stateDelta": {"t": text}}}
    assert api.post(f"{session}/events", {"event": event}).status == 200
    assert api.get(session).json["events"][0]["content"]["parts"][0]["text"] == text
    assert api.get(session).json["state"] == {"t": text}


def test_s10_numbers_and_the_order_of_keys_come_back_as_they_were_written(api: Api, session: str) -> None:
    """Users saw: keys in another order, 1e308 as 309 digits, and -0.0 as 0.0."""
    args = '{"z":1,"y":-0.0,"a":1e308,"bb":[1.0,1.10,1E5,-0,1180591620717411303424],"deep":{"z":1,"a":null}}'
    parts = f'{{"parts":[{{"functionCall":{{"args":{args},"name":"n"}}}}]}}'
    body = f'{{"event":{{"id":"e1","timestamp":1.50,"content":{parts},"actions":{{"stateDelta":{{"k":{args}}}}}}}}}'
    assert api.post(f"{session}/events", body).status == 200

    text = api.get(session).text
    assert text.count(args) == 3
    assert api.get(f"{session}/state").text == f'{{"k":{args}}}'
    assert '"timestamp":1.50' in text
    assert args in api.get(f"{session}/events").text


def test_s7_an_event_and_the_state_never_disagree_about_a_number(api: Api, session: str) -> None:
    """Users saw: NaN became null in the event and stayed NaN in the state, and every later append failed."""
    with nothing_changes():
        assert api.post(f"{session}/events", '{"event":{"actions":{"stateDelta":{"n":NaN}}}}').status == 400
        assert api.put(session + "x", '{"state":{"n":NaN}}').status == 400
    api.post(f"{session}/events", {"event": {"actions": {"stateDelta": {"n": 2**70}}}})
    stored = api.get(session)
    assert stored.json["state"]["n"] == stored.json["events"][0]["actions"]["stateDelta"]["n"] == 2**70


def test_s18_one_event_of_a_newer_adk_never_hides_a_session(api: Api, session: str) -> None:
    """Users saw: one unknown field in actions or a part, and the whole session could not be read."""
    strange = {"id": "new", "actions": {"someNewAction": {"a": 1}}, "content": {"parts": [{"someNewPart": {"b": [1]}}]}}
    api.post(f"{session}/events", {"event": {"id": "old"}})
    assert api.post(f"{session}/events", {"event": strange}).status == 200
    old, new = api.get(session).json["events"]
    assert old["id"] == "old"
    assert {name: new[name] for name in strange} == strange
    assert json.loads(api.get(session).text)["revision"] == 2
