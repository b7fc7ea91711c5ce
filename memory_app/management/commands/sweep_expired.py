import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory_app.services.erasing import count_expired, sweep_expired


class Command(BaseCommand):
    help = "Erase memories whose time is up. Reads hide them already. Safe to run twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count them")
        parser.add_argument("--limit", type=int, default=100_000)
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: Any) -> None:
        dry_run = bool(options["dry_run"])
        number = count_expired() if dry_run else sweep_expired(options["limit"])
        if options["format"] == "json":
            self.stdout.write(json.dumps({"expired": number, "erased": 0 if dry_run else number}))
        else:
            self.stdout.write(f"{number} expired memories{' would be erased' if dry_run else ' erased'}.")
