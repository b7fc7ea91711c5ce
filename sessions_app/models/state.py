from django.db import models

from sessions_app.models.project import Project, project_column
from sessions_app.models.session import Session


class StateRow(models.Model):
    """One key of some state. ``key`` is the JSON text of the key (it may hold NUL or a lone surrogate, escaped);
    ``key_digest`` is its SHA-256, since an index entry is bounded and a key is not. ``value`` is JSON text."""

    project = project_column()
    key = models.TextField()
    key_digest = models.BinaryField(max_length=32)

    class Meta:
        abstract = True


class SessionState(StateRow):
    """One key of a session's own state, and the event that set it."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, db_index=False, related_name="state")
    seq = models.BigIntegerField()
    value = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "key_digest"], name="session_state_key")]


class StateScope(models.Model):
    """The head of one shared state: a user's (``user:``) or, with an empty ``user_id``, the app's (``app:``).

    Whoever changes a shared key locks this row first, so changes of one scope are numbered without gaps and in the
    order in which they take effect. ``version`` is the number of the last change.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False, related_name="+")
    user_id = models.CharField(max_length=255, blank=True)
    version = models.BigIntegerField(default=0)
    state_bytes = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user_id"], name="state_scope_owner")]

    def __str__(self) -> str:
        return f"scope {self.pk}"


class SharedSource(StateRow):
    """A shared key and where its value came from. Its session and event are texts: the value outlives them."""

    scope = models.ForeignKey(StateScope, on_delete=models.CASCADE, db_index=False, related_name="%(class)s_rows")
    version = models.BigIntegerField()
    session_id = models.CharField(max_length=255)
    user_id = models.CharField(max_length=255)
    seq = models.BigIntegerField()
    event_id = models.CharField(max_length=255)
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=64)

    class Meta:
        abstract = True


class SharedState(SharedSource):
    """The present value of one shared key."""

    value = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "key_digest"], name="shared_state_key")]


class SharedStateChange(SharedSource):
    """One change of one shared key, kept for good: shared state is the fold of these. No value: the key was removed."""

    value = models.TextField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "version"], name="shared_state_change_number")]
