"""Reads of projects, sessions, events and state. What is stored as JSON text is handed out as text, never parsed."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Q, QuerySet

from adk_project.shared.transactions import read_snapshot
from sessions_app.domain.access import Caller, key_digest
from sessions_app.domain.errors import ProjectNotFound, SessionNotFound
from sessions_app.domain.keys import SessionKey, UserKey
from sessions_app.domain.records import (
    ApiKeyView,
    EventOutline,
    EventWindow,
    LogEntry,
    SessionHead,
    SessionView,
    StoredEvent,
)
from sessions_app.domain.state import merge_state_text
from sessions_app.models import (
    ApiKey,
    Event,
    EventKind,
    Project,
    Session,
    SessionLabel,
    SessionQuerySet,
    SessionState,
    SharedState,
)

Items = list[tuple[str, str]]
"""Keys and values of one owner; of state both are JSON text, in the order in which the keys were first set."""

_APP = ""


def find_caller(key: str, now: datetime) -> tuple[Caller, datetime | None] | None:
    """Whom a key belongs to and when it was last used; None when it is unknown, expired or revoked at ``now``."""
    valid = ApiKey.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)
    row = valid.filter(digest=key_digest(key)).first()
    if row is None:
        return None
    caller = Caller(row.prefix, frozenset(row.scopes), row.user_id, row.all_projects)
    return caller, row.last_used_at


def list_api_keys() -> list[ApiKeyView]:
    """Every key that was ever issued, the newest first, without anything that could be used as one."""
    return [
        ApiKeyView(
            prefix=row.prefix,
            name=row.name,
            scopes=tuple(row.scopes),
            projects=None if row.all_projects else tuple(project.name for project in row.projects.all()),
            user_id=row.user_id,
            created_at=row.created_at,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
            last_used_at=row.last_used_at,
        )
        for row in ApiKey.objects.prefetch_related("projects").order_by("-created_at", "-pk")
    ]


def visible_projects(caller: Caller) -> list[str]:
    """The names of the projects that a key is bound to, sorted."""
    return list(_projects_of(caller).values_list("name", flat=True))


def sees_project(caller: Caller, name: str) -> bool:
    """Whether the project exists and the key is bound to it: a caller cannot tell the two apart."""
    return _projects_of(caller).filter(name=name).exists()


def _projects_of(caller: Caller) -> QuerySet[Project]:
    rows = Project.objects.order_by("name")
    return rows if caller.all_projects else rows.filter(api_keys__prefix=caller.prefix)


def get_session(key: SessionKey, window: EventWindow = EventWindow()) -> SessionView:
    """One session with its merged state and the events of ``window``, all as of one moment. Raises SessionNotFound."""
    with read_snapshot():
        row = _sessions().at(key).first()
        if row is None:
            raise SessionNotFound
        [view] = _view_all([row], [row.pk])
        return replace(view, events=_window_bodies(row, window))


def list_sessions(key: UserKey) -> list[SessionView]:
    """All sessions of a user without events, the least recently updated first, as ADK lists them."""
    rows = _sessions().of_user(key)
    with read_snapshot():
        views = _view_all(list(rows), rows.values("pk"))
    return sorted(views, key=lambda view: (view.last_update_time, view.user_id, view.session_id))


def view_page(rows: Sequence[Session]) -> list[SessionView]:
    """The rows of one page of a list, as they are shown: merged state and no events."""
    return _view_all(rows, [row.pk for row in rows])


def project_sessions(project: str) -> SessionQuerySet:
    """Every living session of a project, for lists that filter and page them."""
    return _sessions().filter(project__name=project)


def list_events(
    key: SessionKey, after_seq: int, limit: int, kinds: Sequence[str] = ()
) -> tuple[list[StoredEvent], int | None]:
    """Up to ``limit`` events after ``after_seq``, and the seq to go on after. Raises SessionNotFound."""
    with read_snapshot():
        session_pk = Session.objects.at(key).alive(time.time()).values_list("pk", flat=True).first()
        if session_pk is None:
            raise SessionNotFound
        rows = Event.objects.filter(session_id=session_pk, seq__gt=max(after_seq, 0)).order_by("seq")
        if kinds:
            rows = rows.filter(kind__in=kinds)
        found = list(rows[: limit + 1])
    shown = found[:limit]
    events = [StoredEvent(row.seq, row.kind, row.body, row.recorded_at.timestamp(), row.recorded_by) for row in shown]
    return events, shown[-1].seq if len(found) > limit else None


def outline_events(session_pk: int, limit: int) -> list[EventOutline]:
    """The latest entries of a session's log without what was said, the newest first. For staff, who hold a row's pk."""
    rows = Event.objects.filter(session_id=session_pk).order_by("-seq")
    columns = rows.values_list("seq", "kind", "author", "recorded_at", "recorded_by")
    return [EventOutline(*values) for values in columns[:limit]]


def user_state(key: UserKey) -> str:
    """A user's shared state as a JSON object text, keys without ``user:``; ``{}`` for a user never seen."""
    return _shared_text(key.project, key.user_id)


def app_state(project: str) -> str:
    """A project's shared state as a JSON object text, keys without ``app:``."""
    return _shared_text(project, _APP)


def session_head(key: SessionKey) -> SessionHead:
    """Where a session's log ends. Raises SessionNotFound."""
    head = find_session_head(key)
    if head is None:
        raise SessionNotFound
    return head


def find_session_head(key: SessionKey) -> SessionHead | None:
    """Where a session's log ends; None when there is none."""
    found = Session.objects.at(key).alive(time.time()).values_list("pk", "last_seq").first()
    return SessionHead(*found) if found else None


def read_log(session_pk: int, after_seq: int, through_seq: int) -> list[LogEntry]:
    """A stretch of a log, both ends by seq, the first excluded. Empty when the session is gone."""
    rows = Event.objects.filter(session_id=session_pk, seq__gt=after_seq, seq__lte=through_seq)
    columns = rows.order_by("seq").values_list("seq", "event_id", "body", "recorded_at")
    return [LogEntry(*values) for values in columns]


def living_sessions(pks: Sequence[int]) -> set[int]:
    """Which of these sessions, by row number, still exist."""
    found: set[int] = set()
    for start in range(0, len(pks), 500):
        found.update(Session.objects.filter(pk__in=pks[start : start + 500]).values_list("pk", flat=True))
    return found


def seqs_of_events(session_pk: int, event_ids: Sequence[str]) -> dict[str, int]:
    """The seq of each of these events that the log holds."""
    rows = Event.objects.filter(session_id=session_pk, event_id__in=event_ids)
    return dict(rows.values_list("event_id", "seq"))


def project_id(name: str) -> int:
    """The row number of a project. Raises ProjectNotFound."""
    found = Project.objects.filter(name=name).values_list("pk", flat=True).first()
    if found is None:
        raise ProjectNotFound
    return found


def project_name(number: int) -> str:
    """The name of the project with this row number; blank, which is no project's name, where there is none."""
    return Project.objects.filter(pk=number).values_list("name", flat=True).first() or ""


def _sessions() -> SessionQuerySet:
    return Session.objects.alive(time.time()).select_related("project")


def _view_all(rows: Sequence[Session], within: Sequence[int] | QuerySet) -> list[SessionView]:
    """The rows as views. ``within`` selects the same sessions for the statements that fetch state and labels, of which
    there is a constant number."""
    states = _group(SessionState.objects.filter(session__in=within).order_by("pk"), "session_id")
    labels = _group(SessionLabel.objects.filter(session__in=within).order_by("key"), "session_id")
    shared = {}
    for project_id in {row.project_id for row in rows}:
        owners = {row.user_id for row in rows if row.project_id == project_id} | {_APP}
        found = SharedState.objects.filter(scope__project_id=project_id, scope__user_id__in=owners)
        for owner, items in _group(found.order_by("pk"), "scope__user_id").items():
            shared[project_id, owner] = items
    return [
        _view(
            row,
            merge_state_text(
                states.get(row.pk, []),
                shared.get((row.project_id, row.user_id), []),
                shared.get((row.project_id, _APP), []),
            ),
            dict(labels.get(row.pk, [])),
        )
        for row in rows
    ]


def _group(rows: QuerySet, owner_field: str) -> dict[object, Items]:
    """The rows' keys and values by their owner, in the rows' order."""
    groups: dict[object, Items] = defaultdict(list)
    for owner, key, value in rows.values_list(owner_field, "key", "value"):
        groups[owner].append((key, value))
    return groups


def _window_bodies(row: Session, window: EventWindow) -> tuple[str, ...]:
    if window.last == 0:
        return ()
    events = Event.objects.filter(session=row).exclude(kind=EventKind.GENESIS)
    if window.after_timestamp is not None:
        events = events.filter(timestamp__gte=window.after_timestamp)
    if window.last is None:
        return tuple(events.order_by("seq").values_list("body", flat=True))
    return tuple(reversed(events.order_by("-seq").values_list("body", flat=True)[: window.last]))


def _shared_text(project: str, owner: str) -> str:
    found = SharedState.objects.filter(scope__project__name=project, scope__user_id=owner).order_by("pk")
    return "{" + ",".join(f"{key}:{value}" for key, value in found.values_list("key", "value")) + "}"


def _view(row: Session, state: str, labels: Mapping[str, str]) -> SessionView:
    return SessionView(
        project=row.project.name,
        user_id=row.user_id,
        session_id=row.session_id,
        state=state,
        last_update_time=row.last_update_time,
        create_time=row.create_time,
        revision=row.revision,
        last_seq=row.last_seq,
        title=row.title,
        expires_at=row.expires_at,
        labels=labels,
    )
