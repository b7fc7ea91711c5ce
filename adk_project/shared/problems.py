"""Every failure leaves the server as an RFC 9457 problem with a stable ``code``."""

import logging
from http import HTTPStatus

from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response

from adk_project.shared.errors import (
    Conflict,
    Damaged,
    Forbidden,
    Invalid,
    Missing,
    ThreefoldError,
    TooLarge,
    Unavailable,
)
from adk_project.shared.wire import camel_case

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"

STATUS_OF_KIND = {
    Invalid: 400,
    Forbidden: 403,
    Missing: 404,
    Conflict: 409,
    TooLarge: 413,
    Damaged: 502,
    Unavailable: 503,
}

CODE_OF_STATUS = {
    400: "invalid_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    503: "unavailable",
}


def status_of(error: ThreefoldError) -> int:
    return next(status for kind, status in STATUS_OF_KIND.items() if isinstance(error, kind))


def problem(status: int, code: str, detail: str, **members: object) -> dict[str, object]:
    """The members of one problem; those that are None are left out."""
    body = {
        "type": f"urn:threefold:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **{camel_case(name): value for name, value in members.items()},
    }
    return {name: value for name, value in body.items() if value is not None}


def problem_handler(error: Exception, context: dict) -> Response | None:
    """DRF's exception handler. None hands an unknown error on: a bug stays a 500 and is logged with its traceback."""
    if isinstance(error, ThreefoldError):
        return _respond(context, status_of(error), error.code, error.detail, None, errors=_fields(error), **error.extra)
    if isinstance(error, OperationalError | InterfaceError):
        logger.error("The database did not answer: %s", type(error).__name__)
        return _respond(context, 503, "unavailable", "The database does not answer.", headers={"Retry-After": "1"})
    if isinstance(error, Http404):
        return _respond(context, 404, "not_found", "There is no such resource.")
    if isinstance(error, exceptions.APIException):
        return _respond_to_framework(error, context)
    return None


def _respond_to_framework(error: exceptions.APIException, context: dict) -> Response:
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header
    if getattr(error, "wait", None):
        headers["Retry-After"] = str(max(1, round(error.wait)))
    code = CODE_OF_STATUS.get(error.status_code, "invalid_request")
    return _respond(context, error.status_code, code, str(error.detail), headers=headers)


def _fields(error: ThreefoldError) -> list[dict[str, str]] | None:
    return [{"field": item.field, "rule": item.rule} for item in error.fields] or None


def _respond(
    context: dict, status: int, code: str, detail: str, headers: dict[str, str] | None = None, **members: object
) -> Response:
    request = context.get("request")
    request_id = getattr(getattr(request, "_request", request), "request_id", None)
    body = problem(status, code, detail, request_id=request_id, **members)
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's 404 view: an unknown path. The admin keeps its own page."""
    if request.path.startswith("/admin/"):
        return defaults.page_not_found(request, exception)
    return _plain(request, 404, "There is no such route.", code="route_not_found")


def method_not_allowed(request: HttpRequest, allowed: str) -> HttpResponse:
    """405 for a plain view; ``allowed`` is the answer's Allow header."""
    answer = _plain(request, 405, f"This route takes {allowed} only.")
    answer.headers["Allow"] = allowed
    return answer


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's 400 view: what it refuses of its own accord, such as a Host header that is not allowed."""
    if isinstance(exception, DisallowedHost):
        return _plain(request, 400, "The Host header is not one of THREEFOLD_ALLOWED_HOSTS.")
    return _plain(request, 400, "The request is not valid; it may hold too many parameters.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's 500 view: the traceback is in the log under the request id, never in the answer."""
    return _plain(request, 500, "The server met an error of its own. Its log has the details under the request id.")


def _plain(request: HttpRequest, status: int, detail: str, code: str | None = None) -> HttpResponse:
    body = problem(status, code or CODE_OF_STATUS[status], detail, request_id=getattr(request, "request_id", None))
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)
