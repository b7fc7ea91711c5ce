"""Python values to JSON values, or a ValueError that names the place, before anything is sent.

Dates, enums, sets, tuples, pydantic models and dataclasses become JSON as in ADK. What JSON cannot hold and what nobody
could read back (NaN, infinities, functions, bytes in state, cycles) is refused: ADK's own coercion turns a function
into its ``repr`` and loses it.
"""

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

_SCALARS = (str, bool, int, type(None))
_NON_FINITE = "NaN and infinite numbers are not JSON"
_CYCLE = "the value contains itself"


def to_json(value: Any, path: str, inside: tuple[int, ...] = ()) -> Any:
    """A copy of ``value`` of dict, list, str, int, float, bool and None only. Raises ValueError naming ``path``."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        raise ValueError(f"{path}: bytes are not JSON; keep them in an artifact or encode them yourself")
    if isinstance(value, Enum | str | int | float):
        return _scalar(value, path)
    if id(value) in inside:
        raise ValueError(f"{path}: {_CYCLE}")
    inside = (*inside, id(value))
    if isinstance(value, Mapping):
        return {_key(key, path): to_json(item, join(path, key), inside) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        # Sorted, since a set has no order of its own and a repeated append must be the same text.
        return sorted((to_json(item, f"{path}[]", inside) for item in value), key=json.dumps)
    if isinstance(value, list | tuple):
        return [to_json(item, f"{path}[{index}]", inside) for index, item in enumerate(value)]
    return _foreign(value, path, inside)


def check_event_value(value: Any, path: str, inside: tuple[int, ...] = ()) -> bool:
    """Looks for what pydantic would lose or choke on. Returns True when a dict key holds a lone surrogate.

    Raises ValueError naming ``path``. Bytes are fine here: event fields carry them as base64.
    """
    if value is None or isinstance(value, str | bool | int | bytes):
        return False
    if isinstance(value, float):
        _finite(value, path)
        return False
    if id(value) in inside:
        raise ValueError(f"{path}: {_CYCLE}")
    children = _children(value, path)
    if children is None:
        _jsonable(value, path)
        return False
    inside = (*inside, id(value))
    found = [check_event_value(child, where, inside) or _has_surrogate(key) for key, where, child in children]
    return any(found)


def join(path: str, key: Any) -> str:
    """``path.key`` for an error text: short, and printable whatever the key holds."""
    return f"{path}.{str(key)[:100].encode('utf-8', 'backslashreplace').decode()}"


def event_fallback_json(value: Any, path: str) -> Any:
    """Like :func:`to_json`, for a pydantic dump in Python mode: bytes become URL-safe base64, as everywhere in an
    event.
    """
    if isinstance(value, Mapping):
        return {_key(key, path): event_fallback_json(item, join(path, key)) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [event_fallback_json(item, path) for item in value]
    if isinstance(value, bytes):
        return to_jsonable_python(value, bytes_mode="base64")
    return to_json(value, path)


def _children(value: Any, path: str) -> Iterable[tuple[Any, str, Any]] | None:
    if isinstance(value, BaseModel):
        sent = {name for name, field in type(value).model_fields.items() if not field.exclude}
        return [(name, join(path, name), child) for name, child in value.__dict__.items() if name in sent]
    if isinstance(value, Mapping):
        return [(key, join(path, key), child) for key, child in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [("", f"{path}[{index}]", child) for index, child in enumerate(value)]
    return None


def _scalar(value: Any, path: str) -> Any:
    """An enum's value, or the plain value of a subclass (and every float)."""
    if isinstance(value, Enum):
        return to_json(value.value, path)
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) else _finite(value, path)


def _finite(value: float, path: str) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{path}: {_NON_FINITE}")
    return float(value)


def _has_surrogate(key: Any) -> bool:
    return isinstance(key, str) and any("\ud800" <= character <= "\udfff" for character in key)


def _key(key: Any, path: str) -> str:
    if isinstance(key, str):
        return str(key)
    return str(next(iter(_jsonable({key: None}, path))))


def _foreign(value: Any, path: str, inside: tuple[int, ...]) -> Any:
    """Dates, decimals, UUIDs, models, dataclasses: pydantic's JSON form, checked in its turn."""
    return to_json(_jsonable(value, path), path, inside)


def _jsonable(value: Any, path: str) -> Any:
    try:
        return to_jsonable_python(value)
    except Exception:  # pydantic's own text would quote the value
        refusal = f"{path}: a {type(value).__name__} is not JSON"
    raise ValueError(refusal)
