"""Forgetting: planned, carried out under the scope's lock, and made to last by tombstones."""

import hashlib
from collections import Counter
from collections.abc import Sequence


from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from jobs_app.domain.records import DEAD
from jobs_app.services.outbox import cancel_jobs
from memory_app.config import digest_keys
from memory_app.domain.entries import FORGOTTEN_STATUS
from memory_app.domain.errors import MemoryNotFound, TombstoneNotFound
from memory_app.domain.forgetting import MAX_SELECTED, ForgetPlan, Receipt, Selection
from memory_app.domain.topics import TOPICS
from memory_app.models import IngestedSession, Memory, MemoryScope, Tombstone
from memory_app.selectors.search import find_similar, matching_ids
from memory_app.services.erasing import erase_entries
from memory_app.services.scopes import lock_scope
from memory_app.services.tombstones import bury
from sessions_app import selectors as sessions
from sessions_app.domain.keys import UserKey


def plan_forgetting(key: UserKey, selection: Selection) -> ForgetPlan:
    """What ``forget`` would erase for the same selection, and what it would leave. Nothing is written."""
    selection.check()
    scope = MemoryScope.objects.filter(project__name=key.project, user_id=key.user_id).first()
    entries = _with_fallen(scope, _choose(scope, key, selection)) if scope else []
    return ForgetPlan(
        memory_ids=tuple(str(entry.memory_id) for entry in entries),
        kinds=Counter(entry.kind for entry in entries),
        fingerprint=hashlib.sha256(",".join(str(entry.pk) for entry in entries).encode()).hexdigest(),
        similar=tuple(find_similar(key, entries)),
        not_reached=_sessions_of(entries),
    )


def forget(key: UserKey, selection: Selection, reason: str, actor: str) -> Receipt:
    """Erase every entry of the selection, with what was made of the same words, and bury it.

    Concurrency: an ingestion under way ends first, or finds the tombstones. Raises Invalid for a selection by nothing.
    Whatever waits dead in the outbox for this user is cancelled, since its payload may hold the text.
    """
    selection.check()
    keys = digest_keys()
    project_id = sessions.project_id(key.project)
    with write_transaction():
        scope = lock_scope(project_id, key.user_id)
        chosen = _choose(scope, key, selection)
        entries = _with_fallen(scope, chosen)
        picked = {entry.pk for entry in chosen}
        tombstones = [bury(scope, entry, keys, reason, actor, whole=entry.pk in picked) for entry in entries]
        Tombstone.objects.bulk_create(tombstones)
        erase_entries(scope, entries, FORGOTTEN_STATUS)
        cancel_jobs(project_id, key.user_id, TOPICS, statuses=(DEAD,))
    return Receipt(
        memory_ids=tuple(str(entry.memory_id) for entry in entries),
        kinds=Counter(entry.kind for entry in entries),
        tombstone_ids=tuple(str(tombstone.tombstone_id) for tombstone in tombstones),
        digests=tuple(tombstone.claim_digest.hex() for tombstone in tombstones),
        not_reached=_sessions_of(entries),
    )


def forget_one(key: UserKey, memory_id: str, reason: str, actor: str) -> Receipt:
    """Forget one entry. Raises MemoryNotFound for one that is not there or was forgotten before."""
    receipt = forget(key, Selection(ids=(memory_id,)), reason, actor)
    if not receipt.memory_ids:
        raise MemoryNotFound
    return receipt


def lift_tombstone(key: UserKey, tombstone_id: str, reason: str, actor: str) -> None:
    """Let what was forgotten be stored again. What was erased stays erased; its event is ingested again on demand."""
    with write_transaction():
        scope = lock_scope(sessions.project_id(key.project), key.user_id)
        row = Tombstone.objects.filter(scope=scope, tombstone_id=tombstone_id, lifted_at=None).first()
        if row is None:
            raise TombstoneNotFound
        row.lifted_at, row.lifted_by, row.lift_reason = timezone.now(), actor, reason
        row.save(update_fields=["lifted_at", "lifted_by", "lift_reason"])
        Memory.objects.filter(
            scope=scope, source_ref=row.source_ref, source_event_id=row.source_event_id, status=FORGOTTEN_STATUS
        ).exclude(source_event_id=None).delete()
        IngestedSession.objects.filter(scope=scope, source_ref=row.source_ref).update(through_seq=0)


def _with_fallen(scope: MemoryScope, chosen: Sequence[Memory]) -> list[Memory]:
    """The chosen entries and those that fall with them, in a fixed order."""
    everything = {entry.pk: entry for entry in [*chosen, *_fall_with(scope, chosen)]}
    return [everything[pk] for pk in sorted(everything)]


def _choose(scope: MemoryScope, key: UserKey, selection: Selection) -> list[Memory]:
    rows = Memory.objects.filter(scope=scope).exclude(status=FORGOTTEN_STATUS)
    if selection.ids:
        rows = rows.filter(memory_id__in=selection.ids)
    if selection.key is not None:
        rows = rows.filter(key=selection.key)
    if selection.session_id is not None:
        rows = rows.filter(source_session_id=selection.session_id)
    if selection.kinds:
        rows = rows.filter(kind__in=selection.kinds)
    if selection.before is not None:
        rows = rows.filter(valid_from__lt=selection.before)
    if selection.query is not None:
        rows = rows.filter(memory_id__in=matching_ids(key, selection.query, MAX_SELECTED))
    return list(rows.order_by("pk")[:MAX_SELECTED])


def _fall_with(scope: MemoryScope, chosen: Sequence[Memory]) -> list[Memory]:
    """What was made of the same words of the same event, its excerpt always; and the history of the same key."""
    events = {(entry.source_ref, entry.source_event_id) for entry in chosen if entry.source_event_id}
    keys = {(entry.kind, entry.key) for entry in chosen if entry.key}
    found = []
    for source_ref, event_id in events:
        rows = Memory.objects.filter(scope=scope, source_ref=source_ref, source_event_id=event_id)
        spans = [entry for entry in chosen if (entry.source_ref, entry.source_event_id) == (source_ref, event_id)]
        found += [row for row in rows.exclude(status=FORGOTTEN_STATUS) if _shares_words(row, spans)]
    for kind, key in keys:
        found += Memory.objects.filter(scope=scope, kind=kind, key=key).exclude(status=FORGOTTEN_STATUS)
    return found


def _shares_words(row: Memory, chosen: Sequence[Memory]) -> bool:
    if row.kind == "EXCERPT":
        return True
    start, end = row.span_start or 0, row.span_end or 0
    # An excerpt is the whole event; forgetting it takes what was distilled from its words as well.
    return any(start < (entry.span_end or 0) and (entry.span_start or 0) < end for entry in chosen)


def _sessions_of(entries: Sequence[Memory]) -> tuple[str, ...]:
    return tuple(sorted({entry.source_session_id for entry in entries if entry.source_session_id}))
