"""Operators see that there is work and how it goes, never what it carries; they try again and cancel."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from jobs_app.domain.records import CANCELLED, DEAD, DONE, WAITING
from jobs_app.models import Job
from jobs_app.services.outbox import claim_job, fail_job, finish_job
from tests.jobs_app.work import SECRET, add_job, row_of

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "admin:jobs_app_job_changelist"


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


@pytest.fixture
def dead(work) -> Job:
    operation_id = add_job()
    fail_job(claim_job(), "no_such_thing", permanent=True)
    return row_of(operation_id)


def act(client: Client, action: str, *rows: Job) -> str:
    body = {"action": action, "_selected_action": [row.pk for row in rows], "post": "yes"}
    return client.post(reverse(LIST), body, follow=True).content.decode()


def test_the_pages_show_how_it_goes_and_not_what_was_said(staff, dead):
    pages = [reverse(LIST), reverse("admin:jobs_app_job_change", args=[dead.pk])]
    for page in pages:
        html = staff.get(page).content.decode()
        assert str(dead.operation_id) in html and "no_such_thing" in html
        assert SECRET not in html


def test_jobs_are_found_by_whole_ids(staff, dead):
    add_job(user="ben")

    def found(words: str) -> int:
        answer = staff.get(reverse(LIST), {"q": words})
        assert answer.status_code == 200
        return answer.context["cl"].result_count

    assert [found(words) for words in (str(dead.operation_id), "ben", "be", str(uuid4()), "'")] == [1, 1, 0, 0, 0]


def test_nothing_is_added_changed_or_deleted_here(staff, dead):
    for name, arguments in (("add", []), ("change", [dead.pk]), ("delete", [dead.pk])):
        assert staff.post(reverse(f"admin:jobs_app_job_{name}", args=arguments), {"post": "yes"}).status_code == 403
    act(staff, "delete_selected", dead)
    assert row_of(dead.operation_id).status == DEAD


def test_dead_jobs_are_tried_again(staff, dead):
    waiting = row_of(add_job())
    html = act(staff, "retry", dead, waiting)
    assert "Put back 1 jobs." in html and "1 were not dead." in html
    assert row_of(dead.operation_id).status == WAITING


def test_jobs_are_cancelled_and_what_they_carry_is_erased(staff, dead):
    waiting = row_of(add_job())
    html = act(staff, "cancel", dead, waiting)
    assert "Cancelled 2 jobs." in html
    assert [(row.status, row.payload) for row in Job.objects.all()] == [(CANCELLED, "")] * 2


def test_what_is_done_stays_done(staff, work):
    add_job()
    finish_job(claim_job(), None)
    html = act(staff, "cancel", Job.objects.get())
    assert "1 had ended already." in html and Job.objects.get().status == DONE


def test_staff_who_may_only_look_change_nothing(dead):
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_job"))
    client = Client()
    client.force_login(viewer)
    assert str(dead.operation_id) in client.get(reverse(LIST)).content.decode()
    for action in ("retry", "cancel"):
        act(client, action, dead)
    assert row_of(dead.operation_id).status == DEAD
