"""From a log to memory: a request writes a job, a worker reads, extracts, and stores what may be stored."""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from adk_project.shared.transactions import write_transaction
from jobs_app.domain.records import ClaimedJob, NewJob
from jobs_app.services.outbox import enqueue
from jobs_app.services.registry import register_handler
from memory_app.adapters.extractors import extractors
from memory_app.domain.entries import Candidate
from memory_app.domain.extract_excerpts import SourceEvent
from memory_app.domain.model_use import ModelUse
from memory_app.domain.proposals import Outcome, Proposal, Source
from memory_app.domain.topics import INGEST_EVENTS, INGEST_SESSION
from memory_app.models import IngestedSession, MemoryScope
from memory_app.selectors.policies import policy_of
from memory_app.services.scopes import ingested, lock_scope
from memory_app.services.storing import store_proposals
from sessions_app import selectors as sessions
from sessions_app.domain.json_text import dump_json
from sessions_app.domain.keys import SessionKey, UserKey

_LOOK_BACK = 50
_PORTION = 500
_MODEL_ATTEMPTS = 3


def request_session_ingestion(key: SessionKey, metadata: Mapping[str, Any], actor: str) -> UUID:
    """Have a session's log ingested, as far as it goes now. Returns the operation's id. Raises SessionNotFound."""
    with write_transaction():
        head = sessions.session_head(key)
        payload = {"session_pk": head.pk, "session_id": key.session_id, "through": head.last_seq}
        return enqueue(_job(INGEST_SESSION, key.user_key, payload, metadata, actor, head.pk))


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
        }
        return enqueue(_job(INGEST_EVENTS, key, payload, metadata, actor, head.pk if head else session_id))


def _job(
    topic: str,
    key: UserKey,
    payload: Mapping[str, Any],
    metadata: Mapping[str, Any],
    actor: str,
    log: int | str | None,
) -> NewJob:
    project_id = sessions.project_id(key.project)
    # The metadata as text: its numbers come back as they were written.
    payload = {**payload, "metadata": dump_json(metadata), "asked_at": time.time()}
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
    model: ModelUse | None = None


class ModelUnavailable(Exception):
    """The language model gave no answer; a later attempt may get one."""


class IngestSession:
    """Ingests a log from where the last ingestion ended. Twice has the effect of once: see ``store_proposals``."""

    def work(self, job: ClaimedJob) -> Reading:
        payload = job.payload
        source = Source(f"s:{payload['session_pk']}", payload["session_id"], payload["asked_at"])
        done = _through(job, source.ref)
        # A few events before it are read again: what was recalled there must not be taken for new.
        log = sessions.read_log(payload["session_pk"], max(0, done - _LOOK_BACK), payload["through"])
        events = [SourceEvent(entry.event_id, entry.seq, json.loads(entry.body)) for entry in log]
        recorded = {entry.event_id: entry.recorded_at.timestamp() for entry in log}
        return _read(source, events, done, job, payload["through"], recorded)

    def apply(self, job: ClaimedJob, reading: Reading) -> dict[str, Any]:
        return _store(job, reading)


class IngestEvents:
    """Ingests events that the caller handed in."""

    def work(self, job: ClaimedJob) -> Reading:
        payload = job.payload
        pk, session_id = payload["session_pk"], payload["session_id"]
        ref = f"s:{pk}" if pk else f"x:{session_id}" if session_id else ""
        source = Source(ref, session_id, payload["asked_at"])
        known = sessions.seqs_of_events(pk, [event["id"] for event in payload["events"]]) if pk else {}
        events = [SourceEvent(body["id"], known.get(body["id"], 0), body) for body in payload["events"]]
        return _read(source, events, 0, job)

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
    source: Source,
    events: Sequence[SourceEvent],
    done: int,
    job: ClaimedJob,
    through: int | None = None,
    recorded: Mapping[str, float] | None = None,
) -> Reading:
    moments = {event.event_id: float(event.body.get("timestamp") or 0.0) for event in events}
    proposals: list[Proposal] = []
    skipped: dict[str, int] = {}
    model = None
    for extractor in extractors():
        found = extractor.extract(events, job.keep, done)
        model = _checked(found.model, job) or model
        for candidate in map(_storable, found.candidates):
            if 0 < candidate.seq <= done:
                continue
            proposal = Proposal(
                candidate=candidate,
                content=_content(candidate.text, candidate.author),
                valid_from=moments[candidate.event_id],
                custom_metadata=job.payload["metadata"],
                extractor=extractor.name,
                from_model=extractor.from_model,
                recorded_at=(recorded or {}).get(candidate.event_id, math.inf),
            )
            proposals.append(proposal)
        for item in found.skipped:
            skipped[item.reason] = skipped.get(item.reason, 0) + 1
    return Reading(source, proposals, skipped, through, model)


def _checked(use: ModelUse | None, job: ClaimedJob) -> ModelUse | None:
    """Try again later when the model may answer then; in the end what the others found is stored without it."""
    if use is not None and use.may_pass and job.attempt < _MODEL_ATTEMPTS:
        raise ModelUnavailable
    return use


def _storable(candidate: Candidate) -> Candidate:
    """A candidate that every database can hold: neither NUL nor half a character. One for one: spans stay true."""
    return replace(
        candidate,
        text=storable_text(candidate.text),
        author=storable_text(candidate.author)[:255],
        value=None if candidate.value is None else storable_text(candidate.value),
    )


def storable_text(text: str) -> str:
    return text.translate(_NOT_STORABLE) if not text.isascii() or "\x00" in text else text


_NOT_STORABLE = dict.fromkeys([0, *range(0xD800, 0xE000)], "\ufffd")


def _content(text: str, author: str) -> str:
    return json.dumps({"role": "user" if author == "user" else "model", "parts": [{"text": text}]})


def _store(job: ClaimedJob, reading: Reading) -> dict[str, Any]:
    scope = lock_scope(job.project_id, job.user_id)
    log = ingested(scope, reading.source.ref) if reading.source.ref else None
    outcome = _store_in_portions(scope, reading, job, log)
    if log is not None:
        log.through_seq = max(log.through_seq, reading.through or 0)
        log.save(update_fields=["through_seq", "positions"])
    result = outcome.as_json() | {"skipped": dict(sorted(reading.skipped.items()))}
    return result | ({"model": reading.model.as_json()} if reading.model else {})


def _store_in_portions(scope: MemoryScope, reading: Reading, job: ClaimedJob, log: IngestedSession | None) -> Outcome:
    policy, total = policy_of(job.project_id), Outcome()
    for portion in _portions(reading.proposals):
        outcome, _ = store_proposals(scope, reading.source, portion, policy, job.actor, log)
        total.add(outcome)
    return total


def _portions(proposals: Sequence[Proposal]) -> Iterator[list[Proposal]]:
    """The proposals event by event in the order of the log, about ``_PORTION`` at a time, no event cut in two."""
    by_event: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        by_event.setdefault(proposal.candidate.event_id, []).append(proposal)
    portion: list[Proposal] = []
    for of_event in by_event.values():
        portion += of_event
        if len(portion) >= _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion
