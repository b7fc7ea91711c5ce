"""What can go wrong with memory. Each docstring is the message a caller sees."""

from adk_project.shared.errors import Conflict, Missing, Unavailable


class MemoryNotFound(Missing):
    """There is no such memory."""

    code = "memory_not_found"


class TombstoneNotFound(Missing):
    """There is no such tombstone."""

    code = "tombstone_not_found"


class PolicyMoved(Conflict):
    """The memories have changed since the plan was made. Plan again."""

    code = "policy_moved"


class NotIndexedYet(Conflict):
    """The session has not been ingested as far as the search asks for."""

    code = "not_indexed_yet"


class UnknownDigestKey(Unavailable):
    """What was forgotten is marked with a key that is not among THREEFOLD_DIGEST_KEY and THREEFOLD_OLD_DIGEST_KEYS."""

    code = "unknown_digest_key"
