"""One id per request: taken from a sane ``X-Request-Id``, else made here; in the answer and in every log record."""

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from logging import LogRecord

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-Id"
_SANE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_current: ContextVar[str] = ContextVar("request_id", default="-")


def current_request_id() -> str:
    """The id of the request this code serves, or ``-`` outside of one."""
    return _current.get()


class RequestIdMiddleware:
    """Sets ``request.request_id`` and the answer's ``X-Request-Id``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request.request_id = given if _SANE.fullmatch(given) else uuid.uuid4().hex
        token = _current.set(request.request_id)
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response.headers[HEADER] = request.request_id
        return response


def add_request_id(record: LogRecord) -> bool:
    """A logging filter that keeps every record and gives it ``request_id``, unless it brings its own."""
    record.request_id = getattr(record, "request_id", None) or _current.get()
    return True
