"""Erasing a user takes everything that this server keeps of them, once and for all."""

import contextlib
from collections.abc import Callable

import pytest

from adk_project.shared.lifecycle import Erased, LeavingUser
from jobs_app.domain.errors import LostLease
from jobs_app.services.drain import drain
from jobs_app.services.outbox import claim_job, finish_job
from jobs_app.services.registry import find_handler
from memory_app.models import MemoryScope, UserErasure
from memory_app.services import erasing_user
from memory_app.services.rebuilding import rebuild_scope_index
from sessions_app.domain.access import SCOPES
from tests.memory_app.conftest import MakePerson
from tests.memory_app.person import Person, ago
from tests.memory_app.stored import dump, rows_holding, statistics
from tests.sessions_app.http_client import Api, session_path

pytestmark = pytest.mark.django_db

SECRET = "I am allergic to peanuts."
EVERYWHERE = ("sessions_app", "memory_app", "jobs_app")


@pytest.fixture
def full(ana: Person) -> Person:
    """Someone with sessions, state, memories, superseded ones, tombstones, jobs done, dead and waiting."""
    ana.tell("s1", SECRET, "I live in Porto.", "I live in Gdansk.")
    ana.add("peanuts again", key="snack")
    ana.forget(query="nothing like that", reason="because of the peanuts")
    ana.forget(key="snack", reason="peanuts")
    path = session_path(ana.project, ana.user, "s1")
    delta = {"note": "peanuts", "user:diet": "peanuts", "app:theme": "dark"}
    ana.ok(ana.api.patch(path, {"stateDelta": delta, "title": "peanuts", "labels": {"a": "peanuts"}}))
    ana.say("s2", SECRET)
    ana.request("s2")
    ana.request_events({"id": "x", "author": "user", "content": {"parts": [{"text": SECRET}]}})
    return ana


def test_nothing_of_the_user_is_left(full: Person) -> None:
    assert rows_holding("peanuts", *EVERYWHERE)
    receipt = full.erase()
    assert rows_holding("peanuts", *EVERYWHERE) == []
    assert rows_holding("Gdansk", *EVERYWHERE) == []
    counts = receipt["counts"]
    assert counts["sessions"] == 2 and counts["events"] >= 4 and counts["userState"] == 1 and counts["jobs"] == 3
    assert counts["memories"] > 4 and counts["tombstonesKept"] >= 2
    assert receipt["notReached"] == ["app:theme"]
    assert len(receipt["digests"][0]) == 64 and "ana" not in str(receipt)
    assert full.memories(status="any") == [] and full.found("peanuts") == []
    assert full.ok(full.api.get(f"{full.path}/sessions")) == [] and full.ok(full.api.get(f"{full.path}/state")) == {}
    assert full.ok(full.api.get(f"/apps/{full.project}/state")) == {"theme": "dark"}
    assert statistics() == {"scopes": [], "terms": [], "postings": []}
    assert all("reason" not in item or not item["reason"] for item in full.tombstones())


def test_a_job_that_was_queued_before_writes_nothing_afterwards(full: Person) -> None:
    job = claim_job()
    assert job is not None
    reading = find_handler(job.topic).work(job)
    assert reading.proposals
    full.erase()
    with pytest.raises(LostLease):
        finish_job(job, reading)
    drain()
    assert rows_holding("peanuts", *EVERYWHERE) == [] and full.memories(status="any") == []


def test_a_job_that_was_being_asked_for_writes_nothing_either(ana: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row is committed only after the erasure has looked for jobs."""
    run = erasing_user.run_erasers

    def meanwhile(user: LeavingUser) -> Erased:
        erased = run(user)
        ana.request_events({"id": "x", "author": "user", "content": {"parts": [{"text": SECRET}]}, "timestamp": 4e9})
        return erased

    monkeypatch.setattr(erasing_user, "run_erasers", meanwhile)
    monkeypatch.setattr("memory_app.services.ingestion.write_transaction", contextlib.nullcontext)
    ana.erase()
    drain()
    assert rows_holding("peanuts") == []


def test_a_new_conversation_is_remembered(full: Person) -> None:
    full.erase()
    full.sessions.clear()
    full.tell("s1", "My dog is called Rex.")
    assert "My dog is called Rex." in full.texts()
    assert full.add("I like tea")["memories"]


def test_data_that_is_older_than_the_erasure_is_refused(full: Person) -> None:
    full.erase()
    full.sessions.clear()
    assert full.add("I like tea", timestamp=ago(1))["outcome"]["refused"] == {"older than the user's erasure": 1}
    result = full.tell("s1", "I like tea.", timestamp=ago(0.01))
    assert result["stored"] == 0 and set(result["refused"]) == {"older than the user's erasure"}
    assert full.memories() == []


def test_what_was_forgotten_before_stays_forgotten(ana: Person) -> None:
    ana.tell("s1", SECRET)
    ana.forget(query="peanuts")
    ana.erase()
    ana.sessions.clear()
    ana.tell("s1", SECRET)
    assert ana.memories() == []


def test_e13_other_users_and_projects_keep_what_they_have(
    full: Person, bo: Person, make_person: MakePerson, make_project: Callable[..., str]
) -> None:
    """Users saw: after deleting one user's memories the collection was empty for all."""
    namesake = make_person("ana", make_project())
    for person in (bo, namesake):
        person.tell("s1", SECRET)
        person.request("s1")
    before = [_of(bo), _of(namesake)]
    full.erase()
    assert [_of(bo), _of(namesake)] == before
    assert SECRET in bo.texts() and SECRET in namesake.texts()


def _of(person: Person) -> list[object]:
    scope = MemoryScope.objects.get(project__name=person.project, user_id=person.user)
    owner = (scope.project_id, person.user)
    return [
        row
        for table, rows in dump(*EVERYWHERE).items()
        for row in rows
        if (table.startswith("memory_app") and row.get("scope_id") == scope.pk)
        or (row.get("project_id"), row.get("user_id")) == owner
    ]


def test_it_is_safe_to_run_twice_and_for_whom_nobody_knows(full: Person, bo: Person) -> None:
    full.erase()
    counts = full.erase()["counts"]
    assert counts.pop("tombstonesKept") >= 2 and set(counts.values()) == {0}
    bo.erase()
    assert UserErasure.objects.count() == 3
    # Of someone who left no tombstone, no row keeps the id.
    assert rows_holding("bo", "memory_app") == []


def test_index_work_that_finds_the_scope_gone_ends(bo: Person) -> None:
    bo.tell("s1", SECRET)
    scope = MemoryScope.objects.get(user_id="bo").pk
    bo.erase()
    assert rebuild_scope_index(scope) == 0


@pytest.mark.parametrize(
    "query", ["", "?reason=", "?reason=%20", "?why=left", "?reason=a&all=true", "?reason=a&reason=b"]
)
def test_e13_it_asks_for_a_reason_and_for_nothing_else(full: Person, query: str) -> None:
    before = dump(*EVERYWHERE)
    answer = full.api.delete(f"{full.path}{query}")
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert dump(*EVERYWHERE).keys() == before.keys() and rows_holding("peanuts", *EVERYWHERE)


def test_only_an_admin_erases(full: Person, make_key: Callable[..., str]) -> None:
    key = make_key(full.project, scopes=[scope for scope in SCOPES if scope != "admin"])
    answer = Api(key).delete(f"{full.path}?reason=left")
    assert (answer.status, answer.code) == (403, "scope_missing")
    assert rows_holding("peanuts", *EVERYWHERE)
