"""The only reader of settings in this app."""

from django.conf import settings


def has_broker() -> bool:
    """Whether workers wait at a broker. The embedded mode has none: its worker is woken inside the process."""
    return not settings.CELERY_BROKER_URL.startswith("memory:")
