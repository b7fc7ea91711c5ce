"""Ids in paths: the request target is split at its slashes *before* any percent-decoding.

``/users/a%2Fb`` is one user named ``a/b``. WSGI hands Django a decoded path in which that slash cannot be told from a
separator, so routing works on the target as the client sent it, which gunicorn passes on as ``RAW_URI``.
"""

from collections.abc import Callable
from urllib.parse import quote, unquote_to_bytes

from django.http import HttpRequest, HttpResponse
from django.urls import register_converter

from adk_project.shared.errors import invalid_field

_ROOTS = ("/apps", "/api/v1")
_SAFE_IN_SEGMENT = "!$&'()*+,;=:@~"


def undecoded_path(request: HttpRequest) -> str:
    """The path of the request target, still percent-encoded, without scheme, host and query."""
    target = request.META.get("RAW_URI") or request.META.get("REQUEST_URI")
    if not target:
        return quote(request.path_info, safe="/" + _SAFE_IN_SEGMENT)
    path = target.partition("?")[0].partition("#")[0]
    if not path.startswith("/"):
        _, _, rest = path.partition("://")
        path = "/" + rest.partition("/")[2]
    return path


class UndecodedPathMiddleware:
    """Route the API on the undecoded path. Must stand first, so that nothing sees the decoded one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = undecoded_path(request)
        # Also where only the decoded path is the API's, as /%61pps: its ids would be decoded twice.
        if path.startswith(_ROOTS) or request.path_info.startswith(_ROOTS):
            request.path_info = request.path = path
        return self.get_response(request)


class SegmentConverter:
    """One path segment as sent, empty ones included: an incomplete key is refused, not routed elsewhere."""

    regex = "[^/]*"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return quote(value, safe=_SAFE_IN_SEGMENT)


register_converter(SegmentConverter, "segment")


def decode_segment(segment: str, field: str) -> str:
    """The text that a path segment stands for. Raises Invalid naming ``field`` when it is not UTF-8."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise invalid_field(field, "must be percent-encoded UTF-8") from None
