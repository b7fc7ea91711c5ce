"""The life of a session: create, open, change its own facts or state, delete, expire."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError

from adk_project.shared.lifecycle import DeletedSession, forget_session
from adk_project.shared.transactions import write_transaction
from sessions_app.domain.errors import ProjectNotFound, SessionExists
from sessions_app.domain.event_body import EventDraft
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Project, Session, SessionLabel, SessionQuerySet
from sessions_app.services.events import check_repeats, lock_session, record_events

_SWEPT_AT_ONCE = 50


def create_session(
    key: SessionKey,
    genesis: EventDraft,
    *,
    events: Sequence[EventDraft] = (),
    facts: Mapping[str, object] | None = None,
    actor: str,
    creates_project: bool = False,
) -> None:
    """Create a session with the state given at creation as the first entry of its log, and any first events after it.

    ``facts`` may hold ``title``, ``labels`` and ``expires_at``. With ``creates_project`` a project that does not
    exist is created with its first session. Concurrency: of many creates of one key one succeeds.
    Raises SessionExists, ProjectNotFound and EventConflict; nothing is written then, shared state included.
    """
    forget_expired(key)
    with write_transaction():
        project_id = _find_project(key.project, actor, creates_project)
        session = _insert_session(project_id, key, genesis.timestamp, dict(facts or {}), actor)
        record_events(session, [genesis, *check_repeats({}, events)], actor)


def open_session(
    key: SessionKey,
    genesis: EventDraft,
    *,
    events: Sequence[EventDraft] = (),
    facts: Mapping[str, object] | None = None,
    actor: str,
    creates_project: bool = False,
) -> None:
    """Make sure that a session exists. One that does is left exactly as it is, its state too."""
    if Session.objects.at(key).alive(time.time()).exists():
        return
    try:
        create_session(key, genesis, events=events, facts=facts, actor=actor, creates_project=creates_project)
    except SessionExists:
        return


def patch_session(key: SessionKey, draft: EventDraft | None, facts: Mapping[str, object], actor: str) -> None:
    """Write state beside a run, as an event that moves ``seq`` but not ``revision``, and change the session's facts."""
    with write_transaction():
        session = lock_session(key)
        record_events(session, [draft] if draft else [], actor)
        _change_facts(session, dict(facts))


def delete_session(key: SessionKey, *, forget_by: str | None = None) -> bool:
    """Delete a session with its events and own state; shared state stays. Returns whether there was one.

    With ``forget_by``, the actor, what other apps made of it is forgotten too, also of one that was deleted before.
    Concurrency: an append that is under way ends first, one that comes later finds no session.
    """
    with write_transaction():
        deleted = _delete_locked(Session.objects.at(key)) > 0
        if forget_by is not None:
            forget_session(DeletedSession(key.project, key.user_id, key.session_id, forget_by))
        return deleted


def sweep_expired() -> int:
    """Delete all sessions that have expired, a few at a time, so that on SQLite no writer waits long."""
    swept = 0
    while found := forget_expired(limit=_SWEPT_AT_ONCE):
        swept += found
    return swept


def forget_expired(key: SessionKey | None = None, limit: int = 500) -> int:
    """Delete sessions that have expired, up to ``limit`` of them: any, or the one at ``key``. Safe to run twice."""
    expired = Session.objects.filter(expires_at__lte=time.time())
    if key is not None:
        expired = Session.objects.at(key).filter(expires_at__lte=time.time())
        if not expired.exists():
            return 0
    with write_transaction():
        return _delete_locked(expired, limit)


def _delete_locked(sessions: SessionQuerySet, limit: int | None = None) -> int:
    # Locked before the first row below them goes: an append under way would still add one, to a session that is gone.
    doomed = list(sessions.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True)[:limit])
    Session.objects.filter(pk__in=doomed).delete()
    return len(doomed)


def _find_project(name: str, actor: str, creates_project: bool) -> int:
    if creates_project:
        return Project.objects.get_or_create(name=name, defaults={"created_by": actor})[0].pk
    project_id = Project.objects.filter(name=name).values_list("pk", flat=True).first()
    if project_id is None:
        raise ProjectNotFound
    return project_id


def _insert_session(project_id: int, key: SessionKey, now: float, facts: dict[str, Any], actor: str) -> Session:
    session = Session(
        project_id=project_id,
        user_id=key.user_id,
        session_id=key.session_id,
        create_time=now,
        last_update_time=now,
        title=facts.get("title"),
        expires_at=facts.get("expires_at"),
        created_by=actor,
    )
    try:
        session.save(force_insert=True)
    except IntegrityError:
        # Its key is the only thing that can be there already. Whether it still is now says nothing about then.
        raise SessionExists from None
    if facts.get("labels"):
        _write_labels(session, facts["labels"])
    return session


def _change_facts(session: Session, facts: dict[str, Any]) -> None:
    labels = facts.pop("labels", None)
    if labels is not None:
        session.labels.all().delete()
        _write_labels(session, labels)
    for name, value in facts.items():
        setattr(session, name, value)
    if facts:
        session.save(update_fields=list(facts))


def _write_labels(session: Session, labels: Mapping[str, str]) -> None:
    SessionLabel.objects.bulk_create(
        [
            SessionLabel(project_id=session.project_id, session=session, key=key, value=value)
            for key, value in labels.items()
        ]
    )
