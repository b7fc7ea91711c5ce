"""Every accepted id is one id on every route of a real server: nothing joins, folds, collapses or decodes it twice.

Known failures E1, E2, E5, E9, E10, E11, E15.
"""

import http.client
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import LiveServer, running_server
from tests.sessions_app.api.routes import Call, calls_with, every_call
from tests.sessions_app.api.strange_ids import IDS, NO_IDS, SPELLINGS
from tests.sessions_app.http_client import segment, session_path, user_path

FIELDS = {"app": "appName", "user": "userId", "session": "sessionId"}


class Wire:
    """One kept-alive connection. Targets go out exactly as they are given."""

    def __init__(self, server: LiveServer) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self._headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}

    def __call__(self, method: str, target: str, body: object = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, target, data, self._headers)
        response = self._connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None

    def ok(self, method: str, target: str, body: object = None) -> Any:
        status, answer = self(method, target, body)
        assert status == 200, (method, target[:200], answer)
        return answer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with running_server(tmp_path_factory.mktemp("ids")) as server:
        yield server


@pytest.fixture(scope="module")
def wire(server: LiveServer) -> Wire:
    return Wire(server)


def write(wire: Wire, project: str, user: str, session: str, word: str) -> None:
    """A session that holds one word in each place that can hold data."""
    path = session_path(project, user, session)
    made = wire.ok(
        "PUT", path, {"state": {"own": word, "user:own": word, "app:own": word}, "labels": {"own": word[:255]}}
    )
    assert (made["appName"], made["userId"], made["id"]) == (project, user, session)
    event = {"id": "e", "author": "user", "content": {"parts": [{"text": word}]}}
    assert wire.ok("POST", f"{path}/events", {"event": event})["seq"] == 1
    later = {"id": "f", "author": "user", "actions": {"stateDelta": {"later": word}}}
    assert wire.ok("POST", f"{path}/events:batch", {"events": [later]})["events"][0]["seq"] == 2
    assert wire.ok("PATCH", path, {"stateDelta": {"patched": word}, "title": word})["lastSeq"] == 3


def read(wire: Wire, project: str, user: str, session: str) -> set[str]:
    """Every word that the routes of one session say."""
    path = session_path(project, user, session)
    one = wire.ok("GET", path)
    assert (one["appName"], one["userId"], one["id"], one["lastSeq"]) == (project, user, session, 3)
    state, log = wire.ok("GET", f"{path}/state"), wire.ok("GET", f"{path}/events")["events"]
    assert state == one["state"] and [event["id"] for event in log[:2]] == ["e", "f"] and len(log) == 3
    words = {one["title"], *one["labels"].values(), *(one["state"][key] for key in ("own", "later", "patched"))}
    words |= {log[0]["content"]["parts"][0]["text"], log[1]["actions"]["stateDelta"]["later"]}
    return words | set(log[2]["actions"]["stateDelta"].values())


def test_every_user_keeps_to_itself(wire: Wire) -> None:
    """E1, E2, E5, E10, E15: one session id for all of them."""
    for user in IDS:
        assert wire.ok("GET", f"{user_path('users', user)}/sessions") == []
        write(wire, "users", user, "main", user)
    for user in IDS:
        assert read(wire, "users", user, "main") == {user}
        assert wire.ok("GET", f"{user_path('users', user)}/state") == {"own": user}
        [listed] = wire.ok("GET", f"{user_path('users', user)}/sessions")
        [found] = wire.ok("GET", f"/apps/users/sessions?user={segment(user)}")["sessions"]
        assert (listed["userId"], listed["id"]) == (found["userId"], found["id"]) == (user, "main")
    listing = wire.ok("GET", "/apps/users/sessions?limit=200")["sessions"]
    assert sorted(row["userId"] for row in listing) == sorted(IDS)
    for position, user in enumerate(IDS):
        assert wire.ok("DELETE", session_path("users", user, "main")) is None
        assert wire("GET", session_path("users", user, "main"))[0] == 404
        if position % 8 == 0:
            left = wire.ok("GET", "/apps/users/sessions?limit=200")["sessions"]
            assert sorted(row["userId"] for row in left) == sorted(IDS[position + 1 :])


def test_every_session_keeps_to_itself(wire: Wire) -> None:
    for session in IDS:
        assert wire("GET", session_path("sessions", "ana", session))[0] == 404
        write(wire, "sessions", "ana", session, session)
        body = {"sessionId": session}
        assert wire("POST", "/apps/sessions/users/ana/sessions", body)[1]["code"] == "session_exists"
        assert wire("POST", session_path("sessions", "ana", session), {})[1]["code"] == "session_exists"
    listed = wire.ok("GET", "/apps/sessions/users/ana/sessions")
    assert sorted(row["id"] for row in listed) == sorted(IDS)
    for session in IDS:
        assert read(wire, "sessions", "ana", session) == {session}
    for position, session in enumerate(IDS):
        assert wire.ok("DELETE", session_path("sessions", "ana", session)) is None
        if position % 8 == 0:
            listed = wire.ok("GET", "/apps/sessions/users/ana/sessions")
            assert sorted(row["id"] for row in listed) == sorted(IDS[position + 1 :])


def test_every_project_keeps_to_itself(wire: Wire) -> None:
    """E11: the same user, session and event ids in all of them."""
    for project in IDS:
        write(wire, project, "ana", "main", project)
    for project in IDS:
        assert read(wire, project, "ana", "main") == {project}
        assert wire.ok("GET", f"/apps/{segment(project)}/state") == {"own": project}
        assert wire.ok("GET", f"{user_path(project, 'ana')}/state") == {"own": project}
        assert len(wire.ok("GET", f"/apps/{segment(project)}/sessions")["sessions"]) == 1
    assert set(IDS) <= set(wire.ok("GET", "/list-apps"))
    wire.ok("DELETE", session_path(IDS[0], "ana", "main"))
    assert all(read(wire, project, "ana", "main") == {project} for project in IDS[1:])


def test_every_event_keeps_to_itself(wire: Wire) -> None:
    path = session_path("events", "ana", "s")
    wire.ok("PUT", path, {})
    for seq, event_id in enumerate(IDS, start=1):
        first = wire.ok("POST", f"{path}/events", {"event": {"id": event_id, "author": "x"}})
        again = wire.ok("POST", f"{path}/events", {"event": {"id": f" {event_id} ", "author": "x"}})
        assert (first["seq"], first["repeated"], again["seq"], again["repeated"]) == (seq, False, seq, True)
    assert [event["id"] for event in wire.ok("GET", path)["events"]] == IDS


def test_parts_of_a_key_are_never_joined(wire: Wire) -> None:
    """E10: what a slash, a colon or the word sessions divides is two keys, however the parts read in a row."""
    pieces = ["a", "b", "a/b", "b/a", "a/sessions/b", "b/sessions/a", "a:b", "a%2Fb", "a/", "/b"]
    keys = list(itertools.product(["p", "p/users/a", "p%2Fusers"], pieces, pieces))
    for key in keys:
        wire.ok("PUT", session_path(*key), {"state": {"key": list(key)}})
    for key in keys:
        assert wire.ok("GET", f"{session_path(*key)}/state") == {"key": list(key)}


def test_a_segment_may_be_spelt_in_every_way_that_means_the_same(wire: Wire) -> None:
    for number, (spelling, meaning) in enumerate(SPELLINGS):
        path = f"/apps/spelt/users/{spelling}/sessions/{spelling}"
        made = wire.ok("PUT", path, {"state": {f"s{number}": spelling}})
        assert (made["userId"], made["id"]) == (meaning, meaning)
        assert wire.ok("GET", session_path("spelt", meaning, meaning))["id"] == meaning
        listed = wire.ok("POST", f"/apps/spelt/users/{spelling}/sessions", {"sessionId": f"n{number} "})
        assert (listed["userId"], listed["id"]) == (meaning, f"n{number}")
    users = {row["userId"] for row in wire.ok("GET", "/apps/spelt/sessions?limit=200")["sessions"]}
    assert users == {meaning for _, meaning in SPELLINGS}


@pytest.mark.parametrize("root", ["/", "/api/v1/"])
@pytest.mark.parametrize("call", [call for call in calls_with("user") if call.method != "HEAD"], ids=str)
def test_every_route_takes_every_id(call: Call, root: str, wire: Wire) -> None:
    # Below the second root the same views answer: a sample shows that the targets reach them unchanged.
    for word in IDS if root == "/" else IDS[::8]:
        ids = {"app": "routes", "user": word, "session": word}
        if call.writes:
            wire.ok("DELETE", session_path("routes", word, "made"))
            wire.ok("DELETE" if call.key == ("session", "POST") else "PUT", session_path("routes", word, word), {})
        elif "session" in call.parts:
            wire.ok("PUT", session_path("routes", word, word), {})
        wire.ok(call.method, call.target(root, **ids), call.body)


@pytest.mark.parametrize("call", [call for call in every_call() if call.parts and call.method != "HEAD"], ids=str)
def test_every_route_refuses_what_is_no_id(call: Call, wire: Wire) -> None:
    """E9, E15: the same everywhere, naming the part."""
    wire.ok("PUT", "/apps/refusing/users/ana/sessions/s", {})
    before = wire.ok("GET", "/list-apps"), wire.ok("GET", "/apps/refusing/sessions")
    for part, bad in itertools.product(call.parts, NO_IDS):
        target = "/" + call.route
        for name, good in (("app", "refusing"), ("user", "ana"), ("session", "s")):
            target = target.replace(f"<segment:{name}>", bad if name == part else good)
        status, answer = wire(call.method, target, call.body)
        assert (status, answer["code"]) == (400, "invalid_request"), (target[:80], answer)
        assert [item["field"] for item in answer["errors"]] == [FIELDS[part]], (target[:80], answer)
    assert (wire.ok("GET", "/list-apps"), wire.ok("GET", "/apps/refusing/sessions")) == before


def test_a_target_that_is_the_apis_only_after_decoding_is_no_route(wire: Wire) -> None:
    wire.ok("PUT", "/apps/decoded/users/ana/sessions/s2", {})
    for target in (
        "/%61pps/decoded/users/ana/sessions/s2",
        "/%61pps/decoded/users/ana%2Fsessions%2Fs2",
        "/apps%2Fdecoded/users/ana/sessions/s2",
        "/api%2Fv1/apps/decoded/users/ana/sessions/s2",
        "/apps/decoded/users%2Fana/sessions/s2",
        "/apps/decoded/users/ana/sessions%2Fs2",
        "//apps/decoded/users/ana/sessions/s2",
        "/x/../apps/decoded/users/ana/sessions/s2",
    ):
        assert wire("GET", target)[0] == 404, target


def test_an_absolute_target_is_read_as_its_path(server: LiveServer, wire: Wire) -> None:
    wire.ok("PUT", "/apps/absolute/users/a%2Fb/sessions/s", {})
    found = wire.ok("GET", f"{server.url}/apps/absolute/users/a%2Fb/sessions/s?numRecentEvents=0")
    assert found["userId"] == "a/b"
