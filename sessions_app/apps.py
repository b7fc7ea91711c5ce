from django.apps import AppConfig

from adk_project.shared.lifecycle import SESSIONS, register_eraser


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from sessions_app.services.erasing import erase_sessions

        register_eraser(SESSIONS, erase_sessions)
