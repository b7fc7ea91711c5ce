"""Entries one by one and in lists, their history, and tombstones."""

import time
from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_app.domain.entries import EXPIRED_STATUS, FORGOTTEN_STATUS
from memory_app.domain.errors import MemoryNotFound
from memory_app.domain.views import MemoryView, TombstoneView
from memory_app.models import IngestedSession, Memory, MemorySource, Tombstone
from sessions_app.domain.keys import UserKey


def get_memory(key: UserKey, memory_id: str) -> MemoryView:
    """One entry that is neither forgotten nor past its time, superseded ones too. Raises MemoryNotFound."""
    row = readable_entries(key).filter(memory_id=memory_id).first()
    if row is None:
        raise MemoryNotFound
    return view_entry(row)


def get_history(key: UserKey, memory_id: str) -> list[MemoryView]:
    """All that was said under the key of an entry, the newest first; the entry alone where it has no key."""
    row = readable_entries(key).filter(memory_id=memory_id).first()
    if row is None:
        raise MemoryNotFound
    if row.key is None:
        return [view_entry(row)]
    rows = readable_entries(key).filter(kind=row.kind, key=row.key)
    return [view_entry(item) for item in rows.order_by("-valid_from", "-pk")]


def readable_entries(key: UserKey) -> QuerySet[Memory]:
    """A user's entries that still hold what was said. At the second it expires an entry is gone."""
    alive = Q(expires_at=None) | Q(expires_at__gt=time.time())
    rows = of_user(key).filter(alive).exclude(status__in=(FORGOTTEN_STATUS, EXPIRED_STATUS))
    return rows.select_related("superseded_by")


def said_in(rows: QuerySet[Memory], session_id: str) -> QuerySet[Memory]:
    """Those of some entries that were said in a session, first or once more."""
    again = MemorySource.objects.filter(memory=OuterRef("pk"), source_session_id=session_id)
    return rows.filter(Q(source_session_id=session_id) | Exists(again))


def of_user(key: UserKey) -> QuerySet[Memory]:
    return Memory.objects.filter(scope__project__name=key.project, scope__user_id=key.user_id)


def view_entries(rows: Iterable[Memory]) -> list[MemoryView]:
    return [view_entry(row) for row in rows]


def view_entry(row: Memory) -> MemoryView:
    return MemoryView(
        memory_id=str(row.memory_id),
        kind=row.kind,
        status=row.status,
        key=row.key,
        content=row.content,
        text=row.text,
        author=row.author,
        confidence=row.confidence,
        custom_metadata=row.custom_metadata,
        valid_from=row.valid_from,
        expires_at=row.expires_at,
        session_id=row.source_session_id,
        seq=row.source_seq,
        event_id=row.source_event_id,
        extractor=row.extractor,
        superseded_by=str(row.superseded_by.memory_id) if row.superseded_by else None,
        recorded_at=row.recorded_at,
        recorded_by=row.recorded_by,
        ended_at=row.ended_at,
    )


def list_tombstones(key: UserKey) -> QuerySet[Tombstone]:
    """A user's tombstones, for lists that page them; lifted ones too."""
    return Tombstone.objects.filter(scope__project__name=key.project, scope__user_id=key.user_id)


def view_tombstone(row: Tombstone) -> TombstoneView:
    return TombstoneView(
        tombstone_id=str(row.tombstone_id),
        kind=row.kind,
        session_id=row.source_session_id,
        event_id=row.source_event_id,
        reason=row.reason,
        created_at=row.created_at,
        created_by=row.created_by,
        lifted_at=row.lifted_at,
        lifted_by=row.lifted_by,
        lift_reason=row.lift_reason,
    )


def indexed_through(key: UserKey, session_pk: int) -> int:
    """The seq to which a session's log has been ingested; 0 where nothing was."""
    rows = IngestedSession.objects.filter(
        scope__project__name=key.project, scope__user_id=key.user_id, source_ref=f"s:{session_pk}"
    )
    return rows.values_list("through_seq", flat=True).first() or 0
