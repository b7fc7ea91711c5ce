"""Erasing entries: the row stays as a bare fact, everything that was said goes, from the index too."""

import time
from collections.abc import Sequence

from django.db.models import F, Q
from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from memory_app.domain.entries import ACTIVE_STATUS, EXPIRED_STATUS, KINDS, SUPERSEDED_STATUS
from memory_app.domain.policy import MemoryPolicy
from memory_app.models import Memory, MemoryScope, MemorySource
from memory_app.models.index_sql import copy_expiry
from memory_app.services.index import drop_from_index

_PORTION = 500
_KEPT = (ACTIVE_STATUS, SUPERSEDED_STATUS)
"""What still says something."""


def erase_entries(scope: MemoryScope, entries: Sequence[Memory], status: str) -> None:
    """Empty entries of a locked scope and take them out of the index. Safe to run twice."""
    drop_from_index(scope, [entry for entry in entries if entry.status == ACTIVE_STATUS])
    for start in range(0, len(entries), _PORTION):
        pks = [entry.pk for entry in entries[start : start + _PORTION]]
        MemorySource.objects.filter(memory_id__in=pks).delete()
        Memory.objects.filter(pk__in=pks).update(
            status=status,
            key=None,
            value=None,
            claim_hash=b"",
            content="",
            text="",
            author="",
            custom_metadata="{}",
            terms="{}",
            length=0,
            expires_at=None,
            ended_at=timezone.now(),
        )


def sweep_expired(limit: int = 10_000) -> int:
    """Erase entries whose time is up; reads have hidden them since. Safe to run twice and side by side."""
    swept = 0
    while swept < limit:
        due = Memory.objects.filter(status__in=_KEPT, expires_at__lte=time.time()).order_by("expires_at")
        scope_id = due.values_list("scope_id", flat=True).first()
        if scope_id is None:
            break
        swept += _sweep_scope(scope_id)
    return swept


def count_expired() -> int:
    """How many entries a sweep would erase now."""
    return Memory.objects.filter(status__in=_KEPT, expires_at__lte=time.time()).count()


def _sweep_scope(scope_id: int) -> int:
    with write_transaction():
        scope = MemoryScope.objects.select_for_update(no_key=True).filter(pk=scope_id).first()
        if scope is None:
            # Erased with its user meanwhile.
            return 0
        rows = Memory.objects.filter(scope=scope, status__in=_KEPT, expires_at__lte=time.time())
        entries = list(rows.order_by("pk")[:_PORTION])
        erase_entries(scope, entries, EXPIRED_STATUS)
    return len(entries)


def apply_policy(scope: MemoryScope, policy: MemoryPolicy) -> int:
    """Hold the active entries of a locked scope to a policy: new expiries, and an end to what it does not keep."""
    ended = 0
    for kind in KINDS:
        rule = policy.rule(kind)
        rows = Memory.objects.filter(scope=scope, kind=kind, status=ACTIVE_STATUS)
        rows.update(expires_at=None if rule.ttl_seconds is None else F("valid_from") + float(rule.ttl_seconds))
        unkept = Q(confidence__lt=rule.minimum_confidence) | Q(expires_at__lte=time.time())
        doomed = list(rows.filter(unkept) if rule.persist else rows)
        erase_entries(scope, doomed, EXPIRED_STATUS)
        ended += len(doomed)
    copy_expiry(scope.pk)
    return ended
