"""Writing memories directly, as ADK's ``add_memory`` does: no job, no extractor, the same policy and tombstones."""

from collections.abc import Sequence

from adk_project.shared.transactions import write_transaction
from memory_app.domain.proposals import Outcome, Proposal, Source
from memory_app.domain.views import MemoryView
from memory_app.selectors.entries import view_entries
from memory_app.selectors.policies import policy_of
from memory_app.services.scopes import lock_scope
from memory_app.services.storing import store_proposals
from sessions_app import selectors as sessions
from sessions_app.domain.keys import UserKey


def add_memories(key: UserKey, proposals: Sequence[Proposal], actor: str) -> tuple[Outcome, list[MemoryView]]:
    """Store memories for a user, all that policy and tombstones allow, and say what became of the rest."""
    project_id = sessions.project_id(key.project)
    with write_transaction():
        scope = lock_scope(project_id, key.user_id)
        outcome, rows = store_proposals(scope, Source(), proposals, policy_of(project_id), actor)
    return outcome, view_entries(rows)
