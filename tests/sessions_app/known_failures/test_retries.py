"""Group B: retries and idempotency."""

import json
import socket
import time

import pytest

from tests.live import LiveServer
from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.tables import nothing_changes


def test_b1_an_event_whose_answer_was_lost_is_stored_once_however_often_it_is_sent(live: LiveServer, app: str) -> None:
    """Users saw: a timeout repeats the message, the model sees it twice, and tools fire twice."""
    path = session_path(app, "ana", "s1")
    live.request("PUT", path, {"state": {"app:n": 0}})
    sent = {"event": {"id": "e-1", "actions": {"stateDelta": {"n": 1, "app:n": 1}}}, "expectedRevision": 0}
    _send_and_hang_up(live, f"{path}/events", sent)
    deadline = time.monotonic() + 10
    while json.loads(live.request("GET", path)[2])["revision"] == 0:
        assert time.monotonic() < deadline, "the event was never stored"
        time.sleep(0.02)
    before = live.request("GET", path)[2]

    status, _, body = live.request("POST", f"{path}/events", sent)
    again = json.loads(body)
    assert (status, again["seq"], again["revision"], again["repeated"]) == (200, 1, 1, True)
    assert live.request("POST", f"{path}/events", sent)[2] == body
    other = {"event": {"id": "e-1", "actions": {"stateDelta": {"n": 2, "app:n": 2}}}}
    status, _, body = live.request("POST", f"{path}/events", other)
    assert (status, json.loads(body)["code"]) == (409, "event_conflict")
    assert live.request("GET", path)[2] == before


def _send_and_hang_up(server: LiveServer, target: str, body: object) -> None:
    """Send a whole request and close the connection without waiting for a byte of the answer."""
    data = json.dumps(body).encode()
    head = (
        f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(head.encode() + data)


@pytest.mark.django_db
def test_b1_s13_a_repeated_event_is_no_conflict_with_its_own_first_attempt(api: Api, session: str) -> None:
    """Users saw: the retry is refused as stale, because the first attempt had moved the marker."""
    sent = {"event": {"id": "e-1", "content": {"parts": [{"text": "hi"}]}}, "expectedRevision": 0}
    first = api.post(f"{session}/events", sent).json
    api.post(f"{session}/events", {"event": {"id": "e-2"}})
    with nothing_changes():
        again = api.post(f"{session}/events", sent)
        conflict = api.post(f"{session}/events", {"event": {"id": "e-1", "author": "other"}, "expectedRevision": 2})
    assert again.status == 200
    assert again.json == {**first, "repeated": True}
    assert (conflict.status, conflict.code) == (409, "event_conflict")


@pytest.mark.django_db
def test_b3_creating_a_session_that_exists_is_a_conflict_with_a_code(api: Api, project: str) -> None:
    """Users saw: a server error, from which nobody could tell "exists" from "broken"."""
    ana, bo = user_path(project, "ana"), user_path(project, "bo")
    assert api.post(f"{ana}/sessions", {"sessionId": "s1", "state": {"k": 1}}).status == 200
    with nothing_changes():
        second = api.post(f"{ana}/sessions", {"sessionId": "s1", "state": {"k": 2, "app:k": 2, "user:k": 2}})
        older_form = api.post(f"{ana}/sessions/s1", {"k": 3})
    assert {(answer.status, answer.code) for answer in (second, older_form)} == {(409, "session_exists")}
    assert api.get(f"{ana}/sessions/s1").json["state"] == {"k": 1}
    assert api.post(f"{bo}/sessions", {"sessionId": "s1"}).status == 200


@pytest.mark.django_db
def test_s12_what_a_driver_would_refuse_is_a_problem_that_names_the_field(api: Api, project: str, session: str) -> None:
    """Users saw: raw driver errors for an id of 300 characters, one with NUL, and an event id used twice."""
    with nothing_changes():
        for bad in ("x" * 300, "a\x00b"):
            answer = api.post(f"{user_path(project, 'ana')}/sessions", {"sessionId": bad})
            assert (answer.status, answer.fields) == (400, ["sessionId"])
            answer = api.post(f"{session}/events", {"event": {"id": bad}})
            assert (answer.status, answer.fields) == (400, ["event.id"])
