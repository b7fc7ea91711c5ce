"""The proof that what is stored as state is the fold of what is stored as log."""

from collections.abc import Iterable

from sessions_app.domain.keys import SessionKey
from sessions_app.domain.state import (
    FoldedValue,
    SharedChange,
    decode_key,
    encode_key,
    fold,
    fold_shared,
    key_digest,
    read_record,
)
from sessions_app.models import Event, EventKind, Session, SessionState, SharedState, SharedStateChange, StateScope


def check_project(project: str) -> None:
    """Every session and every shared scope of a project is the fold of its log."""
    for session in Session.objects.filter(project__name=project):
        check_log(session)
        check_session_state(session)
    for scope in StateScope.objects.filter(project__name=project):
        check_scope(scope)
    check_versions(project)


def check_key(key: SessionKey) -> None:
    session = Session.objects.at(key).get()
    check_log(session)
    check_session_state(session)


def check_log(session: Session) -> None:
    """Sequence numbers have no gap, and the head says what the log says."""
    log = list(Event.objects.filter(session=session).order_by("seq"))
    assert [row.seq for row in log] == list(range(session.last_seq + 1))
    assert [row.kind for row in log if row.seq == 0] == [EventKind.GENESIS]
    counted = 0
    for row in log:
        counted += row.kind not in (EventKind.GENESIS, EventKind.STATE)
        assert row.revision == counted
        assert row.project_id == session.project_id
    assert session.revision == counted
    assert session.last_update_time == log[-1].timestamp


def check_session_state(session: Session) -> None:
    log = Event.objects.filter(session=session).order_by("seq")
    folded = fold(read_record(row.seq, row.kind, row.body) for row in log)
    stored = SessionState.objects.filter(session=session)
    assert {decode_key(row.key): FoldedValue(row.value, row.seq) for row in stored} == folded
    assert all(row.key_digest_matches for row in _digested(stored))
    assert session.state_bytes == _size(folded)


def check_scope(scope: StateScope) -> None:
    changes = list(SharedStateChange.objects.filter(scope=scope).order_by("version"))
    assert [change.version for change in changes] == list(range(1, scope.version + 1))
    folded = fold_shared(SharedChange(change.version, decode_key(change.key), change.value) for change in changes)
    stored = SharedState.objects.filter(scope=scope)
    assert {decode_key(row.key): FoldedValue(row.value, row.version) for row in stored} == folded
    assert all(row.key_digest_matches for row in _digested(stored))
    assert scope.state_bytes == _size(folded)
    source = ("session_id", "user_id", "seq", "event_id", "recorded_at", "recorded_by")
    by_version = {change.version: change for change in changes}
    for row in stored:
        assert [getattr(row, name) for name in source] == [getattr(by_version[row.version], name) for name in source]


def check_versions(project: str) -> None:
    """The event that changed a shared key notes at least that change's number, and those before it a smaller one."""
    changes = SharedStateChange.objects.filter(scope__project__name=project).select_related("scope")
    for change in changes:
        event = Event.objects.filter(
            session__project__name=project,
            session__user_id=change.user_id,
            session__session_id=change.session_id,
            seq=change.seq,
            event_id=change.event_id,
        ).first()
        if event is not None:
            noted = event.app_version if change.scope.user_id == "" else event.user_version
            assert noted >= change.version


def _digested(rows: Iterable[SessionState | SharedState]) -> Iterable[SessionState | SharedState]:
    for row in rows:
        row.key_digest_matches = bytes(row.key_digest) == key_digest(decode_key(row.key))
        yield row


def _size(folded: dict[str, FoldedValue]) -> int:
    return sum(len(encode_key(key)) + len(value.value_text) for key, value in folded.items())
