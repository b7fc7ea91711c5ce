"""The jobs of a user who is erased: their payloads and results go with them."""

from adk_project.shared.lifecycle import Erased, LeavingUser
from jobs_app.models import Job


def erase_jobs(user: LeavingUser) -> Erased:
    """Delete a user's jobs in the caller's transaction. A worker that is at one of them writes nothing."""
    number, _ = Job.objects.filter(project_id=user.project_id, user_id=user.user_id).delete()
    return Erased({"jobs": number})
