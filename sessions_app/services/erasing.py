"""The sessions and the shared state of a user who is erased."""

from adk_project.shared.lifecycle import Erased, LeavingUser
from sessions_app.domain.state import decode_key
from sessions_app.models import Event, Session, SharedState, SharedStateChange, StateScope
from sessions_app.services.state_writes import APP

_PORTION = 500


def erase_sessions(user: LeavingUser) -> Erased:
    """Delete a user's sessions, with events and state, and the state that they share, in the caller's transaction.

    What the user set for the whole app stays, and is named. Concurrency: an append under way ends first, one that
    comes later finds no session.
    """
    sessions, events = _delete_sessions(user)
    values, changes = _delete_shared_state(user)
    counts = {"sessions": sessions, "events": events, "userState": values, "userStateChanges": changes}
    return Erased(counts, tuple(f"app:{key}" for key in _app_keys_set_by(user)))


def _delete_sessions(user: LeavingUser) -> tuple[int, int]:
    sessions = events = 0
    rows = Session.objects.filter(project_id=user.project_id, user_id=user.user_id).order_by("pk")
    while doomed := list(rows.select_for_update(of=("self",)).values_list("pk", flat=True)[:_PORTION]):
        events += Event.objects.filter(session_id__in=doomed).delete()[0]
        Session.objects.filter(pk__in=doomed).delete()
        sessions += len(doomed)
    return sessions, events


def _delete_shared_state(user: LeavingUser) -> tuple[int, int]:
    scopes = StateScope.objects.filter(project_id=user.project_id, user_id=user.user_id)
    scope = scopes.select_for_update(no_key=True).first()
    if scope is None:
        return 0, 0
    values, _ = SharedState.objects.filter(scope=scope).delete()
    changes, _ = SharedStateChange.objects.filter(scope=scope).delete()
    # The row stays, and its number goes on: a session that is being created may have read it already.
    scopes.update(state_bytes=0)
    return values, changes


def _app_keys_set_by(user: LeavingUser) -> list[str]:
    rows = SharedStateChange.objects.filter(
        scope__project_id=user.project_id, scope__user_id=APP, user_id=user.user_id, value__isnull=False
    )
    return sorted({decode_key(key) for key in rows.values_list("key", flat=True)})
