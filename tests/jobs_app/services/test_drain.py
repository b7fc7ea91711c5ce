"""Draining: every failure is noted on the row as a word, and nothing that was said reaches the log."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs_app.adapters import nudge
from jobs_app.domain.errors import PermanentFailure
from jobs_app.domain.records import CANCELLED, DEAD, DONE, WAITING
from jobs_app.models import Job
from jobs_app.services.drain import drain, forget_finished
from jobs_app.services.outbox import cancel_job, claim_job
from jobs_app.tasks import drain_jobs, forget_finished_jobs
from tests.jobs_app.work import SECRET, add_job, effects, make_due, row_of
from tests.sessions_app.services.threads import Background, all_well, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_runs_all_that_is_due_and_says_how_many(work):
    for number in range(5):
        add_job(str(number))
    assert drain() == 5 and drain() == 0
    assert work.worked == list("01234") and effects() == 5


def test_l1_the_task_twice_and_side_by_side_has_each_effect_once(work):
    for number in range(20):
        add_job(str(number), lane=str(number % 3))
    all_well(at_once([drain_jobs] * 4))
    drain_jobs()
    assert effects() == 20 and sorted(work.worked, key=int) == [str(number) for number in range(20)]


def test_jobs_of_a_lane_run_in_order_under_several_workers(work):
    for number in range(30):
        add_job(f"{number % 2} {number:02}", lane=str(number % 2))
    all_well(at_once([drain] * 4))
    while drain():  # A worker that met only held lanes has gone home.
        pass
    for lane in "01":
        names = [name for name in work.worked if name.startswith(lane)]
        assert names == sorted(names) and len(names) == 15


def test_a_failure_waits_and_a_permanent_one_is_dead_at_once(work, caplog):
    def fail(job):
        raise PermanentFailure("no_such_thing") if job.payload["name"] == "p" else ValueError(job.payload["text"])

    work.during = fail
    passing, permanent = add_job("t"), add_job("p")
    assert drain() == 2
    assert (row_of(passing).status, row_of(passing).error) == (WAITING, "ValueError")
    assert (row_of(permanent).status, row_of(permanent).error) == (DEAD, "no_such_thing")
    assert SECRET not in caplog.text and "ValueError" in caplog.text
    work.during = lambda job: "well"
    make_due(status=WAITING)
    drain()
    assert row_of(passing).status == DONE and row_of(passing).attempts == 2 and effects() == 1


def test_a_topic_that_nobody_knows_is_tried_again_later(work):
    operation_id = add_job()
    Job.objects.update(topic="of.a.newer.version")
    drain()
    assert (row_of(operation_id).status, row_of(operation_id).error) == (WAITING, "KeyError")


def test_a_job_cancelled_while_it_is_worked_on_writes_nothing(work):
    operation_id = add_job()
    work.during = work.pause
    worker = Background(drain)
    assert work.started.wait(30)
    cancel_job(operation_id)
    work.may_go_on.set()
    worker.finish()
    row = row_of(operation_id)
    assert effects() == 0 and (row.status, row.payload, row.error) == (CANCELLED, "", None)


def test_a_worker_that_was_too_slow_leaves_the_job_to_the_next(work):
    operation_id = add_job()
    work.during = work.pause
    slow = Background(drain)
    assert work.started.wait(30)
    make_due()
    work.during = lambda job: "second"
    drain()
    work.may_go_on.set()
    slow.finish()
    assert effects() == 1 and row_of(operation_id).status == DONE and len(work.worked) == 2


def test_after_its_time_it_begins_nothing_more_and_asks_for_another_run(work, monkeypatch):
    nudges = []
    for name in "abc":
        add_job(name)
    monkeypatch.setattr(nudge, "_wake", lambda: nudges.append(1))
    assert drain(seconds=-1) == 0 and nudges == [1]
    assert drain(limit=2) == 2 and nudges == [1, 1]
    assert drain() == 1 and nudges == [1, 1]


def test_what_ended_long_ago_is_deleted_and_nothing_else(work):
    names = {}
    for status, days in ((DONE, 6), (DONE, 8), (CANCELLED, 8), (DEAD, 8), (DEAD, 31), (WAITING, 31)):
        operation_id = add_job()
        ended = timezone.now() - timedelta(days=days)
        Job.objects.filter(operation_id=operation_id).update(status=status, finished_at=ended, created_at=ended)
        names[operation_id] = f"{status} {days}"
    assert forget_finished_jobs() == 3 and forget_finished() == 0
    left = [names[row.operation_id] for row in Job.objects.order_by("pk")]
    assert left == ["done 6", "dead 8", "waiting 31"]
    assert claim_job() is not None
