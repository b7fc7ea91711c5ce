from django.db import models


class Project(models.Model):
    """One ADK app. ``name`` is its ``app_name``."""

    id = models.AutoField(primary_key=True)
    name = models.CharField(max_length=255, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=64)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


def project_column(**options: object) -> models.ForeignKey:
    """The tenant column that every table of a project's data carries.

    It has neither an index nor a constraint of its own: rows are reached through their session or scope, whose own
    column is checked, and each check would cost an append a tenth. Row-level security can read it as it is.
    """
    return models.ForeignKey(
        Project, on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+", **options
    )
