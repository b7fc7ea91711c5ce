"""Forgetting: planned, carried out under the scope's lock, and made to last by tombstones."""

import hashlib
from collections import Counter
from typing import Any

from django.db.models import Q
from django.utils import timezone

from adk_project.shared.lifecycle import DeletedSession
from adk_project.shared.transactions import write_transaction
from jobs_app.domain.records import DEAD, WAITING
from jobs_app.services.outbox import cancel_jobs
from memory_app.domain.entries import EXCERPT, FORGOTTEN_STATUS
from memory_app.domain.errors import MemoryNotFound, TombstoneNotFound
from memory_app.domain.forgetting import ForgetPlan, Receipt, Selection
from memory_app.domain.topics import TOPICS
from memory_app.models import IngestedSession, Memory, MemoryScope, Tombstone
from memory_app.selectors.search import find_similar
from memory_app.services.choosing import Doomed, choose_doomed
from memory_app.services.erasing import erase_entries
from memory_app.services.scopes import lock_scope
from memory_app.services.tombstones import Digger
from sessions_app import selectors as sessions
from sessions_app.domain.errors import ProjectNotFound
from sessions_app.domain.keys import SessionKey, UserKey


def plan_forgetting(key: UserKey, selection: Selection) -> ForgetPlan:
    """What ``forget`` would erase for the same selection, and what it would leave. Nothing is written."""
    selection.check()
    scope = MemoryScope.objects.filter(project__name=key.project, user_id=key.user_id).first()
    doomed = choose_doomed(scope, key, selection) if scope else Doomed()
    entries = doomed.in_order
    return ForgetPlan(
        memory_ids=tuple(str(entry.memory_id) for entry in entries),
        kinds=dict(Counter(entry.kind for entry in entries)),
        fingerprint=hashlib.sha256(",".join(str(entry.pk) for entry in entries).encode()).hexdigest(),
        similar=tuple(find_similar(key, entries)),
        not_reached=_not_reached(key, selection, doomed),
    )


def forget(key: UserKey, selection: Selection, reason: str, actor: str) -> Receipt:
    """Erase every entry of the selection, with what was made of the same words, and bury it.

    Concurrency: an ingestion under way ends first, or finds the tombstones. Raises Invalid for a selection by nothing.
    Whatever waits dead in the outbox for this user is cancelled, since its payload may hold the text; when all is
    forgotten, so is what waits there alive.
    """
    selection.check()
    project_id = sessions.project_id(key.project)
    with write_transaction():
        # Before the scope's lock: a worker that ends a job holds that job's row and then asks for the scope.
        cancel_jobs(project_id, key.user_id, TOPICS, statuses=(DEAD, WAITING) if selection.everything else (DEAD,))
        doomed, tombstones = _forget(lock_scope(project_id, key.user_id), key, selection, reason, actor)
    return Receipt(
        memory_ids=tuple(str(entry.memory_id) for entry in doomed.in_order),
        kinds=dict(Counter(entry.kind for entry in doomed.in_order)),
        tombstone_ids=tuple(str(tombstone.tombstone_id) for tombstone in tombstones),
        digests=tuple(digest.hex() for digest in dict.fromkeys(row.claim_digest for row in tombstones) if digest),
        not_reached=_not_reached(key, selection, doomed),
    )


def forget_deleted_session(session: DeletedSession) -> None:
    """Forget what came from a session that is being deleted, in the caller's transaction."""
    key = UserKey(session.project, session.user_id)
    scope = lock_scope(sessions.project_id(session.project), key.user_id)
    _forget(scope, key, Selection(session_id=session.session_id), "the session was deleted", session.actor)


def _forget(
    scope: MemoryScope, key: UserKey, selection: Selection, reason: str, actor: str
) -> tuple[Doomed, list[Tombstone]]:
    doomed = choose_doomed(scope, key, selection)
    tombstones = _bury(scope, key, selection, doomed, Digger(scope, reason, actor))
    erase_entries(scope, doomed.in_order, FORGOTTEN_STATUS)
    return doomed, tombstones


def forget_one(key: UserKey, memory_id: str, reason: str, actor: str) -> Receipt:
    """Forget one entry. Raises MemoryNotFound for one that is not there or was forgotten before."""
    try:
        receipt = forget(key, Selection(ids=(memory_id,)), reason, actor)
    except ProjectNotFound:
        # To a key that may create it this project is an empty one.
        raise MemoryNotFound from None
    if not receipt.memory_ids:
        raise MemoryNotFound
    return receipt


def lift_tombstone(key: UserKey, tombstone_id: str, reason: str, actor: str) -> None:
    """Let what was forgotten be stored again. What was erased stays erased; its event is ingested again on demand.

    The tombstones of the same claim go with it, and that of an excerpt of which nothing else was forgotten.
    """
    with write_transaction():
        scope = lock_scope(sessions.project_id(key.project), key.user_id)
        standing = Tombstone.objects.filter(scope=scope, lifted_at=None)
        row = standing.filter(tombstone_id=tombstone_id).first()
        if row is None:
            raise TombstoneNotFound
        lifted = list(standing.filter(Q(pk=row.pk) | Q(claim_digest=row.claim_digest, said_before=None)))
        lifted += _idle_excerpts(standing.exclude(pk__in=[item.pk for item in lifted]), lifted)
        standing.filter(pk__in=[item.pk for item in lifted]).update(
            lifted_at=timezone.now(), lifted_by=actor, lift_reason=reason
        )
        for item in lifted:
            _make_unknown(scope, item)


def _idle_excerpts(standing: Any, lifted: list[Tombstone]) -> list[Tombstone]:
    """The tombstones of excerpts that fell only with what is lifted now."""
    idle = []
    for place in {(row.source_ref, row.source_event_id) for row in lifted if row.source_event_id}:
        of_event = list(standing.filter(source_ref=place[0], source_event_id=place[1]))
        fallen = [row for row in of_event if row.kind == EXCERPT and not row.span_end]
        idle += fallen if len(fallen) == len(of_event) else []
    return idle


def _make_unknown(scope: MemoryScope, row: Tombstone) -> None:
    """Let the next ingestion see what a tombstone was about as if for the first time."""
    logs = IngestedSession.objects.filter(scope=scope)
    if row.source_event_id is not None:
        of_event = {"source_ref": row.source_ref, "source_event_id": row.source_event_id}
        Memory.objects.filter(scope=scope, status=FORGOTTEN_STATUS, **of_event).delete()
    if row.source_ref or row.source_session_id is None:
        (logs.filter(source_ref=row.source_ref) if row.source_ref else logs).update(through_seq=0)


def _bury(scope: MemoryScope, key: UserKey, selection: Selection, doomed: Doomed, digger: Digger) -> list[Tombstone]:
    tombstones = [digger.bury(entry, whole=entry.pk in doomed.whole) for entry in doomed.in_order]
    tombstones += [
        digger.bury_source(entry, source) for entry in doomed.in_order for source in doomed.sources.get(entry.pk, ())
    ]
    if not selection.ids and selection.query is None:
        head = _head(key, selection)
        tombstones.append(digger.bury_selection(selection, *(head or ("", None))))
    return Tombstone.objects.bulk_create(tombstones)


def _head(key: UserKey, selection: Selection) -> tuple[str, int] | None:
    """The log of the selected session and where it ends; None where this server keeps none."""
    if selection.session_id is None:
        return None
    head = sessions.find_session_head(SessionKey(key.project, key.user_id, selection.session_id))
    return (f"s:{head.pk}", head.last_seq) if head else None


def _not_reached(key: UserKey, selection: Selection, doomed: Doomed) -> tuple[str, ...]:
    """The sessions whose log still holds what is forgotten: all but those that this server has deleted."""
    places = {
        place.source_ref: place.source_session_id
        for entry in doomed.in_order
        for place in doomed.places_of(entry)
        if place.source_session_id is not None
    }
    kept = sessions.living_sessions([int(ref[2:]) for ref in places if ref.startswith("s:")])
    gone = {ref for ref in places if ref.startswith("s:") and int(ref[2:]) not in kept}
    named = {session_id for ref, session_id in places.items() if ref not in gone}
    if selection.session_id is not None and _head(key, selection) is not None:
        named.add(selection.session_id)
    return tuple(sorted(named))
