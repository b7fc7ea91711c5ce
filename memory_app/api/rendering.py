"""Answers about memory, from stored JSON text."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from memory_app.domain.explanation import Part
from memory_app.domain.forgetting import ForgetPlan, Receipt
from memory_app.domain.proposals import Outcome
from memory_app.domain.views import FoundMemory, MemoryView, SearchResult, TombstoneView
from memory_app.services.erasing_user import ErasureReceipt
from sessions_app.domain.json_text import JsonText, dump_json


def search_text(result: SearchResult, explain: bool) -> str:
    members: dict[str, object] = {"memories": [_hit(hit, explain) for hit in result.hits]}
    if explain:
        members["misses"] = [
            {"id": miss.memory_id, "kind": miss.kind, "reason": miss.reason, "score": miss.score}
            for miss in result.misses
        ]
        members["ignoredWords"] = list(result.ignored_words)
    if result.indexed_through is not None:
        members["indexedThrough"] = dict(result.indexed_through)
    return dump_json(members)


def memory_text(view: MemoryView) -> str:
    return dump_json(_memory(view))


def memories_text(views: Iterable[MemoryView], following: str | None = None) -> str:
    return dump_json(_without_nulls({"memories": [_memory(view) for view in views], "next": following}))


def added_text(views: Iterable[MemoryView], outcome: Outcome) -> str:
    return dump_json({"memories": [_memory(view) for view in views], "outcome": outcome.as_json()})


def plan_text(plan: ForgetPlan) -> str:
    return dump_json(
        {
            "ids": list(plan.memory_ids),
            "kinds": dict(plan.kinds),
            "fingerprint": plan.fingerprint,
            "similar": [{"id": item.memory_id, "kind": item.kind, "text": item.text} for item in plan.similar],
            "notReached": list(plan.not_reached),
        }
    )


def receipt_text(receipt: Receipt) -> str:
    return dump_json(
        {
            "forgotten": list(receipt.memory_ids),
            "kinds": dict(receipt.kinds),
            "tombstones": list(receipt.tombstone_ids),
            "digests": list(receipt.digests),
            "notReached": list(receipt.not_reached),
        }
    )


def erasure_text(receipt: ErasureReceipt) -> str:
    return dump_json(
        {
            "erasedAt": receipt.erased_at,
            "counts": dict(receipt.counts),
            "digests": [receipt.user_digest],
            "digestKeyId": receipt.digest_key_id,
            "notReached": list(receipt.not_reached),
        }
    )


def tombstones_text(views: Iterable[TombstoneView], following: str | None) -> str:
    return dump_json(_without_nulls({"tombstones": [_tombstone(view) for view in views], "next": following}))


def _hit(hit: FoundMemory, explain: bool) -> dict[str, object]:
    members = _memory(hit.memory) | {"score": hit.score}
    if explain:
        members["explanation"] = {
            "parts": [_part(part) for part in hit.parts],
            "collapsed": list(hit.collapsed),
        }
    return members


def _part(part: Part) -> dict[str, object]:
    return {"kind": part.kind, "score": part.score} | ({"source": part.source} if part.source else {})


def _memory(view: MemoryView) -> dict[str, object]:
    """ADK's MemoryEntry in camelCase, and beside it what Threefold knows of it."""
    source = {"sessionId": view.session_id, "eventId": view.event_id, "seq": view.seq, "extractor": view.extractor}
    members: dict[str, object] = {
        "id": view.memory_id,
        "content": JsonText(view.content),
        "author": view.author or None,
        "timestamp": iso_time(view.valid_from),
        "customMetadata": JsonText(view.custom_metadata),
        "kind": view.kind,
        "status": view.status,
        "key": view.key,
        "confidence": view.confidence,
        "source": _without_nulls(source),
        "validFrom": view.valid_from,
        "expiresAt": view.expires_at,
        "supersededBy": view.superseded_by,
        "recordedAt": view.recorded_at.timestamp(),
        "recordedBy": view.recorded_by,
        "endedAt": view.ended_at.timestamp() if view.ended_at else None,
    }
    return _without_nulls(members)


def iso_time(moment: float) -> str | None:
    """Epoch seconds as ISO 8601 with an offset; None where no calendar has that moment."""
    try:
        return datetime.fromtimestamp(moment, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def _tombstone(view: TombstoneView) -> dict[str, object]:
    members = {
        "id": view.tombstone_id,
        "kind": view.kind,
        "sessionId": view.session_id,
        "eventId": view.event_id,
        "reason": view.reason,
        "createdAt": view.created_at.timestamp(),
        "createdBy": view.created_by,
        "liftedAt": view.lifted_at.timestamp() if view.lifted_at else None,
        "liftedBy": view.lifted_by,
        "liftReason": view.lift_reason or None,
    }
    return _without_nulls(members)


def _without_nulls(members: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
