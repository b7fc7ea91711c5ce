from django.apps import AppConfig

from adk_project.shared.lifecycle import JOBS, register_eraser


class JobsConfig(AppConfig):
    name = "jobs_app"
    verbose_name = "Jobs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from jobs_app.services.erasing import erase_jobs

        register_eraser(JOBS, erase_jobs)
