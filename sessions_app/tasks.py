from celery import shared_task

from sessions_app.services.sessions import sweep_expired


@shared_task
def sweep_expired_sessions() -> int:
    """Delete what has expired. Safe to run twice and side by side: a second run finds nothing left to do."""
    return sweep_expired()
