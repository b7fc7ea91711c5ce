"""Appending to a session's log: the one way in which a conversation or its state changes."""

import time
from collections.abc import Mapping, Sequence

from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from sessions_app.domain.errors import EventConflict, SessionNotFound, StaleSession
from sessions_app.domain.event_body import EventDraft
from sessions_app.domain.keys import SessionKey
from sessions_app.domain.records import AppendResult
from sessions_app.models import Event, EventKind, Session
from sessions_app.services.state_writes import Writer, open_scopes, write_session_state, write_shared_state


def append_events(
    key: SessionKey, drafts: Sequence[EventDraft], expected_revision: int | None, actor: str
) -> list[AppendResult]:
    """Append events in order, all or none, and return each as stored.

    An event whose id and digest are stored already is answered as it was the first time and not applied again, whatever
    revision is expected. Concurrency: appends to one session queue on its row; the number of statements is constant.
    Raises SessionNotFound, StaleSession (with the current revision), EventConflict, StateTooLarge.
    """
    with write_transaction():
        session = lock_session(key)
        stored = _find_stored(session, drafts)
        fresh = check_repeats(stored, drafts)
        if fresh and expected_revision is not None and expected_revision != session.revision:
            raise StaleSession(revision=session.revision)
        stored |= {row.event_id: row for row in record_events(session, fresh, actor)}
        new_ids = {draft.event_id for draft in fresh}
        return [_result(stored[draft.event_id], draft.event_id not in new_ids) for draft in drafts]


def lock_session(key: SessionKey) -> Session:
    """The session's row, locked until the transaction ends. Raises SessionNotFound, also for an expired one."""
    # of self: appends to two sessions of a project must not meet on its row. no_key: inserting events must not wait.
    query = Session.objects.at(key).alive(time.time()).select_for_update(of=("self",), no_key=True)
    session = query.first()
    if session is None:
        raise SessionNotFound
    return session


def record_events(session: Session, drafts: Sequence[EventDraft], actor: str) -> list[Event]:
    """Write events, their state and the session's new head, in the caller's transaction, which holds its row."""
    if not drafts:
        return []
    scopes = open_scopes(session, drafts)
    writer = Writer(session=session, actor=actor, recorded_at=timezone.now())
    rows = [_next_row(session, draft, writer) for draft in drafts]
    placed = list(zip(rows, drafts, strict=True))
    write_session_state(session, [(row.seq, draft.changes("session")) for row, draft in placed])
    user_changes = [(row.seq, row.event_id, draft.changes("user")) for row, draft in placed]
    app_changes = [(row.seq, row.event_id, draft.changes("app")) for row, draft in placed]
    user_versions = write_shared_state(scopes.user, writer, user_changes)
    app_versions = write_shared_state(scopes.app, writer, app_changes)
    for row, user_version, app_version in zip(rows, user_versions, app_versions, strict=True):
        row.user_version, row.app_version = user_version, app_version
    Event.objects.bulk_create(rows)
    session.save(update_fields=["last_seq", "revision", "last_update_time", "state_bytes"])
    return rows


def _next_row(session: Session, draft: EventDraft, writer: Writer) -> Event:
    session.last_seq += draft.kind != EventKind.GENESIS
    # A state-only write moves the log on but not the revision, so the run that is under way is not stale by it.
    session.revision += draft.kind not in (EventKind.GENESIS, EventKind.STATE)
    session.last_update_time = draft.timestamp
    return Event(
        project_id=session.project_id,
        session=session,
        seq=session.last_seq,
        revision=session.revision,
        timestamp=draft.timestamp,
        recorded_at=writer.recorded_at,
        kind=draft.kind,
        event_id=draft.event_id,
        invocation_id=draft.invocation_id,
        author=draft.author,
        branch=draft.branch,
        recorded_by=writer.actor,
        body_digest=draft.digest,
        body=draft.body,
    )


def _find_stored(session: Session, drafts: Sequence[EventDraft]) -> dict[str, Event]:
    ids = {draft.event_id for draft in drafts}
    return {row.event_id: row for row in Event.objects.filter(session=session, event_id__in=ids)}


def check_repeats(stored: Mapping[str, Event], drafts: Sequence[EventDraft]) -> list[EventDraft]:
    """Those drafts that are new, each id once. Raises EventConflict where an id stands for two bodies."""
    known = {event_id: bytes(row.body_digest) for event_id, row in stored.items()}
    fresh = []
    for draft in drafts:
        if draft.event_id not in known:
            known[draft.event_id] = draft.digest
            fresh.append(draft)
        elif known[draft.event_id] != draft.digest:
            raise EventConflict
    return fresh


def _result(row: Event, repeated: bool) -> AppendResult:
    return AppendResult(
        body=row.body, seq=row.seq, revision=row.revision, last_update_time=row.timestamp, repeated=repeated
    )
