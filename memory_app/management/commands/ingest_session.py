import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from adk_project.shared.errors import ThreefoldError
from jobs_app.selectors import get_operation
from jobs_app.services.drain import drain
from memory_app.services.ingestion import request_session_ingestion
from sessions_app.domain.keys import SessionKey


class Command(BaseCommand):
    help = "Ingest a session's log into memory, here and now. Safe to run twice: what is known is not stored again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("user")
        parser.add_argument("session")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, **options: Any) -> None:
        key = SessionKey(options["project"], options["user"], options["session"])
        try:
            operation_id = request_session_ingestion(key, {}, "command:ingest_session")
        except ThreefoldError as error:
            raise CommandError(error.detail) from None
        drain()
        view = get_operation(operation_id)
        if options["format"] == "json":
            self.stdout.write(
                json.dumps({"operation": str(view.id), "status": view.status, "result": dict(view.result)})
            )
        else:
            self.stdout.write(f"{view.status}: {json.dumps(dict(view.result))}")
