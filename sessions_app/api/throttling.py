"""A limit on how many requests one API key may make a minute."""

import logging
import time

from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from sessions_app.config import rate_limit_per_minute
from sessions_app.domain.access import Caller

logger = logging.getLogger(__name__)

_WINDOW_SECONDS = 60


class ApiKeyThrottle(BaseThrottle):
    """Counts in fixed windows of a minute, in the cache that all processes share.

    A cache that does not answer lets requests pass: a limit on use must not become an outage.
    """

    def allow_request(self, request: Request, view: object) -> bool:
        limit = rate_limit_per_minute()
        if not limit or not isinstance(request.auth, Caller):
            return True
        window = int(time.time() // _WINDOW_SECONDS)
        return _count(f"rate:{request.auth.prefix}:{window}") <= limit

    def wait(self) -> float:
        return _WINDOW_SECONDS - time.time() % _WINDOW_SECONDS


class _Breaker:
    """After a failed call the cache is left alone for some seconds: an outage must not cost each request a time-out."""

    closed_until = 0.0


def _count(name: str) -> int:
    if time.monotonic() < _Breaker.closed_until:
        return 0
    try:
        cache.add(name, 0, timeout=2 * _WINDOW_SECONDS)
        return cache.incr(name)
    except Exception as error:
        _Breaker.closed_until = time.monotonic() + 5
        logger.warning("The cache does not answer (%s); requests are not counted for 5 s.", type(error).__name__)
        return 0
