from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import Error

from adk_project.shared.lifecycle import MEMORY, register_eraser, register_session_forgetter


class MemoryConfig(AppConfig):
    name = "memory_app"
    verbose_name = "Memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.core.checks import Tags, register

        from memory_app.services.erasing_user import erase_memories
        from memory_app.services.forgetting import forget_deleted_session
        from memory_app.services.ingestion import register_handlers

        register_handlers()
        register_eraser(MEMORY, erase_memories)
        register_session_forgetter(MEMORY, forget_deleted_session)
        register(check_digest_keys, Tags.database)


def check_digest_keys(databases: Sequence[str] | None = None, **_: object) -> list[Error]:
    """Part of ``migrate`` and of ``check --database``: without a key, what was forgotten could come back."""
    from memory_app.services.digest_keys import find_refusal

    refusal = find_refusal() if databases else None
    return [] if refusal is None else [Error(refusal, id="memory.E001")]
