"""Working the outbox empty: the same code under the embedded worker and under Celery."""

import logging
import time
from datetime import timedelta

from django.db import close_old_connections
from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from jobs_app.adapters.nudge import nudge_workers
from jobs_app.domain.errors import LostLease, PermanentFailure
from jobs_app.domain.records import CANCELLED, DEAD, DONE, ClaimedJob
from jobs_app.models import Job
from jobs_app.services.outbox import claim_job, fail_job, finish_job
from jobs_app.services.registry import find_handler

logger = logging.getLogger(__name__)

KEPT_FOR = {DONE: timedelta(days=7), CANCELLED: timedelta(days=7), DEAD: timedelta(days=30)}


def drain(limit: int = 1000, seconds: float = 60.0) -> int:
    """Run jobs until none is due, at most ``limit``; none is begun after ``seconds``. Returns how many were run.

    The task's time limit must not meet a healthy job at the end of a long row of others, and other tasks want their
    turn: what is left over is asked for again.

    Safe to run twice and side by side: a job is one worker's at a time, and only one of them can finish it.
    """
    end = time.monotonic() + seconds
    for count in range(limit):
        if time.monotonic() > end:
            break
        job = claim_job()
        if job is None:
            return count
        run_job(job)
    else:
        count = limit
    nudge_workers()
    return count


def run_job(job: ClaimedJob) -> None:
    """One attempt at one job. A failure is noted on its row; its text, which may hold content, goes nowhere."""
    try:
        finish_job(job, find_handler(job.topic).work(job))
    except LostLease:
        logger.info("Job %s was taken over by another worker.", job.id)
    except PermanentFailure as failure:
        logger.warning("Job %s (%s) failed for good: %s", job.id, job.topic, failure.code)
        fail_job(job, failure.code, permanent=True)
    except Exception as error:
        logger.warning("Job %s (%s) failed at attempt %s: %s", job.id, job.topic, job.attempt, type(error).__name__)
        close_old_connections()
        fail_job(job, type(error).__name__)


def forget_finished(limit: int = 5000) -> int:
    """Delete jobs that ended long ago, with their operations. Safe to run twice."""
    deleted = 0
    for status, kept_for in KEPT_FOR.items():
        old = Job.objects.filter(status=status, finished_at__lt=timezone.now() - kept_for)
        with write_transaction():
            deleted += Job.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:limit])).delete()[0]
    return deleted
