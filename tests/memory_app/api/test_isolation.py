"""No route of memory gives, takes or changes another's data: generated from the URL conf, as that of the sessions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.urls import path
from django.utils import timezone

from jobs_app.services.drain import drain
from memory_app.api import urls
from sessions_app.domain.access import SCOPES
from sessions_app.models import ApiKey, Project
from sessions_app.services.api_keys import revoke_api_key
from tests.memory_app.api import routes
from tests.memory_app.api.routes import Call, calls_with, every_call
from tests.memory_app.person import Person
from tests.memory_app.stored import dump
from tests.sessions_app.http_client import Answer, Api

pytestmark = pytest.mark.django_db

ALL_CALLS = pytest.mark.parametrize("call", every_call(), ids=str)
PROJECT_CALLS = pytest.mark.parametrize("call", calls_with("app"), ids=str)
USER_CALLS = pytest.mark.parametrize("call", calls_with("user"), ids=str)
ENTITY_CALLS = pytest.mark.parametrize("call", [call for call in every_call() if call.name in routes.ABSENT], ids=str)

OWNERS = (("app1", "ana"), ("app1", "bo"), ("app2", "ana"))
NEVER = "0189c0de-0000-7000-8000-000000000000"
EVERYTHING = ("sessions_app", "memory_app", "jobs_app")
Ids = dict[str, str]


def mark(project: str, user: str) -> str:
    """A word that stands in everything one user of one project has, and nowhere else."""
    return f"secret{project}{user}"


@pytest.fixture(autouse=True)
def world(make_project: Callable[..., str], make_key: Callable[..., str]) -> dict[tuple[str, str], Ids]:
    """Three owners with a session ``main``, memories, a tombstone and an operation each; the ids of what they have."""
    for project in ("app1", "app2"):
        make_project(project)
    ids = {}
    for project, user in OWNERS:
        person = Person(Api(make_key(scopes=("admin",))), project, user)
        word = mark(project, user)
        person.say("main", f"My secret word is {word}")
        person.say(f"only-{project}-{user}", "nothing")
        operation = person.request("main")
        drain()
        memory = person.add(f"secret {word}", key="word")["memories"][0]["id"]
        person.add(f"gone {word}", key="gone")
        tombstone = person.forget(key="gone", reason=f"of {word}")["tombstones"][0]
        ids[project, user] = {
            "app": project,
            "user": user,
            "session": "main",
            "memory": memory,
            "tombstone": tombstone,
            "operation": operation,
        }
    return ids


@pytest.fixture
def own(world: dict[tuple[str, str], Ids]) -> Ids:
    return world["app1", "ana"]


def send(api: Api, call: Call, ids: Ids, root: str = "/", **others: str) -> Answer:
    body = call.body
    if call.key == ("memory-policy", "PUT"):
        planned = api.post(call.target(root, **{**ids, **others}) + ":plan", {"policy": body["policy"]})
        body = {**body, "fingerprint": planned.json["fingerprint"] if planned.status == 200 else "none"}
    if call.key == ("add-session-to-memory", "PATCH"):
        body = {"sessionId": {**ids, **others}["session"]}
    return api(call.method, call.target(root, **{**ids, **others}), body)


def refused(answer: Answer, call: Call, status: int, code: str) -> None:
    assert answer.status == status, answer.text
    if call.method != "HEAD":
        assert answer.code == code
    assert "secret" not in answer.text


def names_nobody_else(answer: Answer, project: str, user: str) -> None:
    for owner in OWNERS:
        if owner != (project, user):
            assert mark(*owner) not in answer.text


@contextmanager
def nothing_changes() -> Iterator[None]:
    before = _facts()
    yield
    assert _facts() == before


def _facts() -> object:
    return {
        table: [{name: value for name, value in row.items() if name != "last_used_at"} for row in rows]
        for table, rows in dump(*EVERYTHING).items()
    }


@pytest.fixture(autouse=True)
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """ADK's own route waits for the worker, which these tests do not run."""
    monkeypatch.setattr("jobs_app.api.operations._LONGEST_WAIT_SECONDS", 0)


@ALL_CALLS
@pytest.mark.parametrize("root", ["/", "/api/v1/"])
def test_it_answers_a_key_of_the_project(call: Call, root: str, own: Ids, make_key: Callable[..., str]) -> None:
    """Without this the refusals below could have another cause than the one they name."""
    answer = send(Api(make_key("app1", scopes=("admin",))), call, own, root)
    waits = call.key == ("add-session-to-memory", "PATCH")
    assert answer.status == (202 if waits else call.status), answer.text
    if "user" in call.parts:
        names_nobody_else(answer, "app1", "ana")


@ALL_CALLS
def test_it_refuses_who_shows_no_valid_key(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    key, expired, revoked = (make_key("app1", scopes=SCOPES) for _ in range(3))
    past = timezone.now() - timedelta(milliseconds=1)
    ApiKey.objects.filter(prefix=expired.split("_")[1]).update(expires_at=past)
    revoke_api_key(revoked.split("_")[1])
    for bad in (None, "", key.upper(), key[:-1], expired, revoked):
        with nothing_changes():
            answer = send(Api(bad), call, own)
        refused(answer, call, 401, "unauthenticated")


@ALL_CALLS
def test_without_a_key_nothing_can_be_told_apart(call: Call, own: Ids) -> None:
    others: tuple[Ids, ...] = ({"app": "nowhere"}, {"user": "nobody"}, {"session": "none"}, {"memory": NEVER})
    answers = {send(Api(None), call, own, **ids).without_request_id for ids in ({}, *others)}
    assert len(answers) == 1


@PROJECT_CALLS
def test_another_project_is_as_absent_as_a_missing_one(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app2", scopes=SCOPES[:-1]))
    admin = Api(make_key("app2", scopes=("admin",)))
    for caller in (admin, *([] if call.scope == "admin" else [api])):
        with nothing_changes():
            foreign, missing = send(caller, call, own), send(caller, call, own, app="nowhere")
        refused(foreign, call, 404, "project_not_found")
        assert foreign.without_request_id == missing.without_request_id


@PROJECT_CALLS
def test_a_key_of_a_deleted_project_opens_nothing(
    call: Call, own: Ids, make_project: Callable[..., str], make_key: Callable[..., str]
) -> None:
    make_project("gone")
    key = make_key("gone", scopes=SCOPES)
    Project.objects.get(name="gone").delete()
    refused(send(Api(key), call, own, app="gone"), call, 404, "project_not_found")
    refused(send(Api(key), call, own), call, 404, "project_not_found")


@PROJECT_CALLS
def test_project_names_differ_by_case_and_by_every_character(
    call: Call, own: Ids, make_key: Callable[..., str]
) -> None:
    api = Api(make_key("app1", scopes=SCOPES))
    with nothing_changes():
        for name in ("APP1", "app", "app1%", "app_", "app11", "app1/"):
            refused(send(api, call, own, app=name), call, 404, "project_not_found")


@ALL_CALLS
def test_it_refuses_a_key_without_the_scope(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    """Every other scope together does not make up for the one that is needed."""
    api = Api(make_key("app1", scopes=[scope for scope in SCOPES if scope not in (call.scope, "admin")]))
    with nothing_changes():
        refused(send(api, call, own), call, 403, "scope_missing")


@ALL_CALLS
def test_its_scope_is_enough(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    answer = send(Api(make_key("app1", scopes=(call.scope,))), call, own)
    assert answer.status in (call.status, 202), answer.text


@USER_CALLS
def test_another_user_is_as_absent_as_a_missing_one(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    api = Api(make_key("app1", user_id="bo", scopes=SCOPES))
    with nothing_changes():
        foreign = send(api, call, own)
        others = [send(api, call, own, user=user) for user in ("nobody", "BO", "b", "bo%", "b_", "bo/", "bo2")]
    refused(foreign, call, 404, "not_found")
    assert {answer.without_request_id for answer in others} == {foreign.without_request_id}


@pytest.mark.parametrize("call", [call for call in every_call() if "user" not in call.parts], ids=str)
def test_a_key_bound_to_a_user_opens_no_route_about_all_users(
    call: Call, world: dict[tuple[str, str], Ids], make_key: Callable[..., str]
) -> None:
    api = Api(make_key("app1", user_id="bo", scopes=SCOPES))
    with nothing_changes():
        answer = send(api, call, world["app1", "bo"])
    if routes.WITHOUT_A_USER[call.key] == "refused":
        refused(answer, call, 403, "user_bound_key")
    else:
        assert answer.status == 200
        names_nobody_else(answer, "app1", "bo")


@ENTITY_CALLS
@pytest.mark.parametrize("owner", OWNERS[1:], ids="-".join)
def test_anothers_is_as_absent_as_what_does_not_exist(
    call: Call,
    owner: tuple[str, str],
    world: dict[tuple[str, str], Ids],
    own: Ids,
    make_key: Callable[..., str],
) -> None:
    """E4: the id exists, but it is another user's, or another project's. Byte for byte the same answer."""
    bound = {"user_id": "ana"} if call.name == "operation" else {}
    api = Api(make_key("app1", scopes=("admin",), **bound))
    entity = next(part for part in ("memory", "tombstone", "operation", "session") if part in (*call.parts, "session"))
    theirs = f"only-{owner[0]}-{owner[1]}" if entity == "session" else world[owner][entity]
    never = "nowhere" if entity == "session" else NEVER
    with nothing_changes():
        foreign = send(api, call, own, **{entity: theirs})
        missing = send(api, call, own, **{entity: never})
    refused(foreign, call, 404, routes.ABSENT[call.name])
    assert foreign.without_request_id == missing.without_request_id


@USER_CALLS
def test_a_user_without_data_finds_nothing_of_others(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    answer = send(Api(make_key("app1", scopes=("admin",))), call, own, user="carla")
    assert not any(mark(*owner) in answer.text for owner in OWNERS)
    assert answer.status in (200, 202, 404)


@USER_CALLS
def test_what_others_have_is_as_it_was(call: Call, own: Ids, make_key: Callable[..., str]) -> None:
    """E13: whatever is done to one user, no row of another changes."""
    before = _rows_of_others()
    send(Api(make_key("app1", scopes=("admin",))), call, own)
    drain()
    assert _rows_of_others() == before


def _rows_of_others() -> list[tuple[str, str]]:
    words = [mark(*owner) for owner in OWNERS[1:]]
    return [
        (table, str(row))
        for table, rows in dump(*EVERYTHING).items()
        for row in rows
        if any(w in str(row) for w in words)
    ]


def test_a_route_that_nobody_knows_fails_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    view = urls.urlpatterns[0].callback
    user = "apps/<segment:app>/users/<segment:user>"
    new = [
        path(f"{user}/memories:export", urls.urlpatterns[-3].callback, name="memory-export"),
        path(f"{user}/memories/<segment:memory>/undo", urls.urlpatterns[-1].callback, name="undo"),
        path(f"{user}/things/<segment:thing>", view, name="thing"),
        path("apps/<segment:app>/memories", view, name="project-memories"),
        path("open", lambda request: None, name="open"),
    ]
    for route in new:
        monkeypatch.setattr(urls, "urlpatterns", [route])
        with pytest.raises((AssertionError, AttributeError)):
            every_call()
