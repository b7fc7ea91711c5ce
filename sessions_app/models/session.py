from django.db import models

from sessions_app.domain.keys import SessionKey, UserKey
from sessions_app.models.project import Project, project_column


class SessionQuerySet(models.QuerySet["Session"]):
    """Sessions are looked up through a whole key, never by a bare session id."""

    def of_user(self, key: UserKey) -> "SessionQuerySet":
        return self.filter(project__name=key.project, user_id=key.user_id)

    def at(self, key: SessionKey) -> "SessionQuerySet":
        return self.of_user(key.user_key).filter(session_id=key.session_id)

    def alive(self, now: float) -> "SessionQuerySet":
        """Those that have not expired at ``now`` (epoch seconds), whether swept yet or not."""
        return self.filter(models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=now))


class Session(models.Model):
    """One conversation: the head of an append-only log of events. Times are float epoch seconds, as ADK's."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False, related_name="sessions")
    user_id = models.CharField(max_length=255)
    session_id = models.CharField(max_length=255)
    last_seq = models.BigIntegerField(default=0)
    revision = models.BigIntegerField(default=0)
    state_bytes = models.BigIntegerField(default=0)
    create_time = models.FloatField()
    last_update_time = models.FloatField()
    title = models.CharField(max_length=255, null=True, blank=True)
    expires_at = models.FloatField(null=True, blank=True)
    created_by = models.CharField(max_length=64)

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user_id", "session_id"], name="session_key"),
        ]
        indexes = [
            # Pages in order of creation; an index on the update time would cost every append a HOT update.
            models.Index(fields=["project", "id"], name="session_project_created"),
            models.Index(fields=["expires_at"], name="session_expiry", condition=models.Q(expires_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.session_id


class SessionLabel(models.Model):
    """One label of one session; labels are found by equality of key and value."""

    project = project_column()
    session = models.ForeignKey(Session, on_delete=models.CASCADE, db_index=False, related_name="labels")
    key = models.CharField(max_length=63)
    value = models.CharField(max_length=255)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "key"], name="session_label_key")]

    def __str__(self) -> str:
        return f"label {self.pk}"
