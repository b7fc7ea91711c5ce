import json
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from adk_project.shared.errors import ThreefoldError
from sessions_app.domain.access import SCOPES
from sessions_app.services.api_keys import create_api_key


class Command(BaseCommand):
    help = "Issue an API key. Its text is printed once and cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        projects = parser.add_mutually_exclusive_group(required=True)
        projects.add_argument("--project", action="append", default=[], help="a project it opens; may be repeated")
        projects.add_argument("--all-projects", action="store_true", help="open every project, later ones too")
        parser.add_argument("--scope", action="append", default=[], help=f"may be repeated; one of {', '.join(SCOPES)}")
        parser.add_argument("--user-id", help="bind the key to one user_id")
        parser.add_argument("--name", default="", help="what it is for")
        parser.add_argument("--expires-in-days", type=_moment_in_days, help="days until it stops working")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            issued = create_api_key(
                scopes=options["scope"] or ["sessions:read", "sessions:write"],
                projects=options["project"],
                all_projects=options["all_projects"],
                user_id=options["user_id"],
                name=options["name"],
                expires_at=options["expires_in_days"],
                actor="command:create_api_key",
            )
        except ThreefoldError as error:
            raise CommandError(error.detail) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps({"prefix": issued.prefix, "key": issued.key}))
        else:
            self.stdout.write(f"{issued.key}\nKeep it now: only its digest is stored. Its prefix is {issued.prefix}.")


def _moment_in_days(text: str) -> datetime:
    try:
        return datetime.now(UTC) + timedelta(days=float(text))
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{text!r} is not a number of days") from None
