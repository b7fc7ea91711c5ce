"""What was forgotten stays forgotten: tombstones are looked at inside the transaction that would write."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from memory_app.domain.claims import normalize_claim
from memory_app.domain.digests import DigestKeys
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, Candidate
from memory_app.domain.proposals import Proposal, Source
from memory_app.models import Memory, MemoryScope, Tombstone


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The tombstones of a scope that could concern some candidates."""

    keys: DigestKeys
    claims: frozenset[bytes]
    spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    still_active: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, scope: MemoryScope, keys: DigestKeys, source: Source, candidates: Sequence[Candidate]
    ) -> "Tombstones":
        digests = {digest for item in candidates for digest in keys.claim_digests(item.text).values()}
        events = {item.event_id for item in candidates if item.event_id}
        from_events = Q(source_ref=source.ref, source_event_id__in=events) if source.ref else Q(pk=None)
        rows = Tombstone.objects.filter(Q(claim_digest__in=digests) | from_events, scope=scope, lifted_at=None)
        spans: dict[str, list[tuple[int, int]]] = {}
        for row in rows:
            if row.source_ref == source.ref and row.source_event_id:
                spans.setdefault(row.source_event_id, []).append((row.span_start or 0, row.span_end or 0))
        return cls(
            keys,
            frozenset(bytes(row.claim_digest) for row in rows),
            spans,
            _active_claims(scope, source, spans) if spans else frozenset(),
        )

    def block(self, proposal: Proposal) -> bool:
        """Whether a proposal would bring back what was forgotten.

        A claim is blocked wherever it is said. Of an event that something was forgotten of, the excerpt is blocked
        always, a span that was forgotten too; a model's reading of it unless it says what is still remembered.
        """
        candidate = proposal.candidate
        if self.claims.intersection(self.keys.claim_digests(candidate.text).values()):
            return True
        spans = self.spans.get(candidate.event_id)
        if not spans:
            return False
        if candidate.kind == EXCERPT:
            return True
        if proposal.from_model:
            return normalize_claim(candidate.text) not in self.still_active
        return any(start < candidate.end and candidate.start < end for start, end in spans)


def _active_claims(scope: MemoryScope, source: Source, events: Iterable[str]) -> frozenset[str]:
    rows = Memory.objects.filter(
        scope=scope, source_ref=source.ref, source_event_id__in=list(events), status=ACTIVE_STATUS
    )
    return frozenset(normalize_claim(text) for text in rows.values_list("text", flat=True))


def bury(
    scope: MemoryScope, entry: Memory, keys: DigestKeys, reason: str, actor: str, *, whole: bool
) -> Tombstone:
    """The unsaved tombstone of an entry that is about to be erased.

    Without ``whole`` its words are not all meant: an excerpt that falls with one fact of its event leaves the others.
    """
    return Tombstone(
        tombstone_id=uuid7(),
        project_id=scope.project_id,
        scope=scope,
        source_ref=entry.source_ref,
        source_session_id=entry.source_session_id,
        source_event_id=entry.source_event_id,
        span_start=entry.span_start if whole else 0,
        span_end=entry.span_end if whole else 0,
        kind=entry.kind,
        claim_digest=keys.claim_digests(entry.text)[keys.current.id],
        digest_key_id=keys.current.id,
        reason=reason,
        created_at=timezone.now(),
        created_by=actor,
    )
