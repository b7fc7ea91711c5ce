"""Storing proposals: policy, tombstones and contradictions decide, under the scope's lock of the caller."""

import hashlib
import time
from collections.abc import Sequence

from django.utils import timezone

from memory_app.domain.claims import ADD, LATE, REPEAT, Statement, compare_statements, normalize_claim
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, SUPERSEDED_STATUS
from memory_app.domain.policy import MemoryPolicy
from memory_app.domain.proposals import EXPIRED_ALREADY, KNOWN, Outcome, Proposal, Source
from memory_app.models import IngestedSession, Memory, MemoryScope, MemorySource
from memory_app.services.index import add_to_index, describe_for_index, drop_from_index
from memory_app.services.tombstones import Tombstones


def store_proposals(
    scope: MemoryScope,
    source: Source,
    proposals: Sequence[Proposal],
    policy: MemoryPolicy,
    actor: str,
    log: IngestedSession | None = None,
) -> tuple[Outcome, list[Memory]]:
    """Store what may be stored of ``proposals``, in their order, and say what became of each.

    The same proposals a second time change nothing: an excerpt is known by its event, a distilled entry by its event
    and claim. ``log`` hands out the positions of excerpts. All proposals of one event come in one call. Returns the
    entries that say now what was proposed: new ones, and those that said it before.
    """
    outcome = Outcome()
    rows: list[Memory] = []
    forgotten = Tombstones.of(scope, source, proposals).refuse(proposals)
    known = _KnownEntries(scope, source, proposals)
    for place, proposal in enumerate(proposals):
        reason = _refusal(proposal, policy, known, forgotten.get(place))
        if reason:
            outcome.refused[reason] += 1
            continue
        row = _build(scope, source, proposal, policy, actor)
        known.add(row)
        rows.append(row)
    # Excerpts first: a statement that no longer holds ends the excerpt that says nothing else.
    excerpts = [row for row in rows if row.kind == EXCERPT and row.source_event_id]
    _save_excerpts(scope, excerpts, log)
    outcome.stored += len(excerpts)
    saved = {id(row) for row in excerpts}
    return outcome, [row if id(row) in saved else _place(scope, row, outcome) for row in rows]


def claim_hash(text: str) -> bytes:
    """By what entries that say the same are found. Not a secret: it goes when the text goes."""
    return hashlib.sha256(normalize_claim(text).encode("utf-8", "surrogatepass")).digest()


class _KnownEntries:
    """What the scope holds already of the events and claims that are proposed."""

    def __init__(self, scope: MemoryScope, source: Source, proposals: Sequence[Proposal]) -> None:
        events = {proposal.candidate.event_id for proposal in proposals if proposal.candidate.event_id}
        of_events = {"scope": scope, "source_ref": source.ref, "source_event_id__in": events}
        columns = ("kind", "source_event_id", "claim_hash")
        found = [*Memory.objects.filter(**of_events).values_list(*columns)]
        again = MemorySource.objects.filter(**of_events)
        found += again.values_list("memory__kind", "source_event_id", "memory__claim_hash")
        self._sources = {self._identity(kind, event_id, bytes(claim)) for kind, event_id, claim in found}

    def holds(self, proposal: Proposal) -> bool:
        candidate = proposal.candidate
        if not candidate.event_id:
            return False
        return self._identity(candidate.kind, candidate.event_id, claim_hash(candidate.text)) in self._sources

    def add(self, row: Memory) -> None:
        self._sources.add(self._identity(row.kind, row.source_event_id, bytes(row.claim_hash)))

    @staticmethod
    def _identity(kind: str, event_id: str | None, claim: bytes) -> tuple[str, str | None, bytes]:
        return kind, event_id, b"" if kind == EXCERPT else claim


def _refusal(proposal: Proposal, policy: MemoryPolicy, known: _KnownEntries, forgotten: str | None) -> str | None:
    verdict = policy.should_persist(proposal.candidate)
    if not verdict:
        return verdict.reason
    if forgotten:
        return forgotten
    if known.holds(proposal):
        return KNOWN
    expires_at = policy.expires_at(proposal.candidate.kind, proposal.valid_from)
    return EXPIRED_ALREADY if expires_at is not None and expires_at <= time.time() else None


def _build(scope: MemoryScope, source: Source, proposal: Proposal, policy: MemoryPolicy, actor: str) -> Memory:
    candidate = proposal.candidate
    row = Memory(
        project_id=scope.project_id,
        scope=scope,
        kind=candidate.kind,
        status=ACTIVE_STATUS,
        key=candidate.key,
        value=candidate.value,
        claim_hash=claim_hash(candidate.text),
        content=proposal.content,
        text=candidate.text,
        author=candidate.author,
        confidence=candidate.confidence,
        custom_metadata=proposal.custom_metadata,
        valid_from=proposal.valid_from,
        expires_at=policy.expires_at(candidate.kind, proposal.valid_from),
        source_ref=source.ref,
        source_session_id=source.session_id,
        source_seq=candidate.seq or None,
        source_event_id=candidate.event_id or None,
        span_start=candidate.start,
        span_end=candidate.end,
        extractor=proposal.extractor,
        recorded_at=timezone.now(),
        recorded_by=actor,
    )
    describe_for_index(row)
    return row


def _save_excerpts(scope: MemoryScope, rows: Sequence[Memory], log: IngestedSession | None) -> None:
    if log is not None:
        for row in rows:
            log.positions += 1
            row.position = log.positions
    add_to_index(scope, Memory.objects.bulk_create(rows))


def _place(scope: MemoryScope, row: Memory, outcome: Outcome) -> Memory:
    """Save a row as what it is beside the entry that is there: new, newer or older. Returns the entry that says it."""
    active = _active_rival(scope, row)
    relation = ADD if active is None else compare_statements(_statement(active), _statement(row))
    if active is not None and relation == REPEAT:
        outcome.repeated += 1
        _add_source(active, row)
        _refresh(scope, active, row)
        return active
    if active is not None and relation == LATE:
        outcome.late += 1
        row.status, row.superseded_by, row.ended_at = SUPERSEDED_STATUS, active, row.recorded_at
        row.save()
        _end(scope, _said_alone(scope, row))
        return row
    if active is not None:
        outcome.superseded += 1
        _end(scope, [active, *_said_alone(scope, active)])
    row.save()
    if active is not None:
        Memory.objects.filter(pk=active.pk).update(superseded_by=row)
    add_to_index(scope, [row])
    outcome.stored += 1
    return row


def _active_rival(scope: MemoryScope, row: Memory) -> Memory | None:
    """The active entry of the same kind that speaks of the same thing: by its key, or, without one, by its claim."""
    rivals = Memory.objects.filter(scope=scope, kind=row.kind, status=ACTIVE_STATUS)
    same = rivals.filter(key=row.key) if row.key else rivals.filter(key=None, claim_hash=row.claim_hash)
    return same.order_by("pk").first()


def _statement(row: Memory) -> Statement:
    value = row.text if row.value is None else row.value
    return Statement(value, row.valid_from, row.source_seq or 0, row.span_start or 0, row.source_ref)


def _said_alone(scope: MemoryScope, row: Memory) -> list[Memory]:
    """The excerpts that say what a distilled entry says and nothing else, wherever it was said."""
    places = [(row.source_ref, row.source_event_id)] if row.source_event_id else []
    places += row.sources.values_list("source_ref", "source_event_id")
    events = {event_id for _, event_id in places}
    rows = Memory.objects.filter(scope=scope, kind=EXCERPT, status=ACTIVE_STATUS, claim_hash=row.claim_hash)
    found = rows.filter(source_event_id__in=events)
    return [item for item in found if (item.source_ref, item.source_event_id) in places]


def _end(scope: MemoryScope, rows: Sequence[Memory]) -> None:
    """What no longer holds stays readable as history and is found no more."""
    drop_from_index(scope, rows)
    Memory.objects.filter(pk__in=[row.pk for row in rows]).update(status=SUPERSEDED_STATUS, ended_at=timezone.now())


def _add_source(active: Memory, repeated: Memory) -> None:
    """Note where an entry was said once more, so that forgetting it finds that place too."""
    place = {"source_ref": repeated.source_ref, "source_event_id": repeated.source_event_id}
    if repeated.source_event_id is None or place == {name: getattr(active, name) for name in place}:
        return
    MemorySource.objects.get_or_create(
        memory=active,
        **place,
        defaults={
            "project_id": active.project_id,
            "scope_id": active.scope_id,
            "source_session_id": repeated.source_session_id,
            "source_seq": repeated.source_seq,
            "span_start": repeated.span_start or 0,
            "span_end": repeated.span_end or 0,
            "recorded_at": repeated.recorded_at,
            "recorded_by": repeated.recorded_by,
        },
    )


def _refresh(scope: MemoryScope, active: Memory, repeated: Memory) -> None:
    """Saying it again keeps it for longer; it does not make a second entry."""
    if repeated.valid_from <= active.valid_from:
        return
    drop_from_index(scope, [active])
    active.valid_from, active.expires_at = repeated.valid_from, repeated.expires_at
    describe_for_index(active)
    active.save()
    add_to_index(scope, [active])
