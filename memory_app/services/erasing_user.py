"""Erasing a user: everything this server keeps of them, in one transaction, and a receipt of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from adk_project.shared.lifecycle import Erased, LeavingUser, run_erasers
from adk_project.shared.transactions import write_transaction
from memory_app.models import IngestedSession, Memory, MemoryScope, MemorySource, Tombstone, UserErasure
from memory_app.services.digest_keys import checked_keys
from memory_app.services.index import drop_all
from memory_app.services.scopes import lock_scope
from sessions_app import selectors as sessions
from sessions_app.domain.keys import UserKey

_PORTION = 500


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """What was erased. ``user_digest`` is the HMAC by which older data of this user is known and refused from now on;
    ``not_reached`` names what this user set for everyone."""

    erased_at: float
    counts: Mapping[str, int]
    user_digest: str
    digest_key_id: str
    not_reached: tuple[str, ...]


def erase_user(key: UserKey, actor: str) -> ErasureReceipt:
    """Erase a user's sessions, state, memories, jobs and operations. Safe to run twice; an unknown user counts nothing.

    Concurrency: what is being written for the user ends first and is erased, or finds the erasure and writes nothing.
    A conversation that begins afterwards is a new one.
    """
    keys = checked_keys()
    project_id = sessions.project_id(key.project)
    digest = keys.user_digests(str(project_id), key.user_id)[keys.current.id]
    with write_transaction():
        erased = run_erasers(LeavingUser(project_id, key.user_id, actor))
        # The last thing: whatever was asked for before this moment is older than the erasure.
        row = UserErasure.objects.create(
            project_id=project_id,
            user_digest=digest,
            digest_key_id=keys.current.id,
            erased_at=time.time(),
            erased_by=actor,
        )
    return ErasureReceipt(row.erased_at, erased.counts, digest.hex(), keys.current.id, erased.not_reached)


def erase_memories(user: LeavingUser) -> Erased:
    """Delete what is remembered of a user, in the caller's transaction, and empty the words on their tombstones.

    What was forgotten before stays forgotten: tombstones hold no more than digests now.
    """
    scope = lock_scope(user.project_id, user.user_id)
    tombstones = Tombstone.objects.filter(scope=scope)
    counts = {"memories": _delete_memories(scope), "tombstonesKept": tombstones.count()}
    IngestedSession.objects.filter(scope=scope).delete()
    tombstones.update(reason="", lift_reason="", source_session_id=None)
    if not counts["tombstonesKept"]:
        # The last row that names the user. Whoever waits for its lock makes another.
        scope.delete()
    return Erased(counts)


def _delete_memories(scope: MemoryScope) -> int:
    drop_all(scope)
    MemorySource.objects.filter(scope=scope).delete()
    rows = Memory.objects.filter(scope=scope)
    rows.update(superseded_by=None)
    number = 0
    while doomed := list(rows.values_list("pk", flat=True)[:_PORTION]):
        Memory.objects.filter(pk__in=doomed).delete()
        number += len(doomed)
    return number
