from django.db import models

from sessions_app.models.project import Project


class PolicyRow(models.Model):
    """A project's memory policy where it is not the default. ``rules`` is JSON; ``version`` grows with each change."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="+")
    rules = models.TextField()
    version = models.BigIntegerField(default=1)
    changed_at = models.DateTimeField()
    changed_by = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"policy of {self.project_id}"
