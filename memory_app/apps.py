from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory_app"
    verbose_name = "Memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from memory_app.services.ingestion import register_handlers

        register_handlers()
