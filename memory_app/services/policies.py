"""A project's memory policy: read, planned, changed."""

import json
import time
from collections.abc import Mapping

from django.db.models import Count, Q
from django.utils import timezone

from adk_project.shared.transactions import write_transaction
from memory_app.domain.entries import ACTIVE_STATUS, KINDS
from memory_app.domain.errors import PolicyMoved
from memory_app.domain.policy import DEFAULT_POLICY, ChangePlan, KindCount, MemoryPolicy, dump_policy, plan_change
from memory_app.models import Memory, MemoryScope, PolicyRow
from memory_app.selectors.policies import policy_of
from memory_app.services.erasing import apply_policy


def plan_policy(project_id: int, new: MemoryPolicy) -> ChangePlan:
    """What a change would do to the active entries, by kind. Nothing is written."""
    return plan_change(policy_of(project_id), new, _count_entries(project_id, new))


def change_policy(project_id: int, new: MemoryPolicy, fingerprint: str, actor: str) -> ChangePlan:
    """Put a policy in force as it was planned. Raises PolicyMoved when a new plan would not be the same.

    What the policy no longer keeps is erased; what it keeps gets the expiry of its kind's new TTL.
    """
    with write_transaction():
        row, _ = PolicyRow.objects.select_for_update().get_or_create(
            project_id=project_id,
            defaults={
                "rules": json.dumps(dump_policy(DEFAULT_POLICY)),
                "changed_at": timezone.now(),
                "changed_by": actor,
            },
        )
        plan = plan_policy(project_id, new)
        if plan.fingerprint != fingerprint:
            raise PolicyMoved
        row.rules, row.version = json.dumps(dump_policy(new)), row.version + 1
        row.changed_at, row.changed_by = timezone.now(), actor
        row.save()
        for scope in MemoryScope.objects.filter(project_id=project_id).order_by("pk").select_for_update(no_key=True):
            apply_policy(scope, new)
    return plan


def _count_entries(project_id: int, policy: MemoryPolicy) -> Mapping[str, KindCount]:
    now = time.time()
    counts = {}
    for kind in KINDS:
        rule = policy.rule(kind)
        unsure = Q(confidence__lt=rule.minimum_confidence)
        aged = ~unsure & Q(valid_from__lte=now - rule.ttl_seconds) if rule.ttl_seconds else Q(pk=None)
        rows = Memory.objects.filter(project_id=project_id, kind=kind, status=ACTIVE_STATUS)
        found = rows.aggregate(active=Count("pk"), unsure=Count("pk", filter=unsure), aged=Count("pk", filter=aged))
        counts[kind] = KindCount(**found)
    return counts
