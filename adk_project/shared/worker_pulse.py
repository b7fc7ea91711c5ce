"""When a worker last finished a task: a sign of life that health can show without asking the broker."""

import logging
import time

from django.core.cache import cache

log = logging.getLogger(__name__)
_KEY = "worker-pulse"
_KEPT_SECONDS = 24 * 60 * 60


def record_pulse() -> None:
    """Note that a worker is alive now. Never fails: a dead cache must not fail the task that just succeeded."""
    try:
        cache.set(_KEY, time.time(), _KEPT_SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever the cache raises
        log.warning("The worker's pulse was not recorded: %s", type(error).__name__)


def seconds_since_pulse() -> float | None:
    """How long ago a worker finished a task, or None when none did. Raises what the cache raises."""
    moment = cache.get(_KEY)
    return None if moment is None else max(0.0, time.time() - moment)
