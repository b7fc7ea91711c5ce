"""Fields that break their rule: 400 with the field's path as the caller wrote it, and nothing written."""

import json
import time
from typing import Any

import pytest

from tests.sessions_app.http_client import Api, session_path
from tests.sessions_app.refusals import refuses
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db

NOT_OBJECTS = [[], "", "{}", 0, 1, False, True, [{}]]
NOT_LISTS = [{}, "", "[]", 0, 1, False, True]
NOT_TEXTS = [[], {}, 0, 1, 1.5, False, True]


@pytest.fixture
def sessions(project: str) -> str:
    return f"/apps/{project}/users/ana/sessions"


@pytest.fixture
def fresh(project: str) -> str:
    return session_path(project, "ana", "fresh")


# A session's state.


@pytest.mark.parametrize("state", NOT_OBJECTS, ids=repr)
def test_it_refuses_state_that_is_no_object(state: Any, api: Api, sessions: str, fresh: str, session: str) -> None:
    refuses(api, "POST", sessions, {"state": state}, field="state")
    refuses(api, "PUT", fresh, {"state": state}, field="state")
    refuses(api, "POST", fresh, json.dumps(state), field="state")
    refuses(api, "PATCH", session, {"stateDelta": state}, field="stateDelta")
    refuses(api, "PATCH", session, {"stateDelta": state, "title": "T"}, field="stateDelta")


@pytest.mark.parametrize("removed", NOT_LISTS, ids=repr)
def test_it_refuses_keys_to_remove_that_are_no_list(removed: Any, api: Api, session: str) -> None:
    refuses(api, "PATCH", session, {"removeKeys": removed}, field="removeKeys")


@pytest.mark.parametrize("key", [None, *NOT_TEXTS], ids=repr)
def test_it_refuses_a_key_to_remove_that_is_no_text(key: Any, api: Api, session: str) -> None:
    refuses(api, "PATCH", session, {"removeKeys": ["a", key]}, field="removeKeys[1]")


def test_it_refuses_to_set_and_remove_one_key_at_once(api: Api, session: str) -> None:
    body = {"stateDelta": {"a": 1}, "removeKeys": ["b", "a"], "title": "T"}
    refuses(api, "PATCH", session, body, field="removeKeys")


def test_it_refuses_a_patch_of_nothing(api: Api, session: str) -> None:
    assert "at least one" in refuses(api, "PATCH", session, {}, field=None).json["detail"]


# The id of a new session.


@pytest.mark.parametrize("session_id", NOT_TEXTS, ids=repr)
def test_it_refuses_a_session_id_that_is_no_text(session_id: Any, api: Api, sessions: str) -> None:
    refuses(api, "POST", sessions, {"sessionId": session_id}, field="sessionId")


@pytest.mark.parametrize(
    "session_id", [".", "..", " .. ", "x" * 256, "a\0b", "a\nb", "a\x7fb", "a\x85b", "a\ud800b", "\udfff"]
)
def test_it_refuses_a_session_id_that_no_path_could_hold(session_id: str, api: Api, sessions: str) -> None:
    refuses(api, "POST", sessions, {"sessionId": session_id}, field="sessionId")
    refuses(api, "POST", sessions, {"session_id": session_id}, field="sessionId")


def test_the_id_of_the_path_is_the_only_one(api: Api, fresh: str) -> None:
    refuses(api, "PUT", fresh, {"sessionId": "fresh"}, field="sessionId")


# Title, labels, expiry.


@pytest.mark.parametrize("title", [*NOT_TEXTS, "x" * 256, "a\0b", "a\nb", "a\tb", "a\x9fb", "a\ud800"], ids=ascii)
def test_it_refuses_a_title(title: Any, api: Api, sessions: str, fresh: str, session: str) -> None:
    for method, target in (("POST", sessions), ("PUT", fresh), ("PATCH", session)):
        refuses(api, method, target, {"title": title}, field="title")


LABELS = {
    "list": ([], "labels"),
    "text": ("a:b", "labels"),
    "number": (0, "labels"),
    "too many": ({f"k{number}": "" for number in range(65)}, "labels"),
    "blank name": ({" ": "x"}, "labels"),
    "long name": ({"k" * 64: "x"}, "labels"),
    "NUL in a name": ({"a\0b": "x"}, "labels"),
    "null": ({"a": None}, "labels.a"),
    "number value": ({"a": 1}, "labels.a"),
    "list value": ({"a": ["x"]}, "labels.a"),
    "long value": ({"a": "x" * 256}, "labels.a"),
    "NUL": ({"a": "x\0"}, "labels.a"),
    "surrogate": ({"a": "\ud83d"}, "labels.a"),
    "surrogate in a name": ({"\ud83d": "x"}, "labels"),
}


@pytest.mark.parametrize(("labels", "field"), LABELS.values(), ids=LABELS)
def test_it_refuses_labels(labels: Any, field: str, api: Api, sessions: str, fresh: str, session: str) -> None:
    for method, target in (("POST", sessions), ("PUT", fresh), ("PATCH", session)):
        refuses(api, method, target, {"labels": labels}, field=field)


@pytest.mark.parametrize(
    "expiry", ["2099-01-01T00:00:00Z", "1e10", "nan", "Infinity", "", True, [], {}, 0, -1, 1.5], ids=repr
)
def test_it_refuses_an_expiry(expiry: Any, api: Api, sessions: str, fresh: str, session: str) -> None:
    for method, target in (("POST", sessions), ("PUT", fresh), ("PATCH", session)):
        refuses(api, method, target, {"expiresAt": expiry}, field="expiresAt")
        refuses(api, method, target, {"expiresAt": time.time() - 0.001}, field="expiresAt")


def test_a_broken_field_leaves_the_good_ones_unwritten(api: Api, session: str) -> None:
    good = {"stateDelta": {"a": 1, "user:a": 1, "app:a": 1}, "title": "T", "labels": {"a": "b"}}
    for name, value in (("title", 1), ("labels", []), ("expiresAt", "x"), ("stateDelta", []), ("removeKeys", ["a"])):
        with nothing_changes():
            assert api.patch(session, {**good, name: value}).status == 400


# First events of a new session.


@pytest.mark.parametrize("events", NOT_LISTS, ids=repr)
def test_it_refuses_first_events_that_are_no_list(events: Any, api: Api, sessions: str, fresh: str) -> None:
    refuses(api, "POST", sessions, {"events": events}, field="events")
    refuses(api, "PUT", fresh, {"events": events}, field="events")


def test_it_refuses_first_events_of_one_id_and_two_bodies(api: Api, sessions: str, fresh: str) -> None:
    events = [{"id": "e", "author": "a"}, {"id": "e", "author": "b"}]
    conflict = {"field": None, "status": 409, "code": "event_conflict"}
    refuses(api, "POST", sessions, {"events": events}, **conflict)
    refuses(api, "PUT", fresh, {"events": events}, **conflict)


def test_first_events_that_repeat_each_other_are_stored_once(api: Api, fresh: str) -> None:
    answer = api.put(fresh, {"events": [{"id": "e", "author": "a"}, {"author": "a", "id": "e"}, {"id": "f"}]})
    assert [event["id"] for event in answer.json["events"]] == ["e", "f"]
    assert (answer.json["lastSeq"], answer.json["revision"]) == (2, 2)


# The revision that an append expects.


REVISIONS = [
    '"1"',
    '""',
    "true",
    "false",
    "1.5",
    "1.0",
    "1e3",
    "[]",
    "{}",
    "-1",
    str(2**63),
    "1" * 5000,
    "-" + "1" * 5000,
]


@pytest.mark.parametrize("revision", REVISIONS, ids=lambda text: text[:20])
def test_it_refuses_a_revision(revision: str, api: Api, session: str) -> None:
    for route, events in (("events", '"event": {}'), ("events:batch", '"events": [{}]')):
        for name in ("expectedRevision", "expected_revision"):
            body = f'{{{events}, "{name}": {revision}}}'
            # A number too long to be one is refused while reading, under the name in the body.
            field = f"body.{name}" if len(revision) >= 5000 else "expectedRevision"
            refuses(api, "POST", f"{session}/{route}", body, field=field)


def test_it_refuses_an_append_of_nothing(api: Api, session: str) -> None:
    refuses(api, "POST", f"{session}/events", {}, field="event")
    refuses(api, "POST", f"{session}/events", {"expectedRevision": 0}, field="event")
    for events in (None, [], [{}] * 1001):
        refuses(api, "POST", f"{session}/events:batch", {"events": events}, field="events")
    refuses(api, "POST", f"{session}/events:batch", {}, field="events")
