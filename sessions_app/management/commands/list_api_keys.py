import dataclasses
import json

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from sessions_app.domain.records import ApiKeyView
from sessions_app.selectors import list_api_keys


class Command(BaseCommand):
    help = "List every API key that was issued. The keys themselves are not stored and cannot be shown."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: object) -> None:
        keys = list_api_keys()
        if options["format"] == "json":
            self.stdout.write(json.dumps([dataclasses.asdict(key) for key in keys], default=lambda at: at.isoformat()))
            return
        for key in keys:
            self.stdout.write(_line(key))


def _line(key: ApiKeyView) -> str:
    facts = [
        key.prefix,
        _standing(key),
        "all projects" if key.projects is None else ",".join(key.projects),
        ",".join(key.scopes),
        f"user {key.user_id}" if key.user_id else "any user",
        f"expires {key.expires_at:%Y-%m-%d}" if key.expires_at else "never expires",
        f"last used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used",
        key.name,
    ]
    return "  ".join(fact for fact in facts if fact)


def _standing(key: ApiKeyView) -> str:
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= timezone.now() else "valid"
