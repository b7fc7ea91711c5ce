"""Reads of operations: jobs as those see them who asked for them."""

import json
from uuid import UUID

from jobs_app.domain.errors import OperationNotFound
from jobs_app.domain.records import UNFINISHED, OperationView
from jobs_app.models import Job


def get_operation(operation_id: UUID) -> OperationView:
    """One operation. Raises OperationNotFound. Whose it is, is the caller's to check."""
    row = Job.objects.filter(operation_id=operation_id).first()
    if row is None:
        raise OperationNotFound
    return OperationView(
        id=row.operation_id,
        topic=row.topic,
        status=row.status,
        project_id=row.project_id,
        user_id=row.user_id,
        attempts=row.attempts,
        created_at=row.created_at,
        finished_at=row.finished_at,
        result=json.loads(row.result),
        error=row.error,
    )


def count_unfinished(lane: str) -> int:
    return Job.objects.filter(lane=lane, status__in=UNFINISHED).count()
