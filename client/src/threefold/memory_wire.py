"""Memories as they travel: entries and their metadata as JSON, hits as ADK's MemoryEntry."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types
from pydantic import ValidationError

from threefold.jsonsafe import check_event_value, to_json
from threefold.wire import event_to_wire

OWN_NAME = "threefold"
"""Under this key of an entry's metadata stands what the server itself reads: ``kind``, ``key``, ``confidence``."""
LONGEST_QUERY = 10_000

_OWN_MEMBERS = ("kind", "key", "confidence")
Metadata = Mapping[str, object]


def metadata_to_wire(metadata: Metadata | None, name: str = "custom_metadata") -> dict[str, Any]:
    """The JSON form of metadata. Raises ValueError naming the key whose value is not JSON."""
    try:
        wire: dict[str, Any] = to_json(dict(metadata or {}), name)
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply") from None
    return wire


def source_event_to_wire(event: Event) -> dict[str, Any]:
    """An event without its attachments: memory is made of words."""
    wire = event_to_wire(event)
    parts = (wire.get("content") or {}).get("parts")
    if parts:
        wire["content"]["parts"] = [part for part in parts if "inlineData" not in part]
    return wire


def entry_to_wire(entry: MemoryEntry, shared: Metadata, name: str) -> dict[str, Any]:
    """One entry to add. ``shared`` is metadata of the whole call; the entry's own wins. Raises ValueError naming the
    place.

    Its id and its time are settled here, so that a repeated request states the same thing and not a newer one.
    """
    metadata = {**shared, **metadata_to_wire(entry.custom_metadata, f"{name}.custom_metadata")}
    own = metadata.pop(OWN_NAME, {})
    if not isinstance(own, dict) or set(own) - set(_OWN_MEMBERS):
        raise ValueError(f"{name}.custom_metadata.{OWN_NAME}: must be an object of {', '.join(_OWN_MEMBERS)}")
    wire = {
        **{member: value for member, value in own.items() if value is not None},
        "id": entry.id or str(uuid.uuid4()),
        "content": _content_to_wire(entry.content, f"{name}.content"),
        "timestamp": _aware(entry.timestamp, f"{name}.timestamp"),
        "customMetadata": metadata,
    }
    return {**wire, "author": entry.author} if entry.author else wire


def entry_from_wire(body: dict[str, Any]) -> MemoryEntry:
    """One hit as ADK knows it; what this ADK cannot place in its content is left out. Raises KeyError, TypeError,
    ValueError or AttributeError for what is no memory.
    """
    return MemoryEntry(
        id=body["id"],
        content=_content_from_wire(body["content"]),
        author=body.get("author"),
        timestamp=body.get("timestamp"),
        custom_metadata={**(body.get("customMetadata") or {}), **_provenance(body)},
    )


def shortened(query: str) -> str:
    """A query that the server takes: of a very long one its beginning and its end, where people put their questions."""
    half = LONGEST_QUERY // 2 - 1
    return query if len(query) <= LONGEST_QUERY else f"{query[:half]}\n{query[-half:]}"


def _provenance(body: dict[str, Any]) -> dict[str, Any]:
    source = body.get("source") or {}
    # Of a memory that was added directly, it is the id it was given, and no event.
    event_id = None if source.get("extractor") == "direct" else source.get("eventId")
    known = {
        "session_id": source.get("sessionId"),
        "event_id": event_id,
        "kind": body.get("kind"),
        "score": body.get("score"),
    }
    return {name: value for name, value in known.items() if value is not None}


def _content_to_wire(content: types.Content, name: str) -> dict[str, Any]:
    try:
        check_event_value(content, name)
        return content.model_dump(mode="json", by_alias=True, exclude_none=True)
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply") from None


def _content_from_wire(body: dict[str, Any]) -> types.Content:
    try:
        return types.Content.model_validate(body)
    except ValidationError:
        parts = [types.Part(text=part["text"]) for part in body["parts"] if isinstance(part.get("text"), str)]
        return types.Content(role=body.get("role"), parts=parts)


def _aware(timestamp: str | None, name: str) -> str:
    """ISO 8601 with an offset; now for an absent time. A time without one is local, as ADK's own services write it."""
    if not timestamp:
        return datetime.now(UTC).isoformat()
    try:
        moment = datetime.fromisoformat(timestamp)
        return (moment if moment.tzinfo else moment.astimezone()).isoformat()
    except (ValueError, OverflowError, OSError):
        refusal = f"{name}: must be a date and time in ISO 8601"
    raise ValueError(refusal)
