"""Jobs are written with what they belong to, held by one worker at a time, and each takes effect once."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from jobs_app.adapters import nudge
from jobs_app.domain.errors import JobEnded, JobNotDead, LostLease, OperationNotFound
from jobs_app.domain.records import CANCELLED, DEAD, DONE, RUNNING, WAITING, NewJob
from jobs_app.models import Job
from jobs_app.models.claiming import claimable
from jobs_app.selectors import count_unfinished, get_operation
from jobs_app.services import outbox
from jobs_app.services.outbox import cancel_job, cancel_jobs, claim_job, enqueue, fail_job, finish_job, retry_job
from tests.jobs_app.work import SECRET, TOPIC, add_job, effects, make_due, row_of
from tests.sessions_app.services.threads import Background, all_well, at_once, errors_among

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def nudges(monkeypatch):
    """What wakes the workers only counts here."""
    calls = []
    monkeypatch.setattr(nudge, "_wake", lambda: calls.append(Job.objects.count()))
    return calls


class TestEnqueue:
    def test_l3_a_job_is_rolled_back_with_its_transaction_and_wakes_nobody(self, nudges):
        with pytest.raises(ZeroDivisionError), write_transaction():
            enqueue(NewJob(TOPIC, {}, 1, "ana", "test"))
            assert Job.objects.count() == 1
            1 / 0  # noqa: B018
        assert Job.objects.count() == 0 and nudges == []

    def test_l3_workers_are_woken_once_the_job_can_be_seen_by_the_id_that_was_returned(self, nudges):
        with write_transaction():
            operation_id = enqueue(NewJob(TOPIC, {"n": 1}, 7, "ana", "test"))
            assert nudges == []
        assert nudges == [1]
        view = get_operation(operation_id)
        assert (view.topic, view.status, view.project_id, view.user_id, view.attempts) == (TOPIC, WAITING, 7, "ana", 0)

    def test_l3_no_worker_sees_a_job_before_its_transaction_ends(self, work):
        written, seen = threading.Event(), threading.Event()

        def write_slowly():
            with write_transaction():
                enqueue(NewJob(TOPIC, {"name": "slow"}, 1, "ana", "test"))
                written.set()
                if connection.vendor == "postgresql":  # On SQLite a claim waits until the writer is done.
                    assert seen.wait(30)

        writer = Background(write_slowly)
        assert written.wait(30)
        if connection.vendor == "postgresql":
            assert claim_job() is None
        seen.set()
        writer.finish()
        assert claim_job() is not None

    def test_a_wake_up_that_fails_fails_no_request(self, monkeypatch):
        def broken():
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(nudge, "_wake", broken)
        assert row_of(add_job()).status == WAITING

    def test_an_unknown_operation_is_not_found(self):
        with pytest.raises(OperationNotFound):
            get_operation(uuid4())


class TestClaim:
    def test_the_oldest_job_comes_first_and_is_leased(self, work):
        first, second = add_job("a"), add_job("b")
        claimed = [claim_job(), claim_job(), claim_job()]
        assert [job and job.payload["name"] for job in claimed] == ["a", "b", None]
        assert claimed[0].attempt == 1 and claimed[0].lease == row_of(first).lease != row_of(second).lease
        assert row_of(first).status == RUNNING and row_of(first).available_at > timezone.now()

    def test_no_job_is_given_to_two_workers(self, work):
        for number in range(24):
            add_job(str(number))

        def claim_three():
            return [job.id for job in (claim_job() for _ in range(3)) if job]

        claimed = [pk for ids in all_well(at_once([claim_three] * 8)) for pk in ids]
        left = [job.id for job in iter(claim_job, None)]
        assert sorted(claimed + left) == sorted(Job.objects.values_list("pk", flat=True))

    def test_jobs_of_one_lane_run_one_after_the_other_and_others_do_not_wait(self, work):
        for name in ("a", "b"):
            add_job(name, lane="x")
        add_job("c", lane="y")
        add_job("d")
        add_job("e")
        claimed = list(iter(claim_job, None))
        assert [job.payload["name"] for job in claimed] == ["a", "c", "d", "e"]
        finish_job(claimed[0], None)
        assert claim_job().payload["name"] == "b"

    def test_a_lane_keeps_its_order_across_a_retry(self, work):
        add_job("a", lane="x"), add_job("b", lane="x")
        fail_job(claim_job(), "RuntimeError")
        assert claim_job() is None
        make_due()
        first = claim_job()
        assert first.payload["name"] == "a" and claim_job() is None
        finish_job(first, None)
        assert claim_job().payload["name"] == "b"

    def test_a_dead_job_lets_its_lane_go_on_and_retried_waits_for_what_runs(self, work):
        dead = add_job("a", lane="x")
        add_job("b", lane="x")
        fail_job(claim_job(), "code", permanent=True)
        running = claim_job()
        assert running.payload["name"] == "b"
        retry_job(dead)
        assert claim_job() is None
        finish_job(running, None)
        assert claim_job().payload["name"] == "a"

    def test_a_retried_job_and_a_later_one_whose_worker_died_do_not_wait_for_each_other(self, work):
        dead = add_job("a", lane="x")
        add_job("b", lane="x")
        fail_job(claim_job(), "code", permanent=True)
        claim_job()
        retry_job(dead)
        make_due(status=RUNNING)
        assert claim_job().payload["name"] == "a"

    @pytest.mark.postgres
    def test_writers_to_one_lane_queue_so_that_order_is_the_order_of_visibility(self, work):
        may_end, written = threading.Event(), threading.Event()

        def hold():
            with write_transaction():
                enqueue(NewJob(TOPIC, {"name": "first"}, 1, "ana", "test", "x"))
                written.set()
                assert may_end.wait(30)

        first = Background(hold)
        assert written.wait(30)
        second = Background(lambda: add_job("second", lane="x"))
        assert not second.ended_within(0.3)
        add_job("elsewhere", lane="y")
        assert claim_job().payload["name"] == "elsewhere" and claim_job() is None
        may_end.set()
        first.finish(), second.finish()
        assert claim_job().payload["name"] == "first" and claim_job() is None

    def test_many_finished_jobs_do_not_slow_a_claim(self, work):
        """What claims goes by indexes that hold unfinished jobs only, on both databases."""
        fill(3000, status=DONE, finished_at=timezone.now())
        add_job(lane="x")
        plan = claimable(timezone.now()).explain()
        whole_table = ("Seq Scan", "SCAN jobs_app_job\n", "USING INTEGER PRIMARY KEY")
        assert not [words for words in whole_table if words in plan + "\n"], plan
        assert claim_job().payload["name"] == "a"


def fill(count, **facts):
    """Many jobs at once."""
    now = timezone.now()
    same = {"project_id": 1, "topic": TOPIC, "payload": "{}", "available_at": now, "created_at": now, **facts}
    Job.objects.bulk_create([Job(**same) for _ in range(count)])
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE jobs_app_job")


class TestLease:
    def test_l2_a_lease_that_ended_hands_the_job_over_and_the_late_worker_writes_nothing(self, work):
        operation_id = add_job()
        late = claim_job()
        assert claim_job() is None
        make_due()
        second = claim_job()
        assert second.id == late.id and second.attempt == 2 and second.lease != late.lease
        with pytest.raises(LostLease):
            finish_job(late, None)
        with pytest.raises(LostLease):
            late.keep()
        fail_job(late, "Late")
        assert effects() == 0 and row_of(operation_id).status == RUNNING and row_of(operation_id).error is None
        finish_job(second, "well")
        assert effects() == 1 and get_operation(operation_id).result == {"outcome": "well"}

    def test_work_that_keeps_its_lease_is_not_handed_over(self, work):
        operation_id = add_job()
        job = claim_job()
        make_due()
        job.keep()
        assert row_of(operation_id).available_at > timezone.now() + timedelta(seconds=30)
        assert claim_job() is None

    def test_a_job_that_kills_its_workers_is_dead_in_the_end(self, work):
        operation_id = add_job()
        for _ in range(8):
            assert claim_job() is not None
            make_due()
        assert claim_job() is None
        row = row_of(operation_id)
        assert (row.status, row.error, row.attempts) == (DEAD, outbox.WORKER_LOST, 8)


class TestFinish:
    def test_l1_finishing_twice_has_one_effect(self, work):
        operation_id = add_job()
        job = claim_job()
        finish_job(job, None)
        with pytest.raises(LostLease):
            finish_job(job, None)
        row = row_of(operation_id)
        assert effects() == 1 and (row.status, row.payload, row.lease, row.error) == (DONE, "", None, None)

    def test_l1_finishing_side_by_side_has_one_effect(self, work):
        add_job()
        job = claim_job()
        lost = errors_among(at_once([lambda: finish_job(job, None)] * 6))
        assert effects() == 1 and [type(error) for error in lost] == [LostLease] * 5

    def test_an_effect_that_fails_leaves_nothing_behind(self, work):
        operation_id = add_job()
        job = claim_job()
        with pytest.raises(TypeError):
            finish_job(job, object())  # What is not JSON fails after the effect was written.
        assert effects() == 0 and row_of(operation_id).status == RUNNING


class TestFail:
    def test_it_waits_twice_as_long_after_each_failure_and_is_dead_after_eight(self, work):
        operation_id = add_job()
        for attempt in range(1, 8):
            before = timezone.now()
            fail_job(claim_job(), "RuntimeError")
            row = row_of(operation_id)
            waited = (row.available_at - before).total_seconds()
            assert row.status == WAITING and 2**attempt <= waited < 2**attempt + 5
            assert claim_job() is None
            make_due()
        fail_job(claim_job(), "RuntimeError")
        row = row_of(operation_id)
        assert (row.status, row.attempts, row.error) == (DEAD, 8, "RuntimeError") and row.finished_at is not None
        make_due()
        assert claim_job() is None

    def test_a_dead_job_is_tried_again_with_a_full_round_of_attempts(self, work, nudges):
        operation_id = add_job()
        fail_job(claim_job(), "code", permanent=True)
        nudges.clear()
        retry_job(operation_id)
        assert nudges == [1]
        job = claim_job()
        assert job.attempt == 1 and job.payload["text"] == SECRET
        finish_job(job, None)
        assert row_of(operation_id).status == DONE and row_of(operation_id).error is None

    def test_only_dead_jobs_are_tried_again(self, work):
        operation_id = add_job()
        with pytest.raises(JobNotDead):
            retry_job(operation_id)
        with pytest.raises(OperationNotFound):
            retry_job(uuid4())


class TestCancel:
    def test_a_cancelled_job_writes_nothing_and_holds_no_payload(self, work):
        waiting, running = add_job("a"), add_job("b")
        Job.objects.filter(operation_id=waiting).update(available_at=timezone.now() + timedelta(days=1))
        job = claim_job()
        for operation_id in (waiting, running):
            cancel_job(operation_id)
            row = row_of(operation_id)
            assert (row.status, row.payload, row.lease) == (CANCELLED, "", None) and row.finished_at is not None
        with pytest.raises(LostLease):
            finish_job(job, None)
        make_due()
        assert claim_job() is None and effects() == 0

    def test_what_has_ended_is_not_cancelled(self, work):
        operation_id = add_job()
        finish_job(claim_job(), None)
        with pytest.raises(JobEnded):
            cancel_job(operation_id)
        with pytest.raises(OperationNotFound):
            cancel_job(uuid4())

    def test_a_users_jobs_are_cancelled_by_topic_and_status(self, work):
        mine, other_user, other_project = add_job(), add_job(user="ben"), add_job(project_id=2)
        assert cancel_jobs(1, "ana", ("elsewhere",), statuses=(WAITING,)) == 0
        assert cancel_jobs(1, "ana", (TOPIC,), statuses=(DEAD,)) == 0
        assert cancel_jobs(1, "ana", (TOPIC,), statuses=(WAITING, RUNNING)) == 1
        assert [row_of(one).status for one in (mine, other_user, other_project)] == [CANCELLED, WAITING, WAITING]


def test_unfinished_jobs_of_a_lane_are_counted(work):
    add_job(lane="x"), add_job(lane="x"), add_job(lane="y")
    assert count_unfinished("x") == 2
    finish_job(claim_job(), None)
    assert count_unfinished("x") == 1
