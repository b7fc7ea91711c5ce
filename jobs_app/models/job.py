from django.db import models
from uuid_utils.compat import uuid7

from jobs_app.domain.records import CANCELLED, DEAD, DONE, RUNNING, UNFINISHED, WAITING


class Job(models.Model):
    """One piece of background work: the only truth about it. The broker merely wakes the workers.

    ``payload`` may hold content and is emptied when the job ends well. ``project_id`` is the tenant column; a project
    belongs to a higher app, so it is a number here.
    """

    operation_id = models.UUIDField(unique=True, default=uuid7)
    project_id = models.BigIntegerField()
    user_id = models.CharField(max_length=255)
    topic = models.CharField(max_length=64)
    lane = models.CharField(max_length=255, blank=True)
    payload = models.TextField()
    status = models.CharField(
        max_length=10, default=WAITING, choices=[(name, name) for name in (WAITING, RUNNING, DONE, DEAD, CANCELLED)]
    )
    attempts = models.IntegerField(default=0)
    available_at = models.DateTimeField()
    lease = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=64)
    finished_at = models.DateTimeField(null=True)
    result = models.TextField(default="{}")
    error = models.CharField(max_length=64, null=True)

    class Meta:
        indexes = [
            # Finished jobs are many and kept for days: what claims looks at the others only.
            models.Index(fields=["id"], name="job_open", condition=models.Q(status__in=UNFINISHED)),
            models.Index(fields=["lane", "id"], name="job_lane", condition=models.Q(status__in=UNFINISHED)),
            models.Index(fields=["lane"], name="job_running", condition=models.Q(status=RUNNING)),
            models.Index(fields=["project_id", "user_id"], name="job_owner"),
            models.Index(fields=["finished_at"], name="job_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.operation_id}"
