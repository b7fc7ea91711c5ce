"""No route gives, takes or changes another's data: generated from the URL conf, so that a new route is covered at once.

Known failures E1, E2, E3, E11, E15.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import path
from django.utils import timezone

from sessions_app.api import urls
from sessions_app.api.base import KeyedView
from sessions_app.domain.access import SCOPES
from sessions_app.models import ApiKey, Project
from sessions_app.services.api_keys import revoke_api_key
from tests.sessions_app.api import routes
from tests.sessions_app.api.routes import Call, calls_with, every_call
from tests.sessions_app.http_client import Answer, Api, session_path
from tests.sessions_app.tables import dump_tables, nothing_changes

pytestmark = pytest.mark.django_db

ALL_CALLS = pytest.mark.parametrize("call", every_call(), ids=str)
PROJECT_CALLS = pytest.mark.parametrize("call", calls_with("app"), ids=str)
USER_CALLS = pytest.mark.parametrize("call", calls_with("user"), ids=str)
SESSION_CALLS = pytest.mark.parametrize("call", calls_with("session"), ids=str)

IDS = {"app": "app1", "user": "ana", "session": "main"}
OWNERS = (("app1", "ana"), ("app1", "bo"), ("app2", "ana"))


def mark(project: str, user: str) -> str:
    """A word that stands in everything one user of one project has, and nowhere else."""
    return f"secret-{project}-{user}"


@pytest.fixture(autouse=True)
def world(make_project: Callable[..., str], make_key: Callable[..., str]) -> None:
    """Three owners with a session of the same id ``main``, and one session each that only they have."""
    for project in ("app1", "app2"):
        make_project(project)
    staff = Api(make_key())
    for project, user in OWNERS:
        word = mark(project, user)
        state = {"note": word, "user:note": word, f"app:{project}": f"secret-{project}"}
        event = {"id": "e-1", "author": "user", "content": {"parts": [{"text": word}]}}
        for session in ("main", f"only-{project}-{user}"):
            body = {"state": state, "events": [event], "title": word, "labels": {"of": word}}
            assert staff.put(session_path(project, user, session), body).status == 200


def send(api: Api, call: Call, root: str = "/", **ids: str) -> Answer:
    return api(call.method, call.target(root, **{**IDS, **ids}), call.body)


def refused(answer: Answer, call: Call, status: int, code: str) -> None:
    assert answer.status == status, answer.text
    if call.method != "HEAD":
        assert answer.code == code
    assert "secret-" not in answer.text


def names_nobody_else(answer: Answer, project: str, user: str) -> None:
    for owner in OWNERS:
        if owner != (project, user):
            assert mark(*owner) not in answer.text


# Who calls?


@ALL_CALLS
@pytest.mark.parametrize("root", ["/", "/api/v1/"])
def test_it_answers_a_key_of_the_project(call: Call, root: str, make_key: Callable[..., str]) -> None:
    """Without this the refusals below could have another cause than the one they name."""
    session = "fresh" if call.key == ("session", "POST") else "main"
    answer = send(Api(make_key("app1")), call, root, session=session)
    assert answer.status == 200, answer.text
    if "user" in call.parts:
        names_nobody_else(answer, "app1", "ana")


@ALL_CALLS
def test_it_refuses_who_shows_no_valid_key(call: Call, make_key: Callable[..., str]) -> None:
    key, expired, revoked = (make_key("app1", scopes=SCOPES) for _ in range(3))
    past = timezone.now() - timedelta(milliseconds=1)
    ApiKey.objects.filter(prefix=expired.split("_")[1]).update(expires_at=past)
    revoke_api_key(revoked.split("_")[1])
    for bad in (None, "", key.upper(), key[:-1], "tf_x_y", "tf", "\x00", expired, revoked):
        with nothing_changes():
            answer = send(Api(bad), call)
        refused(answer, call, 401, "unauthenticated")
        assert answer.headers["www-authenticate"] == 'Bearer realm="threefold"'


@ALL_CALLS
def test_without_a_key_nothing_can_be_told_apart(call: Call) -> None:
    others = ({"app": "nowhere"}, {"user": "nobody"}, {"session": "none"}, {"app": "\x00"}, {"user": " "})
    answers = {send(Api(None), call, **ids).without_request_id for ids in ({}, *others)}
    assert len(answers) == 1


def test_a_key_that_was_valid_once_is_answered_as_one_that_never_was(make_key: Callable[..., str]) -> None:
    expired, revoked = make_key("app1"), make_key("app1")
    ApiKey.objects.filter(prefix=expired.split("_")[1]).update(expires_at=timezone.now())
    revoke_api_key(revoked.split("_")[1])
    answers = {Api(key).get("/list-apps").without_request_id for key in (expired, revoked, "tf_never_was")}
    assert len(answers) == 1


def test_a_key_is_taken_from_either_header(make_key: Callable[..., str]) -> None:
    key = make_key("app1")
    for headers in ({"Authorization": f"bearer {key}"}, {"X-API-Key": key}, {"X-API-Key": f" {key} "}):
        assert Api(None).get("/list-apps", headers=headers).json == ["app1"]
    for headers in ({"Authorization": key}, {"Authorization": f"Basic {key}"}, {"Authorization": f"Bearer {key} x"}):
        assert Api(None).get("/list-apps", headers=headers).status == 401
    assert Api(None).get(f"/list-apps?key={key}").status == 401


# Which project?


@PROJECT_CALLS
def test_another_project_is_as_absent_as_a_missing_one(call: Call, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app2", scopes=SCOPES))
    with nothing_changes():
        foreign, missing = send(api, call), send(api, call, app="nowhere")
    refused(foreign, call, 404, "project_not_found")
    assert foreign.without_request_id == missing.without_request_id


@PROJECT_CALLS
def test_a_key_of_a_deleted_project_opens_nothing(
    call: Call, make_project: Callable[..., str], make_key: Callable[..., str]
) -> None:
    gone = make_project("gone")
    api = Api(make_key(gone, scopes=SCOPES))
    Project.objects.get(name=gone).delete()
    with nothing_changes():
        refused(send(api, call, app=gone), call, 404, "project_not_found")
        refused(send(api, call), call, 404, "project_not_found")


@PROJECT_CALLS
def test_a_project_that_does_not_exist_is_absent_for_a_key_to_all(call: Call, make_key: Callable[..., str]) -> None:
    api = Api(make_key())
    with nothing_changes():
        refused(send(api, call, app="nowhere"), call, 404, "project_not_found")


@PROJECT_CALLS
def test_project_names_differ_by_case_and_by_every_character(call: Call, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app1", scopes=SCOPES))
    with nothing_changes():
        for name in ("APP1", "app", "app1%", "app_", "app11", "app1/", "äpp1"):
            refused(send(api, call, app=name), call, 404, "project_not_found")


def test_a_key_sees_the_names_of_its_own_projects_only(make_key: Callable[..., str]) -> None:
    assert Api(make_key("app2", scopes=SCOPES)).get("/list-apps").json == ["app2"]
    assert Api(make_key("app2", "app1")).get("/list-apps").json == ["app1", "app2"]
    assert Api(make_key()).get("/list-apps").json == ["app1", "app2"]


# With which scope?


@PROJECT_CALLS
def test_it_refuses_a_key_without_the_scope(call: Call, make_key: Callable[..., str]) -> None:
    """Every other scope together does not make up for the one that is needed."""
    needed = "sessions:write" if call.writes else "sessions:read"
    scopes = [scope for scope in SCOPES if scope not in (needed, "admin")]
    api = Api(make_key("app1", scopes=scopes))
    with nothing_changes():
        refused(send(api, call), call, 403, "scope_missing")


@pytest.mark.parametrize("call", [call for call in every_call() if "app" not in call.parts], ids=str)
def test_a_route_that_needs_no_scope_is_named_as_such(call: Call, make_key: Callable[..., str]) -> None:
    assert call.name in routes.WITHOUT_A_SCOPE
    assert send(Api(make_key("app1", scopes=("memory:read",))), call).status == 200


# Which user?


@USER_CALLS
def test_another_user_is_as_absent_as_a_missing_one(call: Call, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app1", user_id="bo", scopes=SCOPES))
    with nothing_changes():
        foreign = send(api, call)
        others = [send(api, call, user=user) for user in ("nobody", "BO", "b", "bo%", "b_", "bo/", "bo2")]
    refused(foreign, call, 404, "not_found")
    assert {answer.without_request_id for answer in others} == {foreign.without_request_id}


@pytest.mark.parametrize("call", [call for call in every_call() if "user" not in call.parts], ids=str)
def test_a_key_bound_to_a_user_opens_no_route_about_all_users(call: Call, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app1", user_id="bo", scopes=SCOPES))
    with nothing_changes():
        answer = send(api, call)
    if routes.WITHOUT_A_USER[call.name] == "refused":
        refused(answer, call, 403, "user_bound_key")
    else:
        assert answer.status == 200
        names_nobody_else(answer, "app1", "bo")


def test_a_key_bound_to_a_user_pages_through_that_users_sessions_only(make_key: Callable[..., str]) -> None:
    api = Api(make_key("app1", user_id="bo"))
    answer = api.get("/apps/app1/sessions?user=bo")
    assert {row["userId"] for row in answer.json["sessions"]} == {"bo"}
    names_nobody_else(answer, "app1", "bo")
    refused(api.get("/apps/app1/sessions?user=ana"), every_call()[0], 404, "not_found")
    # E15: an empty user is no user, and never "all".
    assert api.get("/apps/app1/sessions?user=").status == 400
    assert api.get("/apps/app1/sessions?user=%20").status == 400


@USER_CALLS
def test_a_key_bound_to_a_user_serves_that_user(call: Call, make_key: Callable[..., str]) -> None:
    session = "fresh" if call.key == ("session", "POST") else "main"
    answer = send(Api(make_key("app1", user_id="ana")), call, session=session)
    if answer.status == 403:
        # What all users read is not for such a key to write.
        assert "app:" in str(call.body) and answer.code == "app_state_forbidden"
        return
    assert answer.status == 200, answer.text
    names_nobody_else(answer, "app1", "ana")


@pytest.mark.parametrize("call", [call for call in calls_with("user") if call.writes and call.body], ids=str)
def test_a_key_bound_to_a_user_writes_nothing_that_others_read(call: Call, make_key: Callable[..., str]) -> None:
    delta = {"mine": 1, "app:ours": 1}
    event = {"author": "x", "actions": {"stateDelta": delta}}
    bodies = {
        ("user-sessions", "POST"): [{"state": delta}, {"events": [event]}],
        ("session", "PUT"): [{"state": delta}, {"events": [event]}],
        ("session", "POST"): [delta],
        ("session", "PATCH"): [{"stateDelta": delta}, {"stateDelta": {"mine": 1}, "removeKeys": ["app:app1"]}],
        ("events", "POST"): [{"event": event}, {"event": {"author": "x", "actions": {"state_delta": delta}}}],
        ("events-batch", "POST"): [{"events": [{"author": "x"}, event]}],
    }[call.key]
    api = Api(make_key("app1", user_id="ana"))
    session = "fresh" if call.key == ("session", "POST") else "main"
    with nothing_changes():
        for body in bodies:
            answer = api(call.method, call.target(app="app1", user="ana", session=session), body)
            refused(answer, call, 403, "app_state_forbidden")


# Which session?


@SESSION_CALLS
@pytest.mark.parametrize("owner", ["only-app1-bo", "only-app2-ana"])
def test_anothers_session_is_as_absent_as_a_missing_one(call: Call, owner: str, make_key: Callable[..., str]) -> None:
    """E1, E2, E11: the id exists, but for another user or in another project."""
    api = Api(make_key("app1", "app2") if owner == "only-app1-bo" else make_key("app1"))
    before = dump_tables()
    foreign = send(api, call, session=owner)
    names_nobody_else(foreign, "app1", "ana")
    if call.key in routes.MAKES_WHAT_IS_ABSENT:
        assert (foreign.status, foreign.json["userId"], foreign.json["revision"]) == (200, "ana", 0)
        after = dump_tables()
        for table in ("Session", "Event", "SessionState", "SessionLabel"):
            rows = before[f"sessions_app.{table}"]
            assert after[f"sessions_app.{table}"][: len(rows)] == rows
        return
    missing = send(api, call, session="nowhere")
    assert dump_tables() == before
    assert foreign.without_request_id == missing.without_request_id
    if call.key in routes.ABSENT_IS_EMPTY:
        assert (foreign.status, foreign.text) == (200, routes.ABSENT_IS_EMPTY[call.key])
    else:
        refused(foreign, call, 404, "session_not_found")


@USER_CALLS
def test_a_user_without_data_finds_nothing_of_others(call: Call, make_key: Callable[..., str]) -> None:
    answer = send(Api(make_key("app1")), call, user="carla", session="main")
    assert not any(mark(*owner) in answer.text for owner in OWNERS)
    if call.key in routes.ABSENT_IS_EMPTY:
        assert answer.text == routes.ABSENT_IS_EMPTY[call.key]
    elif call.key not in routes.MAKES_WHAT_IS_ABSENT and call.method != "HEAD":
        assert answer.code == "session_not_found"


def test_deleting_a_session_leaves_those_of_the_same_id(make_key: Callable[..., str]) -> None:
    api = Api(make_key())
    others = [session_path("app1", "bo", "main"), session_path("app2", "ana", "main")]
    before = [api.get(path).text for path in others]
    assert api.delete(session_path("app1", "ana", "main")).text == "null"
    assert api.get(session_path("app1", "ana", "main")).code == "session_not_found"
    assert [api.get(path).text for path in others] == before


# The generator itself.


def test_a_route_that_nobody_knows_fails_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    view = urls.urlpatterns[-1].callback
    new = [
        path("apps/<segment:app>/users/<segment:user>/sessions/<segment:session>/rewind", view, name="rewind"),
        path("apps/<segment:app>/users/<segment:user>/things/<segment:thing>", view, name="thing"),
        path("apps/<segment:app>/audit", view, name="audit"),
        path("open", lambda request: None, name="open"),
    ]
    for route in new:
        monkeypatch.setattr(urls, "urlpatterns", [*urls.urlpatterns[:1], route])
        with pytest.raises((AssertionError, AttributeError)):
            every_call()


def test_every_route_of_the_server_asks_for_a_key_or_is_open_on_purpose() -> None:
    """Routes of an app that is not named here have no generated tests yet: give them some, then name it."""
    with_tests = {"sessions_app", "memory_app"}
    open_to_all = {"health/live", "health/ready", "version", "favicon.ico", "openapi.json", "docs", "admin"}
    for route, view in routes.server_routes():
        kind = getattr(view, "cls", None)
        if kind is not None and issubclass(kind, KeyedView):
            assert kind.__module__.partition(".")[0] in with_tests, route
        else:
            assert route in open_to_all, f"{route} answers without an API key."
