from celery import shared_task

from jobs_app.services.drain import drain, forget_finished


@shared_task
def drain_jobs() -> int:
    """Run what is due. Safe to run twice and side by side: every job is leased, and its effects are fenced."""
    return drain()


@shared_task
def forget_finished_jobs() -> int:
    """Delete jobs that ended long ago. Safe to run twice: a second run finds nothing."""
    return forget_finished()
