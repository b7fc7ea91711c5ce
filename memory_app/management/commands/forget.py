import dataclasses
import json
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from adk_project.shared.errors import ThreefoldError
from memory_app.domain.entries import KINDS
from memory_app.domain.forgetting import ForgetPlan, Receipt, Selection
from memory_app.services.forgetting import forget, plan_forgetting
from sessions_app.domain.keys import UserKey


class Command(BaseCommand):
    help = "Forget memories of one user for good. Prints a plan with --dry-run, else a receipt."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("user")
        parser.add_argument("--id", action="append", default=[], type=UUID, help="a memory's id; may be repeated")
        parser.add_argument("--key")
        parser.add_argument("--query")
        parser.add_argument("--session")
        parser.add_argument("--kind", action="append", default=[], choices=KINDS)
        parser.add_argument("--all", action="store_true", help="everything that is remembered of this user")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--dry-run", action="store_true")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: Any) -> None:
        key = UserKey(options["project"], options["user"])
        selection = Selection(
            ids=tuple(map(str, options["id"])),
            key=options["key"],
            query=options["query"],
            session_id=options["session"],
            kinds=tuple(options["kind"]),
            everything=options["all"],
        )
        try:
            answer: ForgetPlan | Receipt
            if options["dry_run"]:
                answer = plan_forgetting(key, selection)
            else:
                answer = forget(key, selection, options["reason"], "command:forget")
        except ThreefoldError as error:
            raise CommandError(error.detail) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps(dataclasses.asdict(answer)))
            return
        word = "would be forgotten" if options["dry_run"] else "forgotten"
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(answer.kinds.items()))
        self.stdout.write(f"{len(answer.memory_ids)} memories {word}{f' ({kinds})' if kinds else ''}.")
        if answer.not_reached:
            self.stdout.write(f"The logs of these sessions still hold it: {', '.join(answer.not_reached)}")
