from django.core.management.base import BaseCommand, CommandError, CommandParser

from adk_project.shared.errors import ThreefoldError
from sessions_app.services.projects import create_project


class Command(BaseCommand):
    help = "Create a project. Its name is the ADK app_name of the agents that use it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: object, name: str, **options: object) -> None:
        try:
            self.stdout.write(f"Created project {create_project(name, 'command:create_project')}.")
        except ThreefoldError as error:
            raise CommandError(error.detail) from None
