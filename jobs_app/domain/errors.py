"""What can go wrong with jobs."""

from adk_project.shared.errors import Conflict, Missing


class OperationNotFound(Missing):
    """There is no such operation."""

    code = "operation_not_found"


class JobNotDead(Conflict):
    """Only a dead job can be tried again."""

    code = "job_not_dead"


class JobEnded(Conflict):
    """The job has ended already."""

    code = "job_ended"


class LostLease(Exception):
    """Another worker has taken this job over; what this one did is not written."""


class PermanentFailure(Exception):
    """Trying again would not help. ``code`` is the stable word that the operation shows."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
