"""Rebuilding the search index from the entries, which are the truth about it."""

from adk_project.shared.transactions import write_transaction
from memory_app.domain.entries import ACTIVE_STATUS
from memory_app.models import Memory, MemoryScope
from memory_app.services.index import rebuild_scope


def scopes_to_rebuild(project: str | None = None) -> list[int]:
    """The scopes of one project, or of all, in a fixed order."""
    scopes = MemoryScope.objects.order_by("pk")
    return list((scopes.filter(project__name=project) if project else scopes).values_list("pk", flat=True))


def rebuild_scope_index(scope_id: int) -> int:
    """Index one scope anew in one transaction: searches see the old index or the new one. Returns its entries."""
    with write_transaction():
        scope = MemoryScope.objects.select_for_update(no_key=True).filter(pk=scope_id).first()
        if scope is None:
            # Erased with its user meanwhile.
            return 0
        entries = list(Memory.objects.filter(scope=scope, status=ACTIVE_STATUS).order_by("pk"))
        rebuild_scope(scope, entries)
    return len(entries)
