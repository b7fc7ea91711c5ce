"""Storing proposals: policy, tombstones and contradictions decide, under the scope's lock in the caller's transaction."""

import hashlib
import time
from collections.abc import Sequence

from django.utils import timezone

from memory_app.config import digest_keys
from memory_app.domain.claims import ADD, LATE, REPEAT, Statement, compare_statements, normalize_claim
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, SUPERSEDED_STATUS
from memory_app.domain.policy import MemoryPolicy
from memory_app.domain.proposals import EXPIRED_ALREADY, KNOWN, TOMBSTONED, Outcome, Proposal, Source
from memory_app.models import IngestedSession, Memory, MemoryScope
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
    and claim. ``log`` hands out the positions of excerpts.
    """
    outcome = Outcome()
    excerpts: list[Memory] = []
    distilled: list[Memory] = []
    tombstones = Tombstones.of(scope, digest_keys(), source, [proposal.candidate for proposal in proposals])
    known = _KnownEntries(scope, source, proposals)
    for proposal in proposals:
        reason = _refusal(proposal, policy, tombstones, known)
        if reason:
            outcome.refused[reason] += 1
            continue
        row = _build(scope, source, proposal, policy, actor)
        known.add(row)
        if row.kind == EXCERPT:
            excerpts.append(row)
        elif _place(scope, row, outcome):
            distilled.append(row)
    _save_excerpts(scope, excerpts, log)
    outcome.stored += len(excerpts)
    return outcome, [*distilled, *excerpts]


def claim_hash(text: str) -> bytes:
    """By what entries that say the same are found. Not a secret: it goes when the text goes."""
    return hashlib.sha256(normalize_claim(text).encode("utf-8", "surrogatepass")).digest()


class _KnownEntries:
    """What the scope holds already of the events and claims that are proposed."""

    def __init__(self, scope: MemoryScope, source: Source, proposals: Sequence[Proposal]) -> None:
        events = {proposal.candidate.event_id for proposal in proposals if proposal.candidate.event_id}
        rows = Memory.objects.filter(scope=scope, source_ref=source.ref, source_event_id__in=events)
        self._sources = {self._identity(row.kind, row.source_event_id, bytes(row.claim_hash)) for row in rows}

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


def _refusal(proposal: Proposal, policy: MemoryPolicy, tombstones: Tombstones, known: _KnownEntries) -> str | None:
    verdict = policy.should_persist(proposal.candidate)
    if not verdict:
        return verdict.reason
    if tombstones.block(proposal):
        return TOMBSTONED
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


def _place(scope: MemoryScope, row: Memory, outcome: Outcome) -> bool:
    """Save a distilled row as what it is beside the entry that is there: new, newer or older. False for a repetition."""
    active = _active_rival(scope, row)
    relation = ADD if active is None else compare_statements(_statement(active), _statement(row))
    if relation == REPEAT:
        outcome.repeated += 1
        _refresh(scope, active, row)
        return False
    if relation == LATE:
        outcome.late += 1
        row.status, row.superseded_by, row.ended_at = SUPERSEDED_STATUS, active, row.recorded_at
        row.save()
        return True
    if active is not None:
        outcome.superseded += 1
        _supersede(scope, active)
    row.save()
    if active is not None:
        Memory.objects.filter(pk=active.pk).update(superseded_by=row)
    add_to_index(scope, [row])
    outcome.stored += 1
    return True


def _active_rival(scope: MemoryScope, row: Memory) -> Memory | None:
    """The active entry of the same kind that speaks of the same thing: by its key, or, without one, by its claim."""
    rivals = Memory.objects.filter(scope=scope, kind=row.kind, status=ACTIVE_STATUS)
    same = rivals.filter(key=row.key) if row.key else rivals.filter(key=None, claim_hash=row.claim_hash)
    return same.first()


def _statement(row: Memory) -> Statement:
    value = row.text if row.value is None else row.value
    return Statement(value, row.valid_from, row.source_seq or 0, row.span_start or 0, row.source_ref)


def _supersede(scope: MemoryScope, row: Memory) -> None:
    """End an entry, and the excerpt that says nothing else: it would be found by the words that no longer hold."""
    said = Memory.objects.filter(
        scope=scope,
        kind=EXCERPT,
        status=ACTIVE_STATUS,
        source_ref=row.source_ref,
        source_event_id=row.source_event_id,
        claim_hash=row.claim_hash,
    )
    ended = [row, *(said if row.source_event_id else ())]
    drop_from_index(scope, ended)
    Memory.objects.filter(pk__in=[item.pk for item in ended]).update(
        status=SUPERSEDED_STATUS, ended_at=timezone.now()
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
