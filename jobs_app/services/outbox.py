"""The outbox: jobs are written with what they belong to, and each takes effect once.

A worker claims a job in a short transaction and holds it by a lease. The slow part runs outside any transaction.
Effects and "done" are written in one transaction that looks at the lease again, so a worker that was late, killed or
doubled writes nothing.
"""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from jobs_app.adapters.nudge import nudge_workers
from jobs_app.domain.backoff import LEASE_SECONDS, is_given_up, retry_delay_seconds
from jobs_app.domain.errors import JobEnded, JobNotDead, LostLease, OperationNotFound
from jobs_app.domain.records import CANCELLED, DEAD, DONE, RUNNING, WAITING, ClaimedJob, NewJob, Result
from jobs_app.models import Job
from jobs_app.models.claiming import claimable, lock_lane
from jobs_app.services.registry import find_handler

WORKER_LOST = "WorkerLost"


def enqueue(job: NewJob) -> UUID:
    """Write a job in the caller's transaction and return its operation id. Workers are woken once that is committed.

    Rolled back with its transaction. A wake-up that is lost costs time, not the job: the sweep finds it.

    Concurrency: on PostgreSQL, writers to one lane queue until the first has committed, so that a lane's order is the
    order in which its jobs become visible.
    """
    now = timezone.now()
    lock_lane(job.lane)
    row = Job.objects.create(
        project_id=job.project_id,
        user_id=job.user_id,
        topic=job.topic,
        lane=job.lane,
        payload=json.dumps(job.payload),
        available_at=now,
        created_at=now,
        created_by=job.actor,
    )
    transaction.on_commit(nudge_workers, robust=True)
    return row.operation_id


def claim_job() -> ClaimedJob | None:
    """The oldest job that is due and whose lane is free, leased to the caller; None when there is none.

    A job whose workers died at it as often as it may fail is dead: it would kill the next one too.

    Concurrency: workers skip what another is just claiming; no job is given to two while its lease runs.
    """
    while True:
        now = timezone.now()
        with write_transaction():
            row = claimable(now).select_for_update(skip_locked=True).first()
            if row is None:
                return None
            if not is_given_up(row.attempts):
                _lease(row, now)
                return _claimed(row)
            _bury(row, WORKER_LOST)


def _lease(row: Job, now: datetime) -> None:
    row.status, row.lease, row.attempts = RUNNING, uuid4(), row.attempts + 1
    row.available_at = now + timedelta(seconds=LEASE_SECONDS)
    row.save(update_fields=["status", "lease", "attempts", "available_at"])


def _bury(row: Job, error: str) -> None:
    row.status, row.lease, row.error, row.finished_at = DEAD, None, error[:64], timezone.now()
    row.save(update_fields=["status", "lease", "error", "finished_at"])


def finish_job(job: ClaimedJob, outcome: Any) -> Result:
    """Write the effects of a job and mark it as done, both or neither. Raises LostLease, and what ``apply`` raises."""
    with write_transaction():
        row = _lock_leased(job)
        result = find_handler(job.topic).apply(job, outcome)
        row.status, row.lease, row.payload, row.error = DONE, None, "", None
        row.result, row.finished_at = json.dumps(result), timezone.now()
        row.save(update_fields=["status", "lease", "payload", "error", "result", "finished_at"])
    return result


def fail_job(job: ClaimedJob, error: str, permanent: bool = False) -> None:
    """Put a job back for a later attempt, or give it up. A lost lease means that another worker decides."""
    with write_transaction():
        try:
            row = _lock_leased(job)
        except LostLease:
            return
        if permanent or is_given_up(job.attempt):
            _bury(row, error)
            return
        row.status, row.lease, row.error = WAITING, None, error[:64]
        row.available_at = timezone.now() + timedelta(seconds=retry_delay_seconds(job.attempt))
        row.save(update_fields=["status", "lease", "error", "available_at"])


def retry_job(operation_id: UUID) -> None:
    """Give a dead job another round of attempts. Raises OperationNotFound and JobNotDead."""
    with write_transaction():
        row = _lock_job(operation_id)
        if row.status != DEAD:
            raise JobNotDead
        row.status, row.attempts, row.available_at, row.finished_at = WAITING, 0, timezone.now(), None
        row.save(update_fields=["status", "attempts", "available_at", "finished_at"])
        transaction.on_commit(nudge_workers, robust=True)


def cancel_job(operation_id: UUID) -> None:
    """End a job that is not done and empty its payload; a worker that is at it writes nothing.

    Raises OperationNotFound and JobEnded.
    """
    with write_transaction():
        row = _lock_job(operation_id)
        if row.status in (DONE, CANCELLED):
            raise JobEnded
        _cancel(Job.objects.filter(pk=row.pk))


def cancel_jobs(project_id: int, user_id: str, topics: tuple[str, ...], *, statuses: tuple[str, ...]) -> int:
    """Cancel a user's jobs in the caller's transaction and empty their payloads. Returns how many there were.

    A worker that is at one of them loses its lease and writes nothing.

    Concurrency: a worker that finishes locks its job first and then what it writes to. Who cancels running jobs does it
    before locking anything else, or both wait for each other.
    """
    return _cancel(Job.objects.filter(project_id=project_id, user_id=user_id, topic__in=topics, status__in=statuses))


def _cancel(rows: QuerySet[Job]) -> int:
    return rows.update(status=CANCELLED, payload="", lease=None, finished_at=timezone.now())


def _claimed(row: Job) -> ClaimedJob:
    return ClaimedJob(
        id=row.pk,
        topic=row.topic,
        payload=json.loads(row.payload),
        project_id=row.project_id,
        user_id=row.user_id,
        actor=row.created_by,
        attempt=row.attempts,
        lease=row.lease,
        keep=lambda: _renew_lease(row.pk, row.lease),
    )


def _renew_lease(pk: int, lease: UUID) -> None:
    until = timezone.now() + timedelta(seconds=LEASE_SECONDS)
    with write_transaction():
        if not Job.objects.filter(pk=pk, lease=lease, status=RUNNING).update(available_at=until):
            raise LostLease


def _lock_job(operation_id: UUID) -> Job:
    row = Job.objects.select_for_update().filter(operation_id=operation_id).first()
    if row is None:
        raise OperationNotFound
    return row


def _lock_leased(job: ClaimedJob) -> Job:
    row = Job.objects.select_for_update().filter(pk=job.id, lease=job.lease, status=RUNNING).first()
    if row is None:
        raise LostLease
    return row
