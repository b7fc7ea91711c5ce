"""One log record per request: method, route pattern, status, milliseconds. Never ids, queries or bodies."""

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

log = logging.getLogger("threefold.requests")


class RequestLogMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        # Probes come every few seconds and say nothing.
        level = logging.DEBUG if request.path.startswith("/health/") else logging.INFO
        if log.isEnabledFor(level):
            milliseconds = (time.perf_counter() - start) * 1000
            log.log(level, "%s /%s %d %.1fms", request.method, route_of(request), response.status_code, milliseconds)
        return response


def route_of(request: HttpRequest) -> str:
    """The pattern that matched, such as ``apps/<app>/users/<user>``: a real path would put user ids into the log."""
    match = request.resolver_match
    return match.route if match else "(no route)"
