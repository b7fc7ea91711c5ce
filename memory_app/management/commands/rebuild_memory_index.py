import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from memory_app.services.rebuilding import rebuild_scope_index, scopes_to_rebuild


class Command(BaseCommand):
    help = "Index every active memory anew, scope by scope, as after a new tokenizer. Safe to break off and run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", help="only this project")
        parser.add_argument("--dry-run", action="store_true", help="only count")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: Any) -> None:
        scopes = scopes_to_rebuild(options["project"])
        entries = 0
        if not options["dry_run"]:
            for scope_id in tqdm(scopes, unit="scope", file=self.stderr, disable=None):
                entries += rebuild_scope_index(scope_id)
        report = {"scopes": len(scopes), "entries": entries}
        self.stdout.write(
            json.dumps(report) if options["format"] == "json" else f"{len(scopes)} scopes, {entries} entries."
        )
