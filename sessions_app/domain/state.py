"""State is a projection of the log: deltas are split by scope when written, and folded again when proved."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Literal

from .json_text import Json, dump_json, is_string, parse_stored

Scope = Literal["session", "user", "app", "temp"]

GENESIS, CONVERSATION, STATE, COMPACTION, REWIND = "genesis", "conversation", "state", "compaction", "rewind"

APP_PREFIX, USER_PREFIX, TEMP_PREFIX = "app:", "user:", "temp:"
_PREFIXES: tuple[tuple[str, Scope], ...] = ((APP_PREFIX, "app"), (USER_PREFIX, "user"), (TEMP_PREFIX, "temp"))


@dataclass(frozen=True, slots=True)
class ScopedDelta:
    """A delta by scope: key without its prefix -> the value's JSON text (``null`` is a value)."""

    session: dict[str, str] = field(default_factory=dict)
    user: dict[str, str] = field(default_factory=dict)
    app: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.session or self.user or self.app)


@dataclass(frozen=True, slots=True)
class ScopedKeys:
    """Keys by scope, without their prefixes."""

    session: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    app: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.session or self.user or self.app)


@dataclass(frozen=True, slots=True)
class LogRecord:
    """What one event did to session-scoped state."""

    seq: int
    kind: str
    delta: Mapping[str, str]
    removed_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedChange:
    """One change of one shared key; ``value_text`` is None when the key was removed."""

    change: int
    key: str
    value_text: str | None


@dataclass(frozen=True, slots=True)
class FoldedValue:
    """A value's JSON text and the event seq (or the change number) that set it."""

    value_text: str
    seq: int


def split_key(key: str) -> tuple[Scope, str]:
    """The scope of a key and its name inside the scope. Only the first prefix counts, and case matters."""
    for prefix, scope in _PREFIXES:
        if key.startswith(prefix):
            return scope, key[len(prefix) :]
    return "session", key


def split_delta(delta: Mapping[str, Json]) -> ScopedDelta:
    """The delta by scope; ``temp:`` keys are dropped."""
    scoped = ScopedDelta()
    for key, value in delta.items():
        scope, name = split_key(key)
        if scope != "temp":
            getattr(scoped, scope)[name] = dump_json(value)
    return scoped


def split_keys(keys: Iterable[str]) -> ScopedKeys:
    """The keys by scope; ``temp:`` keys are dropped."""
    names: dict[str, list[str]] = {"session": [], "user": [], "app": [], "temp": []}
    for key in keys:
        scope, name = split_key(key)
        names[scope].append(name)
    return ScopedKeys(tuple(names["session"]), tuple(names["user"]), tuple(names["app"]))


def encode_key(key: str) -> str:
    """The key as it is stored: JSON-escaped ASCII with its quotes, so that any database holds NUL and surrogates."""
    return encode_basestring_ascii(key)


def decode_key(key_text: str) -> str:
    """The key of a stored text."""
    return str(json.loads(key_text))


def key_digest(key: str) -> bytes:
    """What a key is indexed by: SHA-256 of its stored text, since a B-tree entry is bounded and a key is not."""
    return hashlib.sha256(encode_key(key).encode("ascii")).digest()


def read_record(seq: int, kind: str, body: str) -> LogRecord:
    """The log record of a stored event body. Raises Damaged when the body is not JSON."""
    event = parse_stored(body)
    if not isinstance(event, dict):
        return LogRecord(seq, kind, {})
    actions = event.get("actions")
    delta = actions.get("stateDelta") if isinstance(actions, dict) else None
    removed = event.get("removedKeys") if kind == STATE else None
    return LogRecord(
        seq,
        kind,
        split_delta(delta).session if isinstance(delta, dict) else {},
        split_keys(key for key in removed if is_string(key)).session if isinstance(removed, list) else (),
    )


def fold(records: Iterable[LogRecord], *, start: Mapping[str, FoldedValue] | None = None) -> dict[str, FoldedValue]:
    """Session-scoped state after these records, which come in the order of seq; ``start`` is the state before them.

    A value is replaced as a whole, and null is a value. Only a server-made ``state`` event can remove a key.
    """
    state = dict(start or {})
    last_seq = -1
    for record in records:
        if record.seq <= last_seq:
            raise ValueError("The records of a fold must come in the order of seq.")
        last_seq = record.seq
        for key, value_text in record.delta.items():
            state[key] = FoldedValue(value_text, record.seq)
        if record.kind == STATE:
            for key in record.removed_keys:
                state.pop(key, None)
    return state


def fold_shared(changes: Iterable[SharedChange]) -> dict[str, FoldedValue]:
    """The values of one shared scope after these changes, which must come in the order of their numbers."""
    state: dict[str, FoldedValue] = {}
    last_change = -1
    for item in changes:
        if item.change <= last_change:
            raise ValueError("The changes of a fold must come in the order of their numbers.")
        last_change = item.change
        if item.value_text is None:
            state.pop(item.key, None)
        else:
            state[item.key] = FoldedValue(item.value_text, item.change)
    return state


def merge_state_text(
    session_items: Iterable[tuple[str, str]],
    user_items: Iterable[tuple[str, str]],
    app_items: Iterable[tuple[str, str]],
) -> str:
    """The merged state as one JSON text: stored key and value texts are joined without being parsed."""
    members = [f"{key_text}:{value_text}" for key_text, value_text in session_items]
    members += [f'"{APP_PREFIX}{key_text[1:]}:{value_text}' for key_text, value_text in app_items]
    members += [f'"{USER_PREFIX}{key_text[1:]}:{value_text}' for key_text, value_text in user_items]
    return "{" + ",".join(members) + "}"
