"""Bodies that are no JSON, too large, too deep or of the wrong kind: a problem each, never a 500, nothing written."""

import json
from typing import Any

import pytest
from pytest_django import Settings

from tests.sessions_app.api.routes import BODIES, Call, every_call
from tests.sessions_app.http_client import Api
from tests.sessions_app.refusals import refuses

pytestmark = pytest.mark.django_db

WRITES = pytest.mark.parametrize("call", [call for call in every_call() if call.body is not None], ids=str)
EMPTY_IS_FINE = {("user-sessions", "POST"), ("session", "PUT"), ("session", "POST")}


@pytest.fixture
def target(session: str, project: str) -> Any:
    def make(call: Call) -> str:
        return call.target(app=project, user="ana", session="s2" if call.key == ("session", "POST") else "s1")

    return make


MALFORMED = {
    "cut": '{"state": {"a": 1}',
    "quotes": "{'state': {}}",
    "comma": '{"state": {},}',
    "comment": '{"state": {} /* x */}',
    "two": "{} {}",
    "word": "state",
    "bare key": "{state: 1}",
    "open string": '{"a": "b',
    "raw control": '{"a": "b\nc"}',
    "raw NUL": '{"a": "b\x00c"}',
    "bad escape": '{"a": "\\x00"}',
    "half escape": '{"a": "\\ud8"}',
    "plus": '{"a": +1}',
    "leading zero": '{"a": 01}',
    "bare point": '{"a": .5}',
    "hex": '{"a": 0x10}',
    "bom": "\ufeff{}",
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "latin-1": '{"a": "é"}'.encode("latin-1"),
    "encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "overlong": b'{"a": "\xc0\x80"}',
}


@WRITES
@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_it_refuses_malformed_json(call: Call, body: str | bytes, api: Api, target: Any) -> None:
    answer = refuses(api, call.method, target(call), body)
    assert "valid" in answer.json["detail"] or "byte order mark" in answer.json["detail"]


@WRITES
@pytest.mark.parametrize("body", ["[]", '"text"', "1", "true", "[{}]", '"{}"'])
def test_it_refuses_a_body_that_is_no_object(call: Call, body: str, api: Api, target: Any) -> None:
    refuses(api, call.method, target(call), body, field="state" if call.key == ("session", "POST") else "body")


@WRITES
@pytest.mark.parametrize("body", ["", "  \n\t", "null"])
def test_a_body_is_optional_only_where_everything_in_it_is(call: Call, body: str, api: Api, target: Any) -> None:
    if call.key == ("session", "PATCH") and body != "null":
        refuses(api, call.method, target(call), body, field=None)
    elif call.key in EMPTY_IS_FINE and body != "null":
        assert api(call.method, target(call), body).status == 200
    elif call.key != ("session", "POST"):
        refuses(api, call.method, target(call), body)


@WRITES
@pytest.mark.parametrize("name", ["bogus", "user_id", "userId", "", "SessionId", "state ", "\ud800", "x" * 10_000])
def test_it_refuses_a_member_it_does_not_know(call: Call, name: str, api: Api, target: Any) -> None:
    if call.key == ("session", "POST"):
        return  # The body is the state, whose keys are free.
    shown = name[:64].encode("utf-8", "backslashreplace").decode()
    refuses(api, call.method, target(call), {**call.body, name: 1}, field=shown)


@WRITES
def test_it_refuses_a_member_in_both_spellings(call: Call, api: Api, target: Any) -> None:
    twice = {
        ("user-sessions", "POST"): ("sessionId", "session_id"),
        ("session", "PUT"): ("expiresAt", "expires_at"),
        ("session", "PATCH"): ("stateDelta", "state_delta"),
        ("events", "POST"): ("expectedRevision", "expected_revision"),
        ("events-batch", "POST"): ("expectedRevision", "expected_revision"),
    }.get(call.key)
    if twice:
        camel, snake = twice
        body = {name: value for name, value in call.body.items() if name != camel}
        refuses(api, call.method, target(call), {**body, camel: None, snake: None}, field=snake)
        refuses(api, call.method, target(call), {**body, snake: None, camel: None}, field=camel)


@WRITES
def test_it_refuses_a_key_that_appears_twice(call: Call, api: Api, target: Any) -> None:
    refuses(api, call.method, target(call), '{"state": {}, "state": {}}', field="body.state")
    refuses(api, call.method, target(call), '{"a": [{"b": {"\\u0062": 1, "b": 1}}]}', field="body.a[0].b.b")


@WRITES
def test_it_refuses_deep_nesting_at_once(call: Call, api: Api, target: Any) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")):
        for depth in (101, 100_000):
            body = f'{{"state": {opening * depth}1{closing * depth}}}'
            assert "100 levels" in refuses(api, call.method, target(call), body).json["detail"]
    refuses(api, call.method, target(call), "[" * 100_000)


@WRITES
@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" + "0" * 400 + ".0", "1e" + "9" * 50]
)
def test_it_refuses_numbers_that_are_not_finite(call: Call, number: str, api: Api, target: Any) -> None:
    """F3, wherever they stand."""
    places = {
        ("user-sessions", "POST"): ('{"state": {"a": [%s]}}', 'body.state["a"][0]'),
        ("session", "PUT"): ('{"state": {"a.b": %s}}', 'body.state["a.b"]'),
        ("session", "POST"): ('{"a": {"b": %s}}', "body.a.b"),
        ("session", "PATCH"): ('{"stateDelta": {"user:a": %s}}', 'body.stateDelta["user:a"]'),
        ("events", "POST"): ('{"event": {"customMetadata": {"a": %s}}}', 'body.event.customMetadata["a"]'),
        ("events-batch", "POST"): ('{"events": [{}, {"timestamp": %s}]}', "body.events[1].timestamp"),
    }
    body, field = places[call.key]
    refuses(api, call.method, target(call), body % number, field=field)


@WRITES
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"]
)
def test_it_refuses_another_content_type(call: Call, kind: str, api: Api, target: Any) -> None:
    options = {"field": None, "status": 415, "code": "unsupported_media_type", "content_type": kind}
    assert "application/json" in refuses(api, call.method, target(call), call.body, **options).json["detail"]


@WRITES
@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "application/vnd.api+json", "APPLICATION/JSON", ""]
)
def test_it_reads_json_under_its_other_names(call: Call, kind: str, api: Api, target: Any) -> None:
    assert api(call.method, target(call), call.body, content_type=kind).status == 200


# Sizes.


@WRITES
def test_it_refuses_a_body_over_the_limit(call: Call, api: Api, target: Any, settings: Settings) -> None:
    settings.THREEFOLD_MAX_BODY_BYTES = 2000
    fitting = json.dumps(call.body).ljust(2000)
    answer = refuses(api, call.method, target(call), fitting + " ", field=None, status=413, code="payload_too_large")
    assert answer.json["limit"] == 2000 and "2000 bytes" in answer.json["detail"]
    assert api(call.method, target(call), fitting).status == 200


@WRITES
def test_a_body_is_no_longer_than_it_says(call: Call, api: Api, target: Any) -> None:
    refuses(api, call.method, target(call), call.body, CONTENT_LENGTH="3")


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "٣", "5 5"])
def test_it_refuses_a_content_length_that_is_no_number(length: str, api: Api, session: str) -> None:
    refuses(api, "POST", f"{session}/events", {"event": {}}, CONTENT_LENGTH=length, field="Content-Length")


def test_it_refuses_an_event_over_the_limit(api: Api, session: str, settings: Settings) -> None:
    settings.THREEFOLD_MAX_EVENT_BYTES = 1024
    small, large = {"content": {"parts": []}}, {"content": {"parts": [{"text": "x" * 1024}]}}
    too_large = {"field": None, "status": 413, "code": "event_too_large"}
    calls = [
        ("POST", f"{session}/events", {"event": large}),
        ("POST", f"{session}/events:batch", {"events": [small, large]}),
        ("PUT", session[:-2] + "s2", {"events": [small, large]}),
        ("POST", session[: -len("/s1")], {"events": [small, large]}),
    ]
    for method, target, body in calls:
        problem = refuses(api, method, target, body, **too_large).json
        assert problem["limit"] == 1024 and "1024 bytes" in problem["detail"]
    assert "events[1]" in problem["detail"]


def test_it_refuses_to_let_state_grow_over_the_limit(api: Api, session: str, settings: Settings) -> None:
    settings.THREEFOLD_MAX_STATE_BYTES = 1024
    too_large = {"field": None, "status": 413, "code": "state_too_large"}
    for scope in ("", "user:", "app:"):
        half = {f"{scope}a": "x" * 600}
        assert api.patch(session, {"stateDelta": half}).status == 200
        rest = {f"{scope}b": "x" * 600, "user:c": 1, "app:c": 1, "c": 1}
        delta = {"actions": {"stateDelta": rest}}
        calls = [
            ("PATCH", session, {"stateDelta": rest, "title": "T"}),
            ("POST", f"{session}/events", {"event": delta}),
            ("POST", f"{session}/events:batch", {"events": [{"author": "x"}, delta]}),
            ("PUT", session[:-2] + "s2", {"state": {**rest, f"{scope}b": "x" * 1200}}),
            ("POST", session[:-2] + "s2", {**rest, f"{scope}b": "x" * 1200}),
        ]
        for method, target, body in calls:
            problem = refuses(api, method, target, body, **too_large).json
            assert problem["limit"] == 1024 and "1024" in problem["detail"]
        # A replaced value makes room for its successor.
        assert api.patch(session, {"stateDelta": {f"{scope}a": "y" * 900}}).status == 200


def test_every_body_used_here_is_one_of_the_route_table() -> None:
    assert {call.key for call in every_call() if call.body is not None} == {key for key in BODIES if BODIES[key]}
