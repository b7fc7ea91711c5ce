"""Writes that concern whole projects."""

from django.db import IntegrityError

from adk_project.shared.transactions import write_transaction
from sessions_app.domain.errors import ProjectExists
from sessions_app.domain.keys import clean_id
from sessions_app.models import Project


def create_project(name: str, actor: str) -> str:
    """Create a project and return its name as stored. Raises ProjectExists, and Invalid for a name that is no id."""
    cleaned = clean_id(name, "project")
    try:
        with write_transaction():
            Project.objects.create(name=cleaned, created_by=actor)
    except IntegrityError:
        raise ProjectExists from None
    return cleaned


def ensure_project(name: str, actor: str) -> str:
    """The project's name as stored, created if need be. Safe to run twice and side by side."""
    try:
        return create_project(name, actor)
    except ProjectExists:
        return clean_id(name, "project")
