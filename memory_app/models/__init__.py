from memory_app.models.forgetting import Tombstone, UserErasure
from memory_app.models.index import Posting, TermStat
from memory_app.models.memory import IngestedSession, Memory, MemoryScope, MemorySource
from memory_app.models.policy import PolicyRow

__all__ = [
    "IngestedSession",
    "Memory",
    "MemoryScope",
    "MemorySource",
    "PolicyRow",
    "Posting",
    "TermStat",
    "Tombstone",
    "UserErasure",
]
