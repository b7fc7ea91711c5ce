"""The policy in force."""

import json

from memory_app.domain.policy import DEFAULT_POLICY, MemoryPolicy, read_policy
from memory_app.models import PolicyRow


def policy_of(project_id: int) -> MemoryPolicy:
    """A project's policy; the default where it has none of its own."""
    rules = PolicyRow.objects.filter(project_id=project_id).values_list("rules", flat=True).first()
    return read_policy(json.loads(rules)) if rules else DEFAULT_POLICY
