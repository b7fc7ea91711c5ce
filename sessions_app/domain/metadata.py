"""A session's own facts beside its log: title, labels, expiry. They are never part of ADK state."""

import unicodedata

from adk_project.shared.errors import invalid_field
from sessions_app.domain.json_text import Json, JsonNumber, number

MAX_TITLE = 255
MAX_LABELS = 64
MAX_LABEL_KEY = 63
MAX_LABEL_VALUE = 255


def clean_title(value: Json, field: str = "title") -> str | None:
    """A title of up to 255 characters without control characters; None or blank clears it."""
    if value is None:
        return None
    return _clean_text(value, field, MAX_TITLE) or None


def clean_labels(value: Json, field: str = "labels") -> dict[str, str]:
    """Up to 64 labels, each a text by a name of up to 63 characters; None clears them all."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid_field(field, "must be an object of texts")
    if len(value) > MAX_LABELS:
        raise invalid_field(field, f"holds {len(value)} labels; at most {MAX_LABELS} are kept")
    labels = {}
    for key, text in value.items():
        name = _clean_text(key, field, MAX_LABEL_KEY)
        if not name:
            raise invalid_field(field, "a label's name must not be blank")
        if name in labels:
            raise invalid_field(f"{field}.{name}", "is given twice, with and without outer blanks")
        labels[name] = _clean_text(text, f"{field}.{name}", MAX_LABEL_VALUE)
    return labels


def clean_expiry(value: Json, now: float, field: str = "expiresAt") -> float | None:
    """The moment, in epoch seconds, from which the session is gone; None keeps it for good."""
    if value is None:
        return None
    moment = number(value, field)
    if moment <= now:
        raise invalid_field(field, "must be in the future (epoch seconds)")
    return moment


def _clean_text(value: Json, field: str, longest: int) -> str:
    if not isinstance(value, str) or isinstance(value, JsonNumber):
        raise invalid_field(field, "must be a text")
    text = value.strip()
    if len(text) > longest:
        raise invalid_field(field, f"is {len(text)} characters long; at most {longest} are kept")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise invalid_field(field, "must not hold control characters or lone surrogates")
    return text
