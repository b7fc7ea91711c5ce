"""What can go wrong with memory. Each docstring is the message a caller sees."""

from adk_project.shared.errors import Conflict, Forbidden, Missing, Unavailable


class MemoryNotFound(Missing):
    """There is no such memory."""

    code = "memory_not_found"


class TombstoneNotFound(Missing):
    """There is no such tombstone."""

    code = "tombstone_not_found"


class MemoryTombstoned(Conflict):
    """This was forgotten and may not be stored again. An operator can lift its tombstone."""

    code = "memory_tombstoned"


class PolicyMoved(Conflict):
    """The memories have changed since the plan was made. Plan again."""

    code = "policy_moved"


class NotIndexedYet(Conflict):
    """The session has not been ingested as far as the search asks for."""

    code = "not_indexed_yet"


class ProjectMemoriesOff(Forbidden):
    """This project keeps no memories of its own."""

    code = "project_memories_off"


class UnknownDigestKey(Unavailable):
    """What was forgotten is marked with a key that is not among THREEFOLD_DIGEST_KEY and THREEFOLD_OLD_DIGEST_KEYS."""

    code = "unknown_digest_key"
