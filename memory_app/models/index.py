"""The search index: postings of our own, so that both databases give the same hits and scores.

Terms are UTF-8 bytes: they compare byte by byte in every database, whatever its collation.
"""

from django.db import models

from memory_app.models.memory import Memory, MemoryScope


class Posting(models.Model):
    """One term of one entry. ``live_until`` repeats the entry's expiry, so that ranking need not look it up."""

    pk = models.CompositePrimaryKey("scope_id", "term", "memory_id")
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="+")
    term = models.BinaryField()
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="+")
    project_id = models.IntegerField()
    tf = models.IntegerField()
    length = models.IntegerField()
    live_until = models.FloatField(null=True)


class TermStat(models.Model):
    """In how many entries of its scope a term occurs."""

    pk = models.CompositePrimaryKey("scope_id", "term")
    scope = models.ForeignKey(MemoryScope, on_delete=models.CASCADE, db_index=False, related_name="+")
    term = models.BinaryField()
    project_id = models.IntegerField()
    df = models.IntegerField()
