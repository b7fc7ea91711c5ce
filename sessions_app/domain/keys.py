"""Ids, and the three-part key under which everything is looked up."""

import re
from dataclasses import dataclass, fields

from adk_project.shared.errors import FieldError, Invalid, invalid_field

MAX_ID_LENGTH = 255

# Unicode's Cc (C0, DEL and C1) and code points that are half a character.
FORBIDDEN_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class InvalidKey(Invalid, ValueError):
    """A key needs every one of its parts."""


def clean_id(value: object, field: str) -> str:
    """An id without its outer whitespace. Raises Invalid when it is blank, too long or holds what no id may hold."""
    # Not isinstance: a JSON number is a str here, and never an id.
    if type(value) is not str:
        raise invalid_field(field, "must be a string")
    cleaned = value.strip()
    if not cleaned:
        raise invalid_field(field, "must not be blank")
    if len(cleaned) > MAX_ID_LENGTH:
        raise invalid_field(field, f"must have at most {MAX_ID_LENGTH} characters")
    if FORBIDDEN_CHARACTERS.search(cleaned):
        raise invalid_field(field, "must not contain control characters, NUL or lone surrogates")
    if cleaned in (".", ".."):
        # Clients and proxies collapse these in a path, so such an id would name something else.
        raise invalid_field(field, 'must not be "." or ".."')
    return cleaned


def optional_id(value: object, field: str) -> str | None:
    """As :func:`clean_id`, but None and blank mean absent."""
    if value is None or (type(value) is str and not value.strip()):
        return None
    return clean_id(value, field)


@dataclass(frozen=True, slots=True)
class UserKey:
    """One user of one project. Raises InvalidKey (an Invalid and a ValueError) when a part is missing."""

    project: str
    user_id: str

    def __post_init__(self) -> None:
        _clean_parts(self)


@dataclass(frozen=True, slots=True)
class SessionKey:
    """One session of one user. Raises InvalidKey (an Invalid and a ValueError) when a part is missing."""

    project: str
    user_id: str
    session_id: str

    def __post_init__(self) -> None:
        _clean_parts(self)

    @property
    def user_key(self) -> UserKey:
        return UserKey(self.project, self.user_id)


def _clean_parts(key: UserKey | SessionKey) -> None:
    """Every key is trimmed where it is made, so that `` s1 `` and ``s1`` can never be two sessions."""
    broken: list[FieldError] = []
    for part in fields(key):
        try:
            object.__setattr__(key, part.name, clean_id(getattr(key, part.name), part.name))
        except Invalid as error:
            broken.extend(error.fields)
    if broken:
        raise InvalidKey("; ".join(f"{item.field}: {item.rule}" for item in broken), fields=tuple(broken))
