"""The extra arguments of ``create_session``: the names Vertex uses, and Threefold's own."""

import re
import time
from datetime import datetime
from typing import Any

_KNOWN = ("ttl", "expire_time", "labels", "title", "display_name")
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")


def create_options(options: dict[str, Any]) -> dict[str, Any]:
    """The members of the create request for ``options``; a None value counts as absent.

    Raises TypeError for an unknown name, ValueError for a value that does not fit. Both name the option.
    """
    given = {name: value for name, value in options.items() if value is not None}
    unknown = sorted(set(given) - set(_KNOWN))
    if unknown:
        raise TypeError(f"create_session() takes no option {', '.join(unknown)}; it knows {', '.join(_KNOWN)}")
    made = {"title": _title(given), "labels": _labels(given.get("labels")), "expiresAt": _expires_at(given)}
    return {name: value for name, value in made.items() if value is not None}


def _title(given: dict[str, Any]) -> str | None:
    if "title" in given and "display_name" in given:
        raise ValueError("title and display_name are the same option: give one")
    title = given.get("title", given.get("display_name"))
    if title is not None and not isinstance(title, str):
        raise ValueError("title: must be text")
    return title


def _labels(labels: Any) -> dict[str, str] | None:
    if labels is None:
        return None
    if not isinstance(labels, dict) or not all(isinstance(text, str) for pair in labels.items() for text in pair):
        raise ValueError("labels: must be an object of text values")
    return dict(labels)


def _expires_at(given: dict[str, Any]) -> float | None:
    """Epoch seconds."""
    if "ttl" in given and "expire_time" in given:
        raise ValueError("give ttl or expire_time, not both")
    if "ttl" in given:
        return time.time() + _ttl_seconds(given["ttl"])
    return _moment(given["expire_time"]) if "expire_time" in given else None


def _ttl_seconds(ttl: Any) -> float:
    text = _SECONDS.fullmatch(ttl) if isinstance(ttl, str) else None
    seconds = float(text[1]) if text else ttl
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ValueError('ttl: must be a positive number of seconds, or text such as "3600s"')
    return float(seconds)


def _moment(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) != float("inf"):
        return float(value)
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(moment, datetime) and moment.tzinfo is not None:
            return moment.timestamp()
    except ValueError:
        pass
    raise ValueError("expire_time: must be epoch seconds, or a date and time with its offset from UTC")
