"""Keyset cursors: a page begins right after the last row of the one before, however the rows have moved since."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.db.models import QuerySet

from adk_project.shared.errors import invalid_field

MAX_PAGE = 200

_SALT = "threefold.cursor"


def encode_cursor(position: list[float | int], query: Mapping[str, object]) -> str:
    """A cursor after ``position`` in the list that ``query`` asks for."""
    return signing.dumps([position, _fingerprint(query)], salt=_SALT)


def decode_cursor(cursor: str, query: Mapping[str, object]) -> list[float | int]:
    """The position of a cursor. Raises Invalid for one this server did not give, or gave for another list."""
    try:
        position, fingerprint = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise invalid_field("cursor", "is not one that this server gave") from None
    if fingerprint != _fingerprint(query):
        raise invalid_field("cursor", "belongs to a list with another order or other filters")
    return position


def read_limit(value: str | None, default: int, largest: int = MAX_PAGE) -> int:
    """A page size from 1 to ``largest``. Raises Invalid: a limit is refused, never silently cut."""
    if value is None:
        return default
    if not value.isascii() or not value.isdigit() or not 1 <= int(value[:9]) <= largest or len(value) > 9:
        raise invalid_field("limit", f"must be an integer from 1 to {largest}")
    return int(value)


def newest_page(
    rows: QuerySet, limit: int, cursor: str | None, query: Mapping[str, object]
) -> tuple[list[Any], str | None]:
    """One page of a list that begins with the newest row, and the cursor of the next page, None at the end."""
    if cursor is not None:
        [pk] = decode_cursor(cursor, query)
        rows = rows.filter(pk__lt=pk)
    found = list(rows.order_by("-pk")[: limit + 1])
    shown = found[:limit]
    return shown, encode_cursor([shown[-1].pk], query) if len(found) > limit else None


def _fingerprint(query: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(query, sort_keys=True).encode()).hexdigest()[:16]
