"""JSON whose numbers keep their text.

What an agent sends must come back exactly: ``1e308``, ``-0.0``, ``2**70`` and integers of up to 4,300 digits. So it is
never turned into a Python number on its way through the server; it stays the literal that was received.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias, TypeGuard, cast

from adk_project.shared.errors import Damaged, Invalid, invalid_field

# Readers have limits too (pydantic stops near 200 levels), and a session wraps its events a few levels deeper.
MAX_DEPTH = 100
# A value sent as state stands a little deeper in the event that stores it.
STORED_DEPTH = MAX_DEPTH + 20
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

_MAX_EXPONENT_CHARACTERS = 20
# Python's own readers refuse a longer integer, so one such number would make a whole session unreadable for an agent.
_MAX_INTEGER_CHARACTERS = 4_300
_SHORT = f"must be an integer of at most {_MAX_INTEGER_CHARACTERS} digits"
_FINITE = "must be a finite number within the range of a 64-bit float"
_BOM = "\ufeff"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
# Possessive, with an optional end quote: linear time even for a string that never ends.
_STRING_OR_OTHER = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^"\[\]{}]++', re.DOTALL)
# Below these the keys are the caller's data, shown in quotes.
_VALUE_FIELD = re.compile(
    "state|(state|artifact)_?[dD]elta|args|response|custom_?[mM]etadata|metadata|labels|output|agent_?[sS]tate"
    "|set_?[mM]odel_?[rR]esponse|payload"
)


class JsonNumber(str):
    """A number as it was written. It is a ``str``: ask :func:`is_string` whether a value is a JSON string."""

    __slots__ = ()


class JsonText(str):
    """Text that is JSON already, such as a stored body; :func:`dump_json` puts it in as it stands."""

    __slots__ = ()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | bool | None"
_Items: TypeAlias = Callable[[dict[str, Any]], Iterable[tuple[str, Any]]]


def parse_json(data: bytes | str, *, field: str = "body", max_depth: int = MAX_DEPTH) -> Json:
    """The tree of one JSON document: dict, list, str, bool, None and JsonNumber.

    A key that appears twice in one object is refused wherever it stands, since a tree could keep only one of the two.

    Raises Invalid with the path of what is wrong, never with its content.
    """
    text = _decode(data, field)
    _check_depth(text, field, max_depth)
    try:
        return cast(Json, _STRICT.decode(text))
    except json.JSONDecodeError as error:
        raise invalid_field(field, f"is not valid JSON at line {error.lineno} column {error.colno}") from None
    except _Refused:
        raise _locate_refusal(text, field) from None


def parse_stored(text: str) -> Json:
    """The tree of a text that this server stored. Raises Damaged, because the caller is not to blame."""
    try:
        return parse_json(text, field="stored", max_depth=STORED_DEPTH)
    except Invalid:
        raise Damaged("A stored JSON text cannot be read.") from None


def dump_json(value: object) -> str:
    """Compact ASCII JSON, key order and number texts kept. Takes int, finite float and bool too."""
    pieces: list[str] = []
    _write(value, pieces.append, dict.items, str)
    return "".join(pieces)


def canonical_json(value: object) -> str:
    """One text for all spellings of one value: keys sorted, numbers reduced without loss."""
    pieces: list[str] = []
    _write(value, pieces.append, _sorted_items, _canonical_number)
    return "".join(pieces)


def digest(value: object) -> bytes:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).digest()


def is_string(value: object) -> TypeGuard[str]:
    """Whether a tree's value is a JSON string (a JsonNumber is not)."""
    return type(value) is str


def number(value: object, field: str) -> float:
    """The float of a JSON number. Raises Invalid for anything else, strings and booleans included."""
    if type(value) is not JsonNumber:
        raise invalid_field(field, "must be a number")
    result = float(value)
    if not math.isfinite(result):
        raise invalid_field(field, _FINITE)
    return result


def integer(value: object, field: str, *, minimum: int = INT64_MIN, maximum: int = INT64_MAX) -> int:
    """The int of a JSON number without fraction or exponent, within bounds. Raises Invalid for anything else."""
    if type(value) is not JsonNumber or not _INTEGER.fullmatch(value):
        raise invalid_field(field, "must be an integer")
    # The length is looked at first: int() refuses more than 4,300 digits with an error of its own.
    if len(value) > 20 or not minimum <= int(value) <= maximum:
        raise invalid_field(field, f"must be an integer from {minimum} to {maximum}")
    return int(value)


def join_path(path: str, key: str | int, *, quoted: bool = False) -> str:
    """The path of one member: ``.name`` for a field, ``["key"]`` for data, ``[0]`` for an item."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not quoted and _IDENTIFIER.fullmatch(key) and len(key) <= 64:
        return f"{path}.{key}"
    return f"{path}[{encode_basestring_ascii(key[:64])}]"


def _decode(data: bytes | str, field: str) -> str:
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid_field(field, f"is not valid UTF-8 at byte {error.start}") from None
    if text.startswith(_BOM):
        raise invalid_field(field, "must not start with a byte order mark")
    return text


def _check_depth(text: str, field: str, max_depth: int) -> None:
    """The decoder recurses, so depth is settled before it starts."""
    if text.count("[") + text.count("{") <= max_depth:
        return
    depth = 0
    for bracket in _STRING_OR_OTHER.sub("", text):
        depth += 1 if bracket in "[{" else -1
        if depth > max_depth:
            raise invalid_field(field, f"is nested deeper than {max_depth} levels")


class _Refused(Exception):
    """The strict reading met a value that is not accepted; where it stands is found by a second, slower reading."""


@dataclass(frozen=True)
class _Refusal:
    """Stands in the tree of the second reading in place of what was refused."""

    rule: str
    key: str | None = None


def _strict_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused
    return members


def _strict_int(text: str) -> JsonNumber:
    if len(text) > _MAX_INTEGER_CHARACTERS:
        raise _Refused
    return JsonNumber(text)


def _strict_float(text: str) -> JsonNumber:
    if not _is_representable(text):
        raise _Refused
    return JsonNumber(text)


def _strict_constant(name: str) -> JsonNumber:
    raise _Refused


def _is_representable(text: str) -> bool:
    # An exponent of thousands of digits would make comparing and canonicalising costly; no float64 needs one.
    if len(text) > _MAX_EXPONENT_CHARACTERS and len(text.lower().partition("e")[2]) > _MAX_EXPONENT_CHARACTERS:
        return False
    return math.isfinite(float(text))


def _marked_object(pairs: list[tuple[str, object]]) -> object:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Refusal("appears more than once", key)
        seen.add(key)
    return dict(pairs)


def _marked_int(text: str) -> object:
    return JsonNumber(text) if len(text) <= _MAX_INTEGER_CHARACTERS else _Refusal(_SHORT)


def _marked_float(text: str) -> object:
    return JsonNumber(text) if _is_representable(text) else _Refusal(_FINITE)


def _marked_constant(name: str) -> object:
    return _Refusal(_FINITE)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_strict_object, parse_int=_strict_int, parse_float=_strict_float, parse_constant=_strict_constant
)
_MARKING = json.JSONDecoder(
    object_pairs_hook=_marked_object, parse_int=_marked_int, parse_float=_marked_float, parse_constant=_marked_constant
)


def _locate_refusal(text: str, field: str) -> Invalid:
    try:
        tree = _MARKING.decode(text)
    except json.JSONDecodeError as error:
        return invalid_field(field, f"is not valid JSON at line {error.lineno} column {error.colno}")
    path, rule = next(_refusals(tree, field, False))
    return invalid_field(path, rule)


def _refusals(value: object, path: str, quoted: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Refusal):
        yield (path if value.key is None else join_path(path, value.key, quoted=quoted)), value.rule
    elif isinstance(value, dict):
        for key, item in value.items():
            member = join_path(path, key, quoted=quoted)
            yield from _refusals(item, member, quoted or bool(_VALUE_FIELD.fullmatch(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _refusals(item, join_path(path, index), quoted)


def _write(value: Any, put: Callable[[str], None], items: _Items, spell: Callable[[str], str]) -> None:
    kind = type(value)
    if kind is str:
        put(encode_basestring_ascii(value))
    elif kind is JsonNumber:
        put(spell(value))
    elif kind is dict:
        separator = "{"
        for key, item in items(value):
            put(f"{separator}{encode_basestring_ascii(key)}:")
            _write(item, put, items, spell)
            separator = ","
        put("}" if value else "{}")
    elif kind is list:
        separator = "["
        for item in value:
            put(separator)
            _write(item, put, items, spell)
            separator = ","
        put("]" if value else "[]")
    elif kind is JsonText:
        put(value)
    else:
        put(_write_python_scalar(value, spell))


def _write_python_scalar(value: object, spell: Callable[[str], str]) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if type(value) is int:
        return spell(repr(value))
    if type(value) is float:
        if not math.isfinite(value):
            raise ValueError("A float must be finite to be JSON.")
        return spell(repr(value))
    raise TypeError(f"{type(value).__name__} is not JSON")


def _sorted_items(members: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(members.items(), key=lambda member: member[0])


def _canonical_number(text: str) -> str:
    """``digits e exponent`` without leading or trailing zeros. Works on the text, so it costs what the text costs."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError("This is not a JSON number.")
    sign, whole, fraction, exponent = match.groups(default="")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return f"{sign}0"
    significant = digits.rstrip("0")
    power = int(exponent or "0") - len(fraction) + len(digits) - len(significant)
    return f"{sign}{significant}e{power}"
