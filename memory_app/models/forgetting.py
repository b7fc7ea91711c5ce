from django.db import models

from memory_app.models.memory import MemoryScope
from sessions_app.models.project import Project, project_column


class Tombstone(models.Model):
    """What must not come back: a source event, a claim wherever it is said, or all that was said until then.

    No text, only keyed digests. ``claim_digest`` is the HMAC of the normalized claim under the key that
    ``digest_key_id`` names. ``reason`` is what the person who forgot gave; erasing the user empties it.

    Where ``said_before`` is set, this row stands for a selection and blocks what was said before that moment, also what
    no ingestion had reached yet: of the session, the kinds and the key (in ``claim_digest``) that were named, of all
    where none was. In the log ``source_ref`` it blocks what stands up to ``through_seq``, whatever its clock says.
    """

    project = project_column()
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="tombstones")
    tombstone_id = models.UUIDField(unique=True)
    source_ref = models.CharField(max_length=300, blank=True)
    source_session_id = models.CharField(max_length=255, null=True)
    source_event_id = models.CharField(max_length=255, null=True)
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    kind = models.CharField(max_length=12)
    kinds = models.CharField(max_length=64, blank=True)
    said_before = models.FloatField(null=True)
    through_seq = models.BigIntegerField(null=True)
    claim_digest = models.BinaryField(max_length=32)
    digest_key_id = models.CharField(max_length=32)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=64)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.CharField(max_length=64, null=True)
    lift_reason = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["scope", "claim_digest"], name="tombstone_claim"),
            models.Index(fields=["scope", "source_ref", "source_event_id"], name="tombstone_source"),
        ]

    def __str__(self) -> str:
        return f"tombstone {self.tombstone_id}"


class UserErasure(models.Model):
    """That a user was erased, and when: older data of this user may not be imported again. The user is an HMAC."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    user_digest = models.BinaryField(max_length=32)
    digest_key_id = models.CharField(max_length=32)
    erased_at = models.FloatField()
    erased_by = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["project", "user_digest"], name="erasure_user")]

    def __str__(self) -> str:
        return f"erasure {self.pk}"
