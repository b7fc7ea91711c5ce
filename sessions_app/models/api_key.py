from django.db import models

from sessions_app.models.project import Project


class ApiKey(models.Model):
    """A credential for one or more projects. Only the digest of the key is kept; the key itself is shown once."""

    prefix = models.CharField(max_length=16, unique=True)
    digest = models.BinaryField(max_length=32, unique=True)
    name = models.CharField(max_length=255, blank=True)
    scopes = models.JSONField(default=list)
    all_projects = models.BooleanField(default=False)
    projects = models.ManyToManyField(Project, blank=True, related_name="api_keys")
    user_id = models.CharField(max_length=255, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=64)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"tf_{self.prefix}_…"
