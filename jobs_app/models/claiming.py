"""Which jobs may be claimed, and the lock that keeps a lane in order. It stands beside the table and its indexes."""

from datetime import datetime

from django.db import connection
from django.db.models import BooleanField, Exists, OuterRef, QuerySet
from django.db.models.expressions import RawSQL

from jobs_app.models.job import Job

# Literals: SQLite takes a partial index only where the statement itself says what the index says, parameters do not.
_UNFINISHED = RawSQL("status IN ('waiting', 'running')", (), output_field=BooleanField())
_RUNNING = RawSQL("status = 'running'", (), output_field=BooleanField())


def claimable(now: datetime) -> QuerySet[Job]:
    """Jobs that are due, the oldest first, without those whose lane is held by an earlier one or by one at work."""
    lane = Job.objects.filter(lane=OuterRef("lane")).exclude(lane="")
    earlier = lane.filter(_UNFINISHED, id__lt=OuterRef("id"))
    # A retried job comes before the later ones, but not while one of them runs.
    at_work = lane.filter(_RUNNING, available_at__gt=now)
    due = Job.objects.filter(_UNFINISHED, available_at__lte=now)
    return due.exclude(Exists(earlier)).exclude(Exists(at_work)).order_by("id")


def lock_lane(lane: str) -> None:
    """Make writers to a lane queue until the caller's transaction ends. SQLite has one writer at a time anyway."""
    if lane and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [lane])
