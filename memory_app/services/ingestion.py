"""From a log to memory: a request writes a job, a worker reads, extracts, and stores what policy and tombstones allow."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from adk_project.shared.transactions import write_transaction
from jobs_app.domain.records import ClaimedJob, NewJob
from jobs_app.services.outbox import enqueue
from jobs_app.services.registry import register_handler
from memory_app.adapters.extractors import extractors
from memory_app.domain.extract_excerpts import SourceEvent
from memory_app.domain.proposals import Outcome, Proposal, Source
from memory_app.domain.topics import INGEST_EVENTS, INGEST_SESSION
from memory_app.models import IngestedSession, MemoryScope
from memory_app.selectors.policies import policy_of
from memory_app.services.scopes import ingested, lock_scope
from memory_app.services.storing import store_proposals
from sessions_app import selectors as sessions
from sessions_app.domain.keys import SessionKey, UserKey

_LOOK_BACK = 50
_PORTION = 500


def request_session_ingestion(key: SessionKey, metadata: Mapping[str, Any], actor: str) -> UUID:
    """Have a session's log ingested, as far as it goes now. Returns the operation's id. Raises SessionNotFound."""
    with write_transaction():
        head = sessions.session_head(key)
        payload = {"session_pk": head.pk, "session_id": key.session_id, "through": head.last_seq}
        return enqueue(_job(INGEST_SESSION, key.user_key, payload | {"metadata": metadata}, actor, head.pk))


def request_events_ingestion(
    key: UserKey,
    session_id: str | None,
    events: Sequence[Mapping[str, Any]],
    metadata: Mapping[str, Any],
    actor: str,
) -> UUID:
    """Have some events ingested, of a session that this server may or may not keep. Returns the operation's id."""
    with write_transaction():
        head = sessions.find_session_head(SessionKey(key.project, key.user_id, session_id)) if session_id else None
        payload = {
            "session_pk": head.pk if head else None,
            "session_id": session_id,
            "events": list(events),
            "metadata": metadata,
        }
        return enqueue(_job(INGEST_EVENTS, key, payload, actor, head.pk if head else session_id))


def _job(
    topic: str, key: UserKey, payload: Mapping[str, Any], actor: str, log: int | str | None
) -> NewJob:
    project_id = sessions.project_id(key.project)
    # Jobs of one log run in order; those of a user without a session need none.
    lane = f"memory:{project_id}:{log}"[:255] if log is not None else ""
    return NewJob(topic, payload, project_id, key.user_id, actor, lane)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the slow part of an ingestion found: proposals, what was left out, and how far it read."""

    source: Source
    proposals: list[Proposal]
    skipped: Mapping[str, int]
    through: int | None


class IngestSession:
    """Ingests a log from where the last ingestion ended. Twice has the effect of once: see ``store_proposals``."""

    def work(self, job: ClaimedJob) -> Reading:
        payload = job.payload
        source = Source(f"s:{payload['session_pk']}", payload["session_id"])
        done = _through(job, source.ref)
        # A few events before it are read again: what was recalled there must not be taken for new.
        log = sessions.read_log(payload["session_pk"], max(0, done - _LOOK_BACK), payload["through"])
        events = [SourceEvent(entry.event_id, entry.seq, json.loads(entry.body)) for entry in log]
        return _read(source, events, done, payload, job)

    def apply(self, job: ClaimedJob, reading: Reading) -> dict[str, Any]:
        return _store(job, reading)


class IngestEvents:
    """Ingests events that the caller handed in."""

    def work(self, job: ClaimedJob) -> Reading:
        payload = job.payload
        pk, session_id = payload["session_pk"], payload["session_id"]
        source = Source(f"s:{pk}" if pk else f"x:{session_id}" if session_id else "", session_id)
        known = sessions.seqs_of_events(pk, [event["id"] for event in payload["events"]]) if pk else {}
        events = [SourceEvent(body["id"], known.get(body["id"], 0), body) for body in payload["events"]]
        return _read(source, events, 0, payload | {"through": None}, job)

    def apply(self, job: ClaimedJob, reading: Reading) -> dict[str, Any]:
        return _store(job, reading)


def register_handlers() -> None:
    register_handler(INGEST_SESSION, IngestSession())
    register_handler(INGEST_EVENTS, IngestEvents())


def _through(job: ClaimedJob, source_ref: str) -> int:
    rows = IngestedSession.objects.filter(
        scope__project_id=job.project_id, scope__user_id=job.user_id, source_ref=source_ref
    )
    return rows.values_list("through_seq", flat=True).first() or 0


def _read(
    source: Source, events: Sequence[SourceEvent], done: int, payload: Mapping[str, Any], job: ClaimedJob
) -> Reading:
    moments = {event.event_id: float(event.body.get("timestamp") or 0.0) for event in events}
    metadata = json.dumps(payload["metadata"])
    proposals, skipped = [], {}
    for extractor in extractors():
        found = extractor.extract(events, keep=job.keep)
        fresh = [item for item in found.candidates if item.seq == 0 or item.seq > done]
        proposals += [
            Proposal(
                candidate=item,
                content=_content(item.text, item.author),
                valid_from=moments[item.event_id],
                custom_metadata=metadata,
                extractor=extractor.name,
                from_model=extractor.from_model,
            )
            for item in fresh
        ]
        for item in found.skipped:
            skipped[item.reason] = skipped.get(item.reason, 0) + 1
    return Reading(source, proposals, skipped, payload["through"])


def _content(text: str, author: str) -> str:
    return json.dumps({"role": "user" if author == "user" else "model", "parts": [{"text": text}]})


def _store(job: ClaimedJob, reading: Reading) -> dict[str, Any]:
    scope = lock_scope(job.project_id, job.user_id)
    log = ingested(scope, reading.source.ref) if reading.source.ref else None
    outcome = _store_in_portions(scope, reading, job, log)
    if log is not None:
        log.through_seq = max(log.through_seq, reading.through or 0)
        log.save(update_fields=["through_seq", "positions"])
    return outcome.as_json() | {"skipped": dict(sorted(reading.skipped.items()))}


def _store_in_portions(
    scope: MemoryScope, reading: Reading, job: ClaimedJob, log: IngestedSession | None
) -> Outcome:
    policy, total = policy_of(job.project_id), Outcome()
    for start in range(0, len(reading.proposals), _PORTION):
        portion = reading.proposals[start : start + _PORTION]
        outcome, _ = store_proposals(scope, reading.source, portion, policy, job.actor, log)
        total.add(outcome)
    return total
