"""``manage.py bootstrap``: everything a fresh data directory needs before its first request."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from sessions_app.domain.access import ADMIN
from sessions_app.selectors import find_caller
from sessions_app.services.api_keys import create_api_key
from sessions_app.services.projects import ensure_project

_ACTOR = "command:bootstrap"
_STAFF = "admin"


class Command(BaseCommand):
    """Safe to run twice: what exists is left as it is, and only what was made now is printed."""

    help = "Apply migrations, and make the first staff user, project and API key unless they exist."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        ensure_project("demo", _ACTOR)
        self._ensure_staff_user()
        self._ensure_api_key(settings.THREEFOLD_DATA_DIR / "first-api-key")

    def _ensure_staff_user(self) -> None:
        staff = get_user_model().objects
        if staff.filter(is_superuser=True).exists():
            return
        password = secrets.token_urlsafe(12)
        staff.create_superuser(_STAFF, password=password)
        self.stdout.write(f"Staff user: {_STAFF}  password: {password}  (shown only now)")

    def _ensure_api_key(self, path: Path) -> None:
        if path.exists() and find_caller(path.read_text().strip(), timezone.now()):
            return
        key = create_api_key(scopes=[ADMIN], all_projects=True, name="first key", actor=_ACTOR).key
        _write_private(path, key + "\n")
        self.stdout.write(f"First API key: {key}  (kept in {path})")


def _write_private(path: Path, text: str) -> None:
    """Replace the file at once: no reader finds it half-written or open to others."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)
