from django.db import models

from sessions_app.models.project import project_column
from sessions_app.models.session import Session


class EventKind(models.TextChoices):
    GENESIS = "genesis"
    CONVERSATION = "conversation"
    STATE = "state"
    COMPACTION = "compaction"
    REWIND = "rewind"


class Event(models.Model):
    """One entry of a session's log. ``body`` is the ADK event's JSON text as it was received, minus ``temp:`` keys.

    ``seq`` alone decides order. ``revision`` is the session's revision right after this entry, so that a repeated
    append is answered as the first one was. ``user_version`` and ``app_version`` are the numbers of the last change
    of shared state that this entry could see, its own included.
    """

    project = project_column()
    session = models.ForeignKey(Session, on_delete=models.CASCADE, db_index=False, related_name="events")
    seq = models.BigIntegerField()
    revision = models.BigIntegerField()
    user_version = models.BigIntegerField()
    app_version = models.BigIntegerField()
    timestamp = models.FloatField()
    recorded_at = models.DateTimeField()
    kind = models.CharField(max_length=12, choices=EventKind.choices)
    event_id = models.CharField(max_length=255)
    invocation_id = models.CharField(max_length=255, blank=True)
    author = models.CharField(max_length=255, blank=True)
    branch = models.CharField(max_length=1024, null=True, blank=True)
    recorded_by = models.CharField(max_length=64)
    body_digest = models.BinaryField(max_length=32)
    body = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="event_seq"),
            models.UniqueConstraint(fields=["session", "event_id"], name="event_id_once"),
        ]

    def __str__(self) -> str:
        return f"event {self.pk}"
