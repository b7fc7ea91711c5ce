"""Operators look, and find nothing that was said. Every page costs a constant number of statements."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from sessions_app.models import ApiKey, Project, Session
from tests.sessions_app.http_client import Api, session_path
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = ("project", "apikey", "session")
SECRET = "what-was-said"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


def fill(api: Api, project: str, sessions: int, events: int = 2) -> None:
    for number in range(sessions):
        path = session_path(project, f"user-{number}", f"session-{number}")
        event = {"author": "bot", "content": {"parts": [{"text": SECRET}]}, "actions": {"stateDelta": {"k": SECRET}}}
        body = {"state": {"a": SECRET, "user:a": SECRET, "app:a": SECRET}, "events": [event] * events, "title": HOSTILE}
        assert api.put(path, body).status == 200


def lists() -> list[str]:
    return [reverse(f"admin:sessions_app_{model}_changelist") for model in MODELS]


def details() -> list[str]:
    rows = (Project.objects.first(), ApiKey.objects.first(), Session.objects.first())
    return [
        reverse(f"admin:sessions_app_{model}_change", args=[row.pk]) for model, row in zip(MODELS, rows, strict=True)
    ]


def statements(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def test_staff_pages_open_and_show_no_content(staff: Client, api: Api, project: str) -> None:
    fill(api, project, 3)
    for page in (reverse("admin:index"), *lists(), *details()):
        answer = staff.get(page)
        html = answer.content.decode()
        assert answer.status_code == 200, page
        assert SECRET not in html and HOSTILE not in html
        assert bytes(ApiKey.objects.get().digest).hex() not in html
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    page = staff.get(details()[2]).content.decode()
    assert "conversation" in page and "bot" in page and "user-0" in page


def test_pages_cost_the_same_however_much_there_is(
    staff: Client, api: Api, project: str, make_project, make_key
) -> None:
    fill(api, project, 2)
    pages = [*lists(), *details(), f"{lists()[2]}?q=session-1"]
    for page in pages:
        staff.get(page)  # The first visit also looks up content types, which are then remembered.
    before = [statements(staff, page) for page in pages]
    fill(api, project, 40, events=5)
    assert (
        api.post(f"{session_path(project, 'user-0', 'session-0')}/events:batch", {"events": [{}] * 300}).status == 200
    )
    for _ in range(20):
        make_key(make_project(), project)
    assert [statements(staff, page) for page in pages] == before


def test_a_session_shows_the_end_of_a_long_log(staff: Client, api: Api, project: str) -> None:
    fill(api, project, 1)
    path = session_path(project, "user-0", "session-0")
    assert api.post(f"{path}/events:batch", {"events": [{"author": f"a{n}"} for n in range(300)]}).status == 200
    html = staff.get(details()[2]).content.decode()
    assert "a299<" in html and "a100<" not in html


def test_sessions_are_found_by_whole_ids_only(staff: Client, api: Api, project: str) -> None:
    fill(api, project, 12)

    def found(words: str) -> int:
        html = staff.get(lists()[2], {"q": words}).content.decode()
        return len(re.findall(r'class="field-session_id"|class="field-session_id nowrap"', html))

    assert (found("session-1"), found("user-11"), found("session"), found("%"), found("' OR 1=1")) == (1, 1, 0, 0, 0)


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_added_changed_or_deleted_here(model: str, staff: Client, api: Api, project: str) -> None:
    fill(api, project, 1)
    row = {"project": Project, "apikey": ApiKey, "session": Session}[model].objects.first()
    with nothing_changes():
        assert staff.get(reverse(f"admin:sessions_app_{model}_add")).status_code == 403
        assert staff.post(reverse(f"admin:sessions_app_{model}_add"), {"name": "x"}).status_code == 403
        change = reverse(f"admin:sessions_app_{model}_change", args=[row.pk])
        assert staff.post(change, {"name": "x", "title": "x"}).status_code == 403
        assert staff.get(reverse(f"admin:sessions_app_{model}_delete", args=[row.pk])).status_code == 403
        assert (
            staff.post(reverse(f"admin:sessions_app_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        )
        staff.post(reverse(f"admin:sessions_app_{model}_changelist"), _action("delete_selected", row))


def test_a_key_is_revoked_from_its_list(staff: Client, api: Api, project: str, make_key) -> None:
    fill(api, project, 1)
    other = make_key(project)
    row = ApiKey.objects.get(prefix=other.split("_")[1])
    answer = staff.post(lists()[1], _action("revoke", row), follow=True)
    assert "Revoked 1 key" in answer.content.decode()
    assert Api(other).get("/list-apps").status == 401 and api.get("/list-apps").status == 200


def test_staff_who_may_only_look_cannot_revoke(api: Api, project: str) -> None:
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_apikey"))
    client = Client()
    client.force_login(viewer)
    with nothing_changes():
        html = client.post(lists()[1], _action("revoke", ApiKey.objects.get()), follow=True).content.decode()
    assert "Revoked 1" not in html


@pytest.mark.parametrize("user", [None, {}, {"is_staff": False}])
def test_nobody_else_gets_in(user: dict[str, Any] | None, api: Api, project: str) -> None:
    fill(api, project, 1)
    client = Client(headers={"Authorization": f"Bearer {api.key}"})
    if user is not None:
        client.force_login(User.objects.create_user("someone", **user))
    for page in (reverse("admin:index"), *lists(), *details()):
        answer = client.get(page)
        assert answer.status_code == 302 and answer.headers["Location"].startswith("/admin/login/")


def test_a_staff_session_is_no_api_key(staff: Client, api: Api, project: str) -> None:
    fill(api, project, 1)
    with nothing_changes():
        for method in ("get", "delete", "put"):
            answer = getattr(staff, method)(session_path(project, "user-0", "session-0"))
            assert answer.status_code == 401 and SECRET not in answer.content.decode()


def _action(name: str, row: Any) -> dict[str, Any]:
    return {"action": name, "_selected_action": [row.pk], "post": "yes"}
