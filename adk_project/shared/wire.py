"""What goes over the wire: bodies in camelCase or snake_case in, camelCase without nulls out."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from gunicorn.http.errors import ParseException
from rest_framework.exceptions import UnsupportedMediaType

from adk_project.shared.errors import TooLarge, invalid_field

_READ_AWAY_FACTOR = 4
_PIECE_BYTES = 1 << 20


def camel_case(name: str) -> str:
    """``session_id`` -> ``sessionId``."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def read_body(request: HttpRequest, max_bytes: int) -> bytes:
    """The request's body, whole. Raises TooLarge with the limit in its text, Invalid for one that was cut off, and 415.

    A chunked body has no length and Django would take it for empty, so it is read from the server's own stream.
    """
    length = _content_length(request)
    if length > max_bytes:
        _read_away(request, min(length, _READ_AWAY_FACTOR * max_bytes))
        raise _too_large(max_bytes)
    chunked = not length and request.META.get("HTTP_TRANSFER_ENCODING") and request.META.get("wsgi.input_terminated")
    stream = request.META["wsgi.input"] if chunked else request
    try:
        body = stream.read(max_bytes + 1)
    except (OSError, ParseException):
        raise invalid_field("body", "ended early, or its chunks are broken") from None
    if len(body) > max_bytes:
        raise _too_large(max_bytes)
    if len(body) < length:
        raise invalid_field("body", "ended early: it is shorter than its Content-Length")
    media_type = request.content_type
    if body and media_type and media_type != "application/json" and not media_type.endswith("+json"):
        raise UnsupportedMediaType(media_type, "Send JSON with the header Content-Type: application/json.")
    return body


def _read_away(stream: Any, number: int) -> None:
    """Take in a body that is refused. A client that writes before it reads would else meet a closed connection, not the
    answer."""
    with suppress(OSError):
        while number > 0 and (piece := stream.read(min(number, _PIECE_BYTES))):
            number -= len(piece)


def _content_length(request: HttpRequest) -> int:
    given = request.META.get("CONTENT_LENGTH") or "0"
    if not given.isascii() or not given.isdigit():
        raise invalid_field("Content-Length", "must be a number of bytes")
    # More digits than any body has bytes, and int() refuses thousands of them.
    return int(given[:19])


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"The body is larger than {max_bytes} bytes, which this server accepts.", limit=max_bytes)


def read_members(tree: object, allowed: Mapping[str, str] | tuple[str, ...], field: str = "") -> dict[str, Any]:
    """The members of one of Threefold's own objects under their snake_case names; each may be spelled either way.

    Raises Invalid for what is no object, for an unknown member and for one that is given in both spellings. Values are
    not touched, so keys inside state, args and metadata stay as they are.
    """
    if not isinstance(tree, dict):
        raise invalid_field(field or "body", "must be an object")
    known = {name: name for name in allowed} | {camel_case(name): name for name in allowed}
    members: dict[str, Any] = {}
    for key, value in tree.items():
        name = known.get(key)
        path = f"{field}.{_shown(key)}" if field else _shown(key)
        if name is None:
            accepted = ", ".join(sorted(camel_case(name) for name in allowed)) or "none"
            raise invalid_field(path, f"is unknown; accepted are: {accepted}")
        if name in members:
            raise invalid_field(path, "is given in both spellings")
        members[name] = value
    return members


def _shown(key: str) -> str:
    """A caller's key as an answer can hold it: its beginning, and lone surrogates, which are not UTF-8, escaped."""
    return key[:64].encode("utf-8", "backslashreplace").decode()


def read_query(query: QueryDict, allowed: tuple[str, ...], repeated: tuple[str, ...] = ()) -> dict[str, Any]:
    """The query parameters under their snake_case names; those in ``repeated`` as lists.

    Raises Invalid for an unknown parameter: a misspelt filter must never mean "no filter".
    """
    given = {key: query.getlist(key) for key in query}
    members = read_members(given, allowed + repeated)
    for name, values in members.items():
        if name not in repeated:
            if len(values) > 1:
                raise invalid_field(camel_case(name), "is given more than once")
            members[name] = values[0]
    return members


def json_response(text: str, status: int = 200) -> HttpResponse:
    """An answer whose JSON text is already there."""
    return HttpResponse(text, status=status, content_type="application/json")
