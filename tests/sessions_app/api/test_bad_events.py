"""Events that break a rule: 400 with the path in the body, whichever route brings them, and nothing written."""

from typing import Any

import pytest

from tests.sessions_app.http_client import Api
from tests.sessions_app.refusals import refuses

pytestmark = pytest.mark.django_db

CONTROL = ["a\0b", "a\nb", "\x7f", "a\x85", "\ud800", "a\udfffb"]

BROKEN: list[tuple[dict[str, Any], str]] = [
    *(({"id": value}, "id") for value in (1, True, [], {}, "x" * 300, "x" * 256, ".", "..", *CONTROL[:1])),
    *(({"author": value}, "author") for value in (None, 1, [], "x" * 256, *CONTROL)),
    *(({"invocationId": value}, "invocationId") for value in (None, 1, {}, "x" * 256, *CONTROL)),
    *(({"invocation_id": value}, "invocation_id") for value in (1, "a\0b")),
    *(({"branch": value}, "branch") for value in (1, [], "x" * 1025, *CONTROL)),
    *(({"timestamp": value}, "timestamp") for value in ("1.5", "nan", "1e400", "Infinity", "", True, [], {})),
    *(({"timestamp": value}, "timestamp") for value in ("2027-01-31T12:00:00", "2027-01-31T12:00:00Z")),
    *(({"partial": value}, "partial") for value in ("true", 1, 0, "", [], {})),
    *(({"actions": value}, "actions") for value in (None, [], "x", 1, True)),
    *(({"actions": {"stateDelta": value}}, "actions.stateDelta") for value in (None, [], "x", 1, False)),
    *(({"actions": {"state_delta": value}}, "actions.state_delta") for value in (None, [], "x")),
    *(({"actions": {"artifactDelta": value}}, "actions.artifactDelta") for value in (None, [], "x")),
    *(({"content": value}, "content") for value in ([], "x", 1, True)),
    *(({"content": {"parts": value}}, "content.parts") for value in ({}, "x", 1)),
    *(({"content": {"parts": [{}, value]}}, "content.parts[1]") for value in (None, [], "x", 1)),
    *(({"longRunningToolIds": value}, "longRunningToolIds") for value in ({}, "x", 1)),
    *(({"longRunningToolIds": ["a", value]}, "longRunningToolIds[1]") for value in (None, 1, [])),
    *(({"customMetadata": value}, "customMetadata") for value in ([], "x", 1)),
    ({"actions": {"rewindBeforeInvocationId": 1}}, "actions.rewindBeforeInvocationId"),
    ({"actions": {"rewind_before_invocation_id": "a\0b"}}, "actions.rewind_before_invocation_id"),
    # ADK would rewrite these, and the server numbers its own log.
    *(({name: "x"}, name) for name in ("state", "message", "route", "node_path", "nodePath", "seq")),
    ({"state": {"a": 1}}, "state"),
    ({"seq": 1}, "seq"),
    # Both spellings of one field.
    ({"invocationId": "a", "invocation_id": "a"}, "invocation_id"),
    ({"invocation_id": "a", "invocationId": "a"}, "invocationId"),
    ({"actions": {"stateDelta": {}, "state_delta": {}}}, "actions.state_delta"),
    ({"content": {"parts": [{"functionCall": {}, "function_call": {}}]}}, "content.parts[0].function_call"),
]


@pytest.mark.parametrize(("event", "field"), BROKEN, ids=ascii)
def test_it_refuses_a_broken_event(event: dict[str, Any], field: str, api: Api, session: str) -> None:
    refuses(api, "POST", f"{session}/events", {"event": event}, field=f"event.{field}")
    good = {"author": "user", "actions": {"stateDelta": {"a": 1, "user:a": 1, "app:a": 1}}}
    refuses(api, "POST", f"{session}/events:batch", {"events": [good, event]}, field=f"events[1].{field}")
    refuses(api, "PUT", f"{session}2", {"state": {"a": 1}, "events": [good, event]}, field=f"events[1].{field}")


@pytest.mark.parametrize("event", [None, [], "x", 1, True], ids=repr)
def test_it_refuses_an_event_that_is_no_object(event: Any, api: Api, session: str) -> None:
    refuses(api, "POST", f"{session}/events", {"event": event}, field="event")
    refuses(api, "POST", f"{session}/events:batch", {"events": [{}, event]}, field="events[1]")


def test_it_refuses_a_partial_event_under_a_code_of_its_own(api: Api, session: str) -> None:
    """K7."""
    for route, body, field in (
        ("events", {"event": {"partial": True}}, "event.partial"),
        ("events:batch", {"events": [{"author": "x"}, {"partial": True}]}, "events[1].partial"),
    ):
        refuses(api, "POST", f"{session}/{route}", body, field=field, code="partial_event")


@pytest.mark.parametrize("place", ["state", "args", "key"])
def test_nul_and_half_characters_in_content_are_kept(place: str, api: Api, session: str) -> None:
    """F1: ids refuse them, content holds them, and honest text that looks like an escape stays as it is."""
    for odd in ("a\0b", "\ud800", "\\u0000", "\\ud800"):
        content = {"parts": [{"functionCall": {"name": "f", "args": {"x": [[odd]]}}}]}
        delta = {odd: odd} if place == "key" else {"k": {odd: [odd]}}
        event = {"content": content, "actions": {"stateDelta": {**delta, f"user:{odd}": odd, f"app:{odd}": odd}}}
        answer = api.post(f"{session}/events", {"event": event})
        assert answer.status == 200, answer.text
        read = api.get(session).json
        assert read["events"][-1]["content"] == content
        assert read["events"][-1]["actions"] == event["actions"]
        for key, value in event["actions"]["stateDelta"].items():
            assert read["state"][key] == value


def test_honest_values_that_look_like_faults_are_kept(api: Api, session: str) -> None:
    """F3: the words alone are no harm as texts."""
    state = {"a": "NaN", "b": "Infinity", "c": "1e400", "d": "null", "": "blank key", " ": 0, "x" * 3000: []}
    assert api.patch(session, {"stateDelta": state}).json["state"] == state


@pytest.mark.parametrize(
    "timestamp", ["0", "-1", "-0.0", "1e-320", "1e308", "1700000000.1234567", "253402300800", "5e-324"]
)
def test_any_finite_moment_is_a_timestamp(timestamp: str, api: Api, session: str) -> None:
    body = f'{{"event": {{"id": "e", "timestamp": {timestamp}}}}}'
    assert f'"timestamp":{timestamp}' in api.post(f"{session}/events", body).text
    read = api.get(session)
    assert f'"timestamp":{timestamp}' in read.text and read.json["lastUpdateTime"] == float(timestamp)
    found = api.get(f"{session}?afterTimestamp={timestamp}").json["events"]
    assert [event["id"] for event in found] == ["e"]
