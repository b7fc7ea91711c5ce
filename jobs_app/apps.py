from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "jobs_app"
    verbose_name = "Jobs"
    default_auto_field = "django.db.models.BigAutoField"
