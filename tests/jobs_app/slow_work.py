"""Makes ingestion slow enough to be killed in the middle, and counts its effects in a table that forbids nothing.

Loaded by worker processes of tests. JOBS_TEST_WORK and JOBS_TEST_APPLY are seconds, JOBS_TEST_FIRST those of a job's
first attempt, JOBS_TEST_LEASE the lease.
"""

import os
import time
from typing import Any

from django.db import connection

from jobs_app.domain.records import ClaimedJob, Handler, Result
from jobs_app.services import outbox, registry
from memory_app.domain.topics import TOPICS


class Slow:
    """Sleeps outside the transaction, and inside it once the effects are written."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def work(self, job: ClaimedJob) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO started (job_id) VALUES (%s)", [job.id])
        seconds = os.environ["JOBS_TEST_WORK"]
        time.sleep(float(os.environ.get("JOBS_TEST_FIRST", seconds) if job.attempt == 1 else seconds))
        return self._handler.work(job)

    def apply(self, job: ClaimedJob, outcome: Any) -> Result:
        result = self._handler.apply(job, outcome)
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO effect (job_id) VALUES (%s)", [job.id])
        time.sleep(float(os.environ["JOBS_TEST_APPLY"]))
        return result


def slow_down() -> None:
    outbox.LEASE_SECONDS = int(os.environ["JOBS_TEST_LEASE"])
    for topic in TOPICS:
        registry.register_handler(topic, Slow(registry.find_handler(topic)))
