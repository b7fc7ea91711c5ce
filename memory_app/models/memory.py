from django.db import models
from uuid_utils.compat import uuid7

from sessions_app.models.project import Project, project_column


class MemoryScope(models.Model):
    """One user's memory, or a project's own with an empty ``user_id``; the head of its search statistics.

    Every write of the scope locks this row first, so numbers of entries and of terms cannot drift apart. Ranking reads
    no other scope: nothing that one user stores moves another's scores.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False, related_name="+")
    user_id = models.CharField(max_length=255, blank=True)
    entries = models.BigIntegerField(default=0)
    total_length = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user_id"], name="memory_scope_owner")]

    def __str__(self) -> str:
        return f"scope {self.pk}"


class Memory(models.Model):
    """One entry. Times that are floats are epoch seconds.

    ``content`` is ADK Content as JSON text, ``text`` what of it is searched, ``terms`` the index terms with their
    counts as JSON: an entry is taken out of the index by what stands here, whatever tokenizer is in use by then.
    ``claim_hash`` finds entries that say the same; ``key`` and ``value`` what of a distilled entry may be contradicted.
    ``source_ref`` names the log that the entry came from, also when a session id is used a second time; ``position`` is
    an excerpt's place among those of its log. A forgotten entry keeps its row and its id; all that was said is erased.
    """

    project = project_column()
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="memories")
    memory_id = models.UUIDField(unique=True, default=uuid7)
    kind = models.CharField(max_length=12)
    status = models.CharField(max_length=10)
    key = models.CharField(max_length=255, null=True)
    value = models.TextField(null=True)
    claim_hash = models.BinaryField(max_length=32)
    content = models.TextField()
    text = models.TextField()
    author = models.CharField(max_length=255, blank=True)
    confidence = models.FloatField()
    custom_metadata = models.TextField(default="{}")
    valid_from = models.FloatField()
    expires_at = models.FloatField(null=True)
    source_ref = models.CharField(max_length=300, blank=True)
    source_session_id = models.CharField(max_length=255, null=True)
    source_seq = models.BigIntegerField(null=True)
    position = models.BigIntegerField(null=True)
    source_event_id = models.CharField(max_length=255, null=True)
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    extractor = models.CharField(max_length=32)
    superseded_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=64)
    terms = models.TextField(default="{}")
    length = models.IntegerField(default=0)
    is_question = models.BooleanField(default=False)
    names_time = models.BooleanField(default=False)
    tokenizer = models.CharField(max_length=16)

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "kind", "key"],
                condition=models.Q(status="active", key__isnull=False),
                name="memory_one_active_per_key",
            ),
            models.UniqueConstraint(
                fields=["scope", "source_ref", "source_event_id"],
                condition=models.Q(kind="EXCERPT", source_event_id__isnull=False),
                name="memory_one_excerpt_per_event",
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "status", "id"], name="memory_listed"),
            models.Index(fields=["scope", "source_ref", "position"], name="memory_neighbours"),
            models.Index(fields=["scope", "source_ref", "source_event_id"], name="memory_source"),
            models.Index(fields=["scope", "claim_hash"], name="memory_claim"),
            models.Index(
                fields=["expires_at"],
                name="memory_expiry",
                condition=models.Q(status__in=("active", "superseded"), expires_at__isnull=False),
            ),
            # A search lists them beside what matches, whatever else the scope holds.
            models.Index(
                fields=["scope", "valid_from", "id"],
                name="memory_standing",
                condition=models.Q(status="active", kind="PREFERENCE"),
            ),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id}"


class MemorySource(models.Model):
    """One more place where an active entry was said: the same statement again is a source, not a second entry.

    The columns are those of Memory. It holds no text and goes with what its entry says.
    """

    project = project_column()
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, db_index=False, related_name="sources")
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="+")
    source_ref = models.CharField(max_length=300, blank=True)
    source_session_id = models.CharField(max_length=255, null=True)
    source_seq = models.BigIntegerField(null=True)
    source_event_id = models.CharField(max_length=255)
    span_start = models.IntegerField()
    span_end = models.IntegerField()
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "source_ref", "source_event_id"], name="memory_source_once"),
        ]
        indexes = [models.Index(fields=["scope", "source_ref", "source_event_id"], name="memory_more_sources")]

    def __str__(self) -> str:
        return f"source {self.pk}"


class IngestedSession(models.Model):
    """How far a session's log has been ingested, and how many excerpts it gave. ``source_ref`` is as in Memory."""

    project = project_column()
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="ingested")
    source_ref = models.CharField(max_length=300)
    through_seq = models.BigIntegerField(default=0)
    positions = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "source_ref"], name="ingested_session_ref")]

    def __str__(self) -> str:
        return f"ingested {self.pk}"
