"""Jobs that tests write, and the handler that works on them."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from jobs_app.domain.records import ClaimedJob, NewJob
from jobs_app.models import Job
from jobs_app.services.outbox import enqueue
from sessions_app.models import Project

TOPIC = "test"
SECRET = "what was said"


class Work:
    """Notes what it was asked for. Its effect is one more project: twice applied, it shows."""

    def __init__(self) -> None:
        self.worked: list[str] = []
        self.during: Callable[[ClaimedJob], Any] = lambda job: None
        self.started, self.may_go_on = threading.Event(), threading.Event()

    def work(self, job: ClaimedJob) -> Any:
        self.worked.append(job.payload["name"])
        return self.during(job)

    def apply(self, job: ClaimedJob, outcome: Any) -> dict[str, Any]:
        Project.objects.create(name=f"effect of {job.payload['name']} {uuid4()}", created_by="test")
        return {"outcome": outcome}

    def pause(self, job: ClaimedJob) -> None:
        """For ``during``: work that ends when the test says so."""
        self.started.set()
        assert self.may_go_on.wait(30)


def effects(name: str = "") -> int:
    """How often jobs of this name, or all, took effect."""
    return Project.objects.filter(name__startswith=f"effect of {name}").count()


def add_job(name: str = "a", lane: str = "", user: str = "ana", project_id: int = 1) -> UUID:
    with write_transaction():
        return enqueue(NewJob(TOPIC, {"name": name, "text": SECRET}, project_id, user, "test", lane))


def row_of(operation_id: UUID) -> Job:
    return Job.objects.get(operation_id=operation_id)


def make_due(**which: Any) -> None:
    """Let the time pass that these jobs, or all, wait for: a back-off or a lease."""
    Job.objects.filter(**which).update(available_at=timezone.now() - timedelta(seconds=1))
