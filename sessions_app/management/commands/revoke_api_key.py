import json

from django.core.management.base import BaseCommand, CommandError, CommandParser

from adk_project.shared.errors import ThreefoldError
from sessions_app.services.api_keys import revoke_api_key


class Command(BaseCommand):
    help = "Make an API key useless from now on. Safe to run twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("prefix", help="the part between tf_ and the second underscore")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: object, prefix: str, **options: object) -> None:
        try:
            revoke_api_key(prefix)
        except ThreefoldError as error:
            raise CommandError(error.detail) from None
        as_json = options["format"] == "json"
        self.stdout.write(json.dumps({"prefix": prefix, "revoked": True}) if as_json else f"Revoked {prefix}.")
