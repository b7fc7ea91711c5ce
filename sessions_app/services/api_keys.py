"""Issuing, revoking and noting the use of API keys."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from adk_project.shared.errors import invalid_field
from adk_project.shared.transactions import write_transaction
from sessions_app.domain.access import clean_scopes, format_key, key_digest
from sessions_app.domain.errors import ApiKeyNotFound, ProjectNotFound
from sessions_app.domain.keys import clean_id
from sessions_app.domain.metadata import clean_title
from sessions_app.domain.records import NewApiKey
from sessions_app.models import ApiKey, Project

_PREFIX_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_USE_RESOLUTION = timedelta(minutes=1)


def create_api_key(
    *,
    scopes: Sequence[str],
    projects: Sequence[str] = (),
    all_projects: bool = False,
    user_id: str | None = None,
    name: str = "",
    expires_at: datetime | None = None,
    actor: str,
) -> NewApiKey:
    """Issue a key for the named projects, or for all. The answer holds the only copy of its text.

    Raises Invalid for an unknown scope, a name that is no title, an expiry without a zone or in the past, or a key
    bound to no project, and ProjectNotFound for a project that does not exist.
    """
    if bool(projects) == all_projects:
        raise invalid_field("projects", "name the projects, or ask for all of them, not both")
    prefix = "".join(secrets.choice(_PREFIX_ALPHABET) for _ in range(8))
    key = format_key(prefix, secrets.token_urlsafe(32))
    with write_transaction():
        row = ApiKey.objects.create(
            prefix=prefix,
            digest=key_digest(key),
            name=clean_title(name, "name") or "",
            scopes=clean_scopes(list(scopes)),
            all_projects=all_projects,
            user_id=None if user_id is None else clean_id(user_id, "userId"),
            expires_at=_clean_expiry(expires_at),
            created_by=actor,
        )
        row.projects.set(_find_projects(projects))
    return NewApiKey(prefix=prefix, key=key)


def revoke_api_key(prefix: str) -> None:
    """Make a key useless from now on. Safe to run twice: the first moment stays. Raises ApiKeyNotFound."""
    with write_transaction():
        if not ApiKey.objects.filter(prefix=prefix).exists():
            raise ApiKeyNotFound
        ApiKey.objects.filter(prefix=prefix, revoked_at=None).update(revoked_at=timezone.now())


def note_use(prefix: str) -> None:
    """Record that a key was used, to the minute: one write a minute, however many requests come."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_RESOLUTION)
    with write_transaction():
        ApiKey.objects.filter(stale, prefix=prefix).update(last_used_at=now)


def use_is_due(last_used_at: datetime | None) -> bool:
    return last_used_at is None or timezone.now() - last_used_at > _USE_RESOLUTION


def _clean_expiry(expires_at: datetime | None) -> datetime | None:
    if expires_at is None:
        return None
    if timezone.is_naive(expires_at):
        raise invalid_field("expiresAt", "needs a time zone, such as 2027-01-31T12:00:00Z")
    if expires_at <= timezone.now():
        raise invalid_field("expiresAt", "must be in the future")
    return expires_at


def _find_projects(names: Sequence[str]) -> list[Project]:
    rows = list(Project.objects.filter(name__in=names))
    for missing in set(names) - {row.name for row in rows}:
        raise ProjectNotFound(f"There is no project {missing!r}. Create it with: manage.py create_project")
    return rows
