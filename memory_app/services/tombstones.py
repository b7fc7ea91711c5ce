"""What was forgotten stays forgotten: tombstones are looked at inside the transaction that would write."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.utils import timezone
from uuid_utils.compat import uuid7

from memory_app.domain.claims import normalize_claim
from memory_app.domain.digests import DigestKeys
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, Candidate
from memory_app.domain.forgetting import Selection
from memory_app.domain.proposals import ERASED, TOMBSTONED, Proposal, Source
from memory_app.domain.sentences import split_sentences
from memory_app.models import Memory, MemoryScope, MemorySource, Tombstone, UserErasure
from memory_app.services.digest_keys import checked_keys

SELECTION_KIND = "SELECTION"
_NO_CLAIM = b""


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The tombstones of a scope that could concern some proposals of one source.

    ``claims`` are digests of what was forgotten, ``statements`` those among them that are no excerpts; ``spans`` what
    was forgotten of an event of this source; ``selections`` what was forgotten whatever it says.
    """

    keys: DigestKeys
    source: Source
    erased_at: float
    claims: frozenset[bytes]
    statements: frozenset[bytes]
    spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    selections: tuple[Tombstone, ...] = ()
    still_active: frozenset[str] = frozenset()

    @classmethod
    def of(cls, scope: MemoryScope, source: Source, proposals: Sequence[Proposal]) -> "Tombstones":
        keys = checked_keys()
        rows = list(_rows_about(scope, keys, source, [proposal.candidate for proposal in proposals]))
        selections = [row for row in rows if row.kind == SELECTION_KIND]
        said = [row for row in rows if row.kind != SELECTION_KIND]
        spans: dict[str, list[tuple[int, int]]] = {}
        for row in said:
            if row.source_event_id and row.source_ref == source.ref:
                spans.setdefault(row.source_event_id, []).append((row.span_start or 0, row.span_end or 0))
        return cls(
            keys=keys,
            source=source,
            erased_at=_erased_at(scope, keys),
            claims=frozenset(bytes(row.claim_digest) for row in said),
            statements=frozenset(bytes(row.claim_digest) for row in said if row.kind != EXCERPT),
            spans=spans,
            selections=tuple(selections),
            still_active=_active_claims(scope, source, spans) if spans else frozenset(),
        )

    def refuse(self, proposals: Sequence[Proposal]) -> dict[int, str]:
        """The proposals that would bring back what was forgotten, by their place in the list, each with the reason.

        All proposals of one event come together: its excerpt says what each of the others says.
        """
        refused = {place: reason for place, item in enumerate(proposals) if (reason := self._reason(item))}
        silenced = {proposals[place].candidate.event_id for place in refused} - {""}
        for place, item in enumerate(proposals):
            if item.candidate.kind == EXCERPT and item.candidate.event_id in silenced:
                refused.setdefault(place, TOMBSTONED)
        return refused

    def _reason(self, proposal: Proposal) -> str | None:
        if self._moment(proposal) < self.erased_at:
            return ERASED
        if self._is_forgotten_claim(proposal.candidate) or self._is_forgotten_span(proposal):
            return TOMBSTONED
        return TOMBSTONED if any(self._is_selected(proposal, row) for row in self.selections) else None

    def _moment(self, proposal: Proposal) -> float:
        return min(proposal.valid_from, proposal.recorded_at, self.source.asked_at)

    def _is_forgotten_claim(self, candidate: Candidate) -> bool:
        """A claim is blocked wherever it is said, also as one sentence among others."""
        if self.claims.intersection(self.keys.claim_digests(candidate.text).values()):
            return True
        return bool(self.statements) and any(
            self.statements.intersection(self.keys.claim_digests(sentence.text).values())
            for sentence in split_sentences(candidate.text)
        )

    def _is_forgotten_span(self, proposal: Proposal) -> bool:
        """Of an event that something was forgotten of, the excerpt is blocked always, a span that was forgotten too; a
        model's reading of it unless it says what is still remembered."""
        candidate = proposal.candidate
        spans = self.spans.get(candidate.event_id)
        if not spans:
            return False
        if candidate.kind == EXCERPT:
            return True
        if proposal.from_model:
            return normalize_claim(candidate.text) not in self.still_active
        return any(start < candidate.end and candidate.start < end for start, end in spans)

    def _is_selected(self, proposal: Proposal, row: Tombstone) -> bool:
        candidate = proposal.candidate
        if row.source_session_id is not None and row.source_session_id != self.source.session_id:
            return False
        if row.kinds and candidate.kind not in row.kinds.split(","):
            return False
        digest = bytes(row.claim_digest)
        if digest != _NO_CLAIM and digest not in self.keys.key_digests(candidate.key or "").values():
            return False
        if row.through_seq is not None and row.source_ref == self.source.ref and candidate.seq:
            return candidate.seq <= row.through_seq or self.source.asked_at < (row.said_before or 0.0)
        return self._moment(proposal) < (row.said_before or 0.0)


def _rows_about(
    scope: MemoryScope, keys: DigestKeys, source: Source, candidates: Sequence[Candidate]
) -> Iterator[Tombstone]:
    rows = Tombstone.objects.filter(scope=scope, lifted_at=None)
    if not rows.exists():
        return
    texts = {item.text for item in candidates} | {
        sentence.text for item in candidates for sentence in split_sentences(item.text)
    }
    digests = {digest for text in texts for digest in keys.claim_digests(text).values()}
    digests |= {digest for item in candidates for digest in keys.key_digests(item.key or "").values()}
    events = {item.event_id for item in candidates if item.event_id}
    found: dict[int, Tombstone] = {}
    # In portions: a statement of either database takes a bounded number of parameters.
    for portion in _portions([_NO_CLAIM, *sorted(digests)]):
        found |= {row.pk: row for row in rows.filter(claim_digest__in=portion)}
    for portion in _portions(sorted(events)):
        found |= {row.pk: row for row in rows.filter(source_ref=source.ref, source_event_id__in=portion)}
    yield from found.values()


def _portions(items: Sequence) -> Iterator[Sequence]:
    for start in range(0, len(items), 5_000):
        yield items[start : start + 5_000]


def _erased_at(scope: MemoryScope, keys: DigestKeys) -> float:
    """When the user of a scope was erased last; before all time where never."""
    digests = keys.user_digests(str(scope.project_id), scope.user_id).values()
    rows = UserErasure.objects.filter(project_id=scope.project_id, user_digest__in=list(digests))
    return max(rows.values_list("erased_at", flat=True), default=-math.inf)


def _active_claims(scope: MemoryScope, source: Source, events: Iterable[str]) -> frozenset[str]:
    rows = Memory.objects.filter(
        scope=scope, source_ref=source.ref, source_event_id__in=list(events), status=ACTIVE_STATUS
    )
    return frozenset(normalize_claim(text) for text in rows.values_list("text", flat=True))


@dataclass(frozen=True, slots=True)
class Digger:
    """Makes the tombstones of one forgetting, unsaved."""

    scope: MemoryScope
    reason: str
    actor: str
    keys: DigestKeys = field(default_factory=checked_keys)

    def bury(self, entry: Memory, *, whole: bool) -> Tombstone:
        """The tombstone of an entry that is about to be erased.

        Without ``whole`` its words are not all meant: an excerpt that falls with one fact of its event leaves the
        others.
        """
        start, end = (entry.span_start, entry.span_end) if whole else (0, 0)
        return self._tombstone(entry, entry.kind, self._claim(entry), span_start=start, span_end=end)

    def bury_source(self, entry: Memory, source: MemorySource) -> Tombstone:
        """The tombstone of one more place where an entry was said."""
        return self._tombstone(
            source, entry.kind, self._claim(entry), span_start=source.span_start, span_end=source.span_end
        )

    def bury_selection(self, selection: Selection, source_ref: str, through_seq: int | None) -> Tombstone:
        """The tombstone of all that a selection covers, whether it was ingested before or not."""
        now = time.time()
        return Tombstone(
            **self._facts(),
            kind=SELECTION_KIND,
            kinds=",".join(selection.kinds),
            said_before=now if selection.before is None else min(now, selection.before),
            through_seq=None if selection.before is not None else through_seq,
            source_ref=source_ref,
            source_session_id=selection.session_id,
            claim_digest=self.keys.key_digests(selection.key)[self.keys.current.id] if selection.key else _NO_CLAIM,
        )

    def _claim(self, entry: Memory) -> bytes:
        return self.keys.claim_digests(entry.text)[self.keys.current.id]

    def _tombstone(self, place: Memory | MemorySource, kind: str, claim: bytes, **span: int | None) -> Tombstone:
        return Tombstone(
            **self._facts(),
            kind=kind,
            claim_digest=claim,
            source_ref=place.source_ref,
            source_session_id=place.source_session_id,
            source_event_id=place.source_event_id,
            **span,
        )

    def _facts(self) -> dict[str, object]:
        return {
            "tombstone_id": uuid7(),
            "project_id": self.scope.project_id,
            "scope": self.scope,
            "digest_key_id": self.keys.current.id,
            "reason": self.reason,
            "created_at": timezone.now(),
            "created_by": self.actor,
        }
