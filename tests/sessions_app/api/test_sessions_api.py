"""The life of a session over REST: create, open, get, patch its facts, expire, delete."""

import time
import uuid
from typing import Any

import pytest

from sessions_app.models import Session
from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.refusals import refuses
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)

MISSING = {"field": None, "status": 404, "code": "session_not_found"}
EXISTS = {"field": None, "status": 409, "code": "session_exists"}


@pytest.fixture
def sessions(project: str) -> str:
    return f"{user_path(project, 'ana')}/sessions"


# Create.


def test_it_creates_a_session_in_adks_shape(api: Api, project: str, sessions: str) -> None:
    before = time.time()
    state = {"b": 1, "a": None, "user:lang": "fr", "app:flag": True, "temp:token": "abc"}
    answer = api.post(sessions, {"sessionId": "s1", "state": state})
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    made = answer.json
    assert list(made)[:6] == ["id", "appName", "userId", "state", "events", "lastUpdateTime"]
    assert (made["id"], made["appName"], made["userId"], made["events"]) == ("s1", project, "ana", [])
    assert made["state"] == {"b": 1, "a": None, "app:flag": True, "user:lang": "fr"}
    assert before <= made["lastUpdateTime"] == made["createTime"] <= time.time()
    assert (made["revision"], made["lastSeq"], made["labels"]) == (0, 0, {})
    assert "title" not in made and "expiresAt" not in made
    assert api.get(f"{sessions}/s1").text == answer.text


def test_a_session_without_an_id_gets_a_time_ordered_one(api: Api, sessions: str) -> None:
    bodies: list[Any] = [None, {}, {"sessionId": None}, {"session_id": ""}, {"sessionId": "  "}, {"state": None}]
    ids = [api.post(sessions, body).json["id"] for body in bodies]
    assert [uuid.UUID(each).version for each in ids] == [7] * len(ids)
    assert len(set(ids)) == len(ids) and ids == sorted(ids)


def test_a_body_may_be_spelt_in_snake_case(api: Api, sessions: str) -> None:
    """Values keep theirs."""
    body = {"session_id": "s", "state": {"snake_key": {"inner_key": 1}, "camelKey": 2}, "expires_at": 4e9}
    made = api.post(sessions, body).json
    assert (made["id"], made["expiresAt"]) == ("s", 4e9)
    assert made["state"] == {"snake_key": {"inner_key": 1}, "camelKey": 2}


def test_a_session_may_begin_with_events(api: Api, sessions: str) -> None:
    events = [
        {"id": "e1", "author": "user", "timestamp": 5, "actions": {"state_delta": {"x": 2, "user:y": 2}}},
        {"id": "e2", "author": "bot", "timestamp": 4.5},
    ]
    made = api.post(sessions, {"sessionId": "s", "state": {"x": 1, "z": 1}, "events": events}).json
    assert made["state"] == {"x": 2, "z": 1, "user:y": 2}
    assert [event["id"] for event in made["events"]] == ["e1", "e2"]
    assert (made["lastSeq"], made["revision"], made["lastUpdateTime"]) == (2, 2, 4.5)


def test_an_id_is_taken_within_its_user_and_project_only(api: Api, project: str, make_project, make_key) -> None:
    """B3."""
    other = make_project()
    api = Api(make_key(project, other))
    for owner in (project, other):
        for user in ("ana", "bo"):
            path = user_path(owner, user)
            first = api.post(f"{path}/sessions", {"sessionId": "s1", "state": {"of": [owner, user]}})
            assert first.status == 200
            again = {"sessionId": " s1 ", "state": {"of": 0, "user:of": 0, "app:of": 0}, "title": "T"}
            refuses(api, "POST", f"{path}/sessions", again, **EXISTS)
            refuses(api, "POST", f"{path}/sessions/s1", {"of": 0, "user:of": 0}, **EXISTS)
            assert api.get(f"{path}/sessions/s1").text == first.text


def test_adks_older_create_takes_the_state_as_its_body(api: Api, sessions: str) -> None:
    made = api.post(f"{sessions}/s1", {"state": 1, "sessionId": "x", "user:a": 2, "temp:b": 3}).json
    assert (made["id"], made["state"]) == ("s1", {"state": 1, "sessionId": "x", "user:a": 2})
    assert api.post(f"{sessions}/s2").json["state"] == {"user:a": 2}
    assert api.post(f"{sessions}/s3", "null").json["state"] == {"user:a": 2}


def test_a_project_is_created_by_an_admin_key_where_the_operator_allows_it(make_key, settings) -> None:
    staff, plain = Api(make_key(scopes=("admin",))), Api(make_key())
    refuses(plain, "PUT", "/apps/new/users/u/sessions/s", {}, field=None, status=404, code="project_not_found")
    settings.THREEFOLD_CREATE_PROJECTS = False
    missing = refuses(
        staff, "PUT", "/apps/new/users/u/sessions/s", {}, field=None, status=404, code="project_not_found"
    )
    assert "manage.py create_project" in missing.json["detail"]
    settings.THREEFOLD_CREATE_PROJECTS = True
    assert staff.put("/apps/new/users/u/sessions/s", {}).status == 200
    assert plain.get("/apps/new/users/u/sessions/s").status == 200
    assert staff.get("/list-apps").json == ["new"]


def test_a_refused_request_leaves_no_project_behind(make_key) -> None:
    staff, bound = Api(make_key(scopes=("admin",))), Api(make_key(scopes=("admin",), user_id="u"))
    with nothing_changes():
        assert staff.get("/apps/typo/users/../sessions").status == 400
        assert staff.put("/apps/typo/users/u/sessions/%00", {}).status == 400
        assert staff.put("/apps/typo/sessions").code == "method_not_allowed"
        assert bound.put("/apps/typo/users/u/sessions/s", {}).code == "project_not_found"
        assert staff.post("/apps/typo/users/u/sessions", {"unknown": 1}).status == 400
        assert staff.patch("/apps/typo/users/u/sessions/s", {}).status == 400


def test_a_project_that_does_not_exist_is_an_empty_one_to_its_owner_until_its_first_session(make_key) -> None:
    staff = Api(make_key(scopes=("admin",)))
    with nothing_changes():
        assert staff.get("/apps/new/users/u/sessions").json == []
        assert staff.get("/apps/new/sessions").json == {"sessions": []}
        assert staff.get("/apps/new/state").json == {}
        assert staff.get("/apps/new/users/u/sessions/s").code == "session_not_found"
        assert staff.delete("/apps/new/users/u/sessions/s").status == 200
    assert staff.post("/apps/new/users/u/sessions", {"sessionId": "s"}).status == 200
    assert "new" in staff.get("/list-apps").json


# Open.


def test_open_creates_a_session_once_and_never_touches_it_again(api: Api, sessions: str) -> None:
    first = api.put(f"{sessions}/s1", {"state": {"a": 1, "user:u": 1}, "title": "T", "labels": {"k": "v"}})
    assert first.json["state"] == {"a": 1, "user:u": 1} and first.json["title"] == "T"
    api.post(f"{sessions}/s1/events", {"event": {"id": "e"}})
    with nothing_changes():
        body = {"state": {"a": 2, "b": 2, "user:u": 2, "app:p": 2}, "title": "U", "labels": {}, "events": [{"id": "f"}]}
        again = api.put(f"{sessions}/s1", body)
    assert again.text == api.get(f"{sessions}/s1").text
    assert again.json["state"] == first.json["state"] and [event["id"] for event in again.json["events"]] == ["e"]


def test_open_without_a_body_is_get_or_create(api: Api, sessions: str) -> None:
    made = api.put(f"{sessions}/s1")
    assert made.json["state"] == {} and api.put(f"{sessions}/s1").text == made.text


# Get: which events.


@pytest.fixture
def ten(api: Api, session: str) -> str:
    """A session with events at the times 1 to 10, each with its own state key."""
    events = [{"id": f"e{t}", "timestamp": t, "actions": {"stateDelta": {f"k{t}": t}}} for t in range(1, 11)]
    assert api.post(f"{session}/events:batch", {"events": events}).status == 200
    return session


@pytest.mark.parametrize(
    ("query", "times"),
    [
        ("", range(1, 11)),
        ("numRecentEvents=3", (8, 9, 10)),
        ("num_recent_events=1", (10,)),
        ("numRecentEvents=0", ()),
        ("numRecentEvents=10", range(1, 11)),
        ("numRecentEvents=999999999", range(1, 11)),
        ("afterTimestamp=5", range(5, 11)),
        ("after_timestamp=5.0000001", range(6, 11)),
        ("afterTimestamp=-1e300", range(1, 11)),
        ("afterTimestamp=11", ()),
        ("afterTimestamp=5&numRecentEvents=3", (8, 9, 10)),
        ("afterTimestamp=9&numRecentEvents=3", (9, 10)),
        ("afterTimestamp=9&numRecentEvents=0", ()),
    ],
)
def test_get_returns_the_events_that_are_asked_for(query: str, times: Any, api: Api, ten: str) -> None:
    """C6: inclusive, both filters together, ascending, the state full in any case."""
    for method in ("GET", "PUT"):
        found = api(method, f"{ten}?{query}").json
        assert [event["timestamp"] for event in found["events"]] == list(times)
        assert found["state"] == {f"k{t}": t for t in range(1, 11)}


def test_a_window_follows_the_log_and_not_the_clock(api: Api, session: str) -> None:
    for number, timestamp in enumerate([5, 1, 9, 3, 7]):
        api.post(f"{session}/events", {"event": {"id": f"e{number}", "timestamp": timestamp}})
    assert [event["id"] for event in api.get(f"{session}?afterTimestamp=4").json["events"]] == ["e0", "e2", "e4"]
    assert [event["id"] for event in api.get(f"{session}?numRecentEvents=2").json["events"]] == ["e3", "e4"]


def test_a_missing_session_is_missing_on_every_route(api: Api, project: str) -> None:
    path = session_path(project, "ana", "none")
    for method, target, body in (
        ("GET", path, None),
        ("PATCH", path, {"title": "T"}),
        ("PATCH", path, {"stateDelta": {"a": 1, "user:a": 1}}),
        ("GET", f"{path}/state", None),
        ("GET", f"{path}/events", None),
        ("POST", f"{path}/events", {"event": {"actions": {"stateDelta": {"app:a": 1}}}}),
        ("POST", f"{path}/events:batch", {"events": [{}]}),
    ):
        refuses(api, method, target, body, **MISSING)


# Title, labels, expiry.


def test_facts_are_set_changed_and_cleared_without_a_trace_in_the_log(api: Api, sessions: str) -> None:
    made = api.post(sessions, {"sessionId": "s", "title": " A talk ", "labels": {" k ": " v "}, "expiresAt": 4e9}).json
    assert (made["title"], made["labels"], made["expiresAt"]) == ("A talk", {"k": "v"}, 4e9)
    path = f"{sessions}/s"
    changed = api.patch(path, {"title": "B", "labels": {"x": "1", "y": ""}, "expires_at": 5000000000.5}).json
    assert (changed["title"], changed["labels"], changed["expiresAt"]) == ("B", {"x": "1", "y": ""}, 5000000000.5)
    assert api.patch(path, {"labels": {"z": "Ü"}}).json["labels"] == {"z": "Ü"}, "replaced as a whole"
    kept = api.patch(path, {"title": None}).json
    assert "title" not in kept and kept["labels"] == {"z": "Ü"} and kept["expiresAt"] == 5000000000.5
    cleared = api.patch(path, {"labels": None, "expiresAt": None}).json
    assert cleared["labels"] == {} and "expiresAt" not in cleared
    names = ("revision", "lastSeq", "lastUpdateTime", "createTime", "events", "state")
    assert [cleared[name] for name in names] == [made[name] for name in names]


def test_title_and_labels_hold_their_longest_texts(api: Api, session: str) -> None:
    labels = {f"{number:02}".ljust(63, "k"): "\U0001f600" * 255 for number in range(64)}
    answer = api.patch(session, {"title": "\U0001f600" * 255, "labels": labels}).json
    assert answer["title"] == "\U0001f600" * 255 and answer["labels"] == labels
    assert "title" not in api.patch(session, {"title": "  "}).json


def test_an_expired_session_is_gone_everywhere_at_once(api: Api, project: str, sessions: str) -> None:
    api.post(sessions, {"sessionId": "s", "state": {"a": 1, "user:u": 1}, "expiresAt": time.time() + 3600})
    assert api.get(f"{sessions}/s").status == 200
    Session.objects.update(expires_at=time.time())
    path = f"{sessions}/s"
    for method, target, body in (
        ("GET", path, None),
        ("GET", f"{path}/state", None),
        ("GET", f"{path}/events", None),
        ("PATCH", path, {"expiresAt": None}),
        ("POST", f"{path}/events", {"event": {}}),
        ("POST", f"{path}/events:batch", {"events": [{}]}),
    ):
        refuses(api, method, target, body, **MISSING)
    assert api.get(sessions).json == [] and api.get(f"/apps/{project}/sessions").json == {"sessions": []}
    assert api.get(f"{user_path(project, 'ana')}/state").json == {"u": 1}


@pytest.mark.parametrize(("method", "body"), [("PUT", {}), ("POST", {}), ("POST sessions", {"sessionId": "s"})])
def test_the_id_of_an_expired_session_is_free(method: str, body: Any, api: Api, sessions: str) -> None:
    api.post(
        sessions, {"sessionId": "s", "state": {"old": 1}, "events": [{"id": "e"}], "expiresAt": time.time() + 3600}
    )
    Session.objects.update(expires_at=time.time() - 1)
    target = sessions if method == "POST sessions" else f"{sessions}/s"
    made = api(method.split()[0], target, body).json
    assert (made["id"], made["state"], made["events"], made["lastSeq"]) == ("s", {}, [], 0)
    assert "expiresAt" not in made
    assert api.post(f"{sessions}/s/events", {"event": {"id": "e", "author": "new"}}).json["repeated"] is False


# Delete.


def test_delete_removes_the_session_and_keeps_what_is_shared(api: Api, project: str, session: str) -> None:
    api.patch(session, {"stateDelta": {"own": 1, "user:u": 1, "app:p": 1}, "labels": {"a": "b"}, "title": "T"})
    api.post(f"{session}/events", {"event": {"id": "e"}})
    for _ in range(2):
        answer = api.delete(session)
        assert (answer.status, answer.text) == (200, "null")
    refuses(api, "GET", session, **MISSING)
    assert api.get(f"{user_path(project, 'ana')}/state").json == {"u": 1}
    assert api.get(f"/apps/{project}/state").json == {"p": 1}
    again = api.put(session).json
    assert again["state"] == {"app:p": 1, "user:u": 1} and again["events"] == [] and again["labels"] == {}
    assert "title" not in again
