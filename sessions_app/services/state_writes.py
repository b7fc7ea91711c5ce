"""Writing state, inside the caller's transaction: a session's own keys, and the shared keys of a user and an app.

Lock order, always: the session's row, then the user's scope, then the app's. The caller holds the first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.db.models.functions import Length

from sessions_app.config import limits
from sessions_app.domain.errors import StateTooLarge
from sessions_app.domain.event_body import EventDraft
from sessions_app.domain.state import decode_key, encode_key, key_digest
from sessions_app.models import Session, SessionState, SharedState, SharedStateChange, StateScope

Delta = Mapping[str, str | None]
"""Key to JSON text; None removes the key."""

APP = ""
_KEYS_PER_STATEMENT = 500


@dataclass(frozen=True, slots=True)
class Writer:
    """The session that writes, who writes through it, and when."""

    session: Session
    actor: str
    recorded_at: datetime


@dataclass(slots=True)
class Scopes:
    """The user's and the app's scope as this transaction sees them; None where nothing was ever shared."""

    user: StateScope | None
    app: StateScope | None


def open_scopes(session: Session, drafts: Sequence[EventDraft]) -> Scopes:
    """Both scopes of a session; those that a draft changes are created if need be and locked."""
    changed = [
        *([session.user_id] if any(draft.changes("user") for draft in drafts) else []),
        *([APP] if any(draft.changes("app") for draft in drafts) else []),
    ]
    rows = {row.user_id: row for row in _scopes(session.project_id, [session.user_id, APP])}
    if changed:
        # All that is missing is there before the first lock is taken: who creates under a lock can meet himself.
        _create_scopes(session.project_id, [owner for owner in changed if owner not in rows])
        rows |= _lock_scopes(session.project_id, changed)
    return Scopes(user=rows.get(session.user_id), app=rows.get(APP))


def _scopes(project_id: int, owners: Iterable[str]) -> QuerySet[StateScope]:
    return StateScope.objects.filter(project_id=project_id, user_id__in=list(owners))


def _create_scopes(project_id: int, owners: Sequence[str]) -> None:
    StateScope.objects.bulk_create(
        [StateScope(project_id=project_id, user_id=owner) for owner in owners], ignore_conflicts=True
    )


def _lock_scopes(project_id: int, owners: Sequence[str]) -> dict[str, StateScope]:
    # Descending, so that the app's empty owner comes last; no_key: reading a scope must not wait for this lock.
    query = _scopes(project_id, owners).order_by("-user_id").select_for_update(no_key=True)
    return {row.user_id: row for row in query}


def write_session_state(session: Session, deltas: Iterable[tuple[int, Delta]]) -> None:
    """Apply the deltas of several events, each with its seq, in order. Updates ``session.state_bytes`` unsaved."""
    final: dict[str, tuple[int, str | None]] = {}
    for seq, delta in deltas:
        for key, value in delta.items():
            final[key] = (seq, value)
    if not final:
        return
    stored = SessionState.objects.filter(session=session)
    growth = _growth(stored, {key: value for key, (_, value) in final.items()})
    session.state_bytes = _resize(session.state_bytes, growth)
    SessionState.objects.bulk_create(
        [
            SessionState(
                project_id=session.project_id,
                session=session,
                key=encode_key(key),
                key_digest=key_digest(key),
                value=value,
                seq=seq,
            )
            for key, (seq, value) in final.items()
            if value is not None
        ],
        update_conflicts=True,
        unique_fields=["session", "key_digest"],
        update_fields=["value", "seq"],
    )
    _remove(stored, (key for key, (_, value) in final.items() if value is None))


def write_shared_state(scope: StateScope | None, writer: Writer, deltas: Iterable[tuple[int, str, Delta]]) -> list[int]:
    """Apply the deltas of several events, each with its seq and event id. Returns the scope's version after each."""
    if scope is None:
        return [0 for _ in deltas]
    changes: list[SharedStateChange] = []
    versions = []
    for seq, event_id, delta in deltas:
        for key, value in delta.items():
            scope.version += 1
            changes.append(_change(scope, writer, seq, event_id, key, value))
        versions.append(scope.version)
    if changes:
        _apply_changes(scope, changes)
    return versions


def _change(
    scope: StateScope, writer: Writer, seq: int, event_id: str, key: str, value: str | None
) -> SharedStateChange:
    return SharedStateChange(
        project_id=scope.project_id,
        scope=scope,
        version=scope.version,
        key=encode_key(key),
        key_digest=key_digest(key),
        value=value,
        session_id=writer.session.session_id,
        user_id=writer.session.user_id,
        seq=seq,
        event_id=event_id,
        recorded_at=writer.recorded_at,
        recorded_by=writer.actor,
    )


_SOURCE_FIELDS = ["version", "session_id", "user_id", "seq", "event_id", "recorded_at", "recorded_by"]


def _apply_changes(scope: StateScope, changes: Sequence[SharedStateChange]) -> None:
    final = {decode_key(change.key): change for change in changes}
    stored = SharedState.objects.filter(scope=scope)
    growth = _growth(stored, {key: change.value for key, change in final.items()})
    scope.state_bytes = _resize(scope.state_bytes, growth)
    SharedStateChange.objects.bulk_create(changes)
    SharedState.objects.bulk_create(
        [_present(change) for change in final.values() if change.value is not None],
        update_conflicts=True,
        unique_fields=["scope", "key_digest"],
        update_fields=["value", *_SOURCE_FIELDS],
    )
    _remove(stored, (key for key, change in final.items() if change.value is None))
    scope.save(update_fields=["version", "state_bytes"])


def _present(change: SharedStateChange) -> SharedState:
    return SharedState(
        project_id=change.project_id,
        scope_id=change.scope_id,
        key=change.key,
        key_digest=change.key_digest,
        value=change.value,
        **{name: getattr(change, name) for name in _SOURCE_FIELDS},
    )


def _growth(stored: QuerySet, final: Mapping[str, str | None]) -> int:
    """By how many bytes of JSON text the state grows when ``final`` is written over what is stored."""
    before: dict[str, int] = {}
    for digests in _digests(final):
        found = stored.filter(key_digest__in=digests)
        before.update(found.values_list("key").annotate(size=Length("value")).order_by())
    after = {encode_key(key): len(value) for key, value in final.items() if value is not None}
    return sum(len(key) + size for key, size in after.items()) - sum(len(key) + size for key, size in before.items())


def _resize(state_bytes: int, growth: int) -> int:
    """The size after a change. Raises StateTooLarge, but for none that shrinks: a limit may have been lowered since."""
    size, limit = state_bytes + growth, limits().max_state_bytes
    if growth > 0 and size > limit:
        raise StateTooLarge(f"The state would hold {size} bytes; this server accepts {limit}.", limit=limit)
    return size


def _remove(stored: QuerySet, keys: Iterable[str]) -> None:
    for digests in _digests(keys):
        stored.filter(key_digest__in=digests).delete()


def _digests(keys: Iterable[str]) -> Iterator[list[bytes]]:
    """The digests of the keys in portions: a statement of either database takes a bounded number of parameters."""
    digests = [key_digest(key) for key in keys]
    for start in range(0, len(digests), _KEYS_PER_STATEMENT):
        yield digests[start : start + _KEYS_PER_STATEMENT]
