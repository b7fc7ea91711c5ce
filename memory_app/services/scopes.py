"""The one lock of memory: a scope's row. Whoever writes entries, index or tombstones of a scope holds it."""

from memory_app.models import IngestedSession, MemoryScope


def lock_scope(project_id: int, user_id: str) -> MemoryScope:
    """The scope, created if need be and locked until the caller's transaction ends. ``user_id`` "" is the project's."""
    query = MemoryScope.objects.filter(project_id=project_id, user_id=user_id).select_for_update(no_key=True)
    scope = query.first()
    if scope is None:
        MemoryScope.objects.bulk_create([MemoryScope(project_id=project_id, user_id=user_id)], ignore_conflicts=True)
        scope = query.get()
    return scope


def ingested(scope: MemoryScope, source_ref: str) -> IngestedSession:
    """How far a log of a locked scope has been ingested; a fresh record where nothing was."""
    row, _ = IngestedSession.objects.get_or_create(
        scope=scope, source_ref=source_ref, defaults={"project_id": scope.project_id}
    )
    return row
