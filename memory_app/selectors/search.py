"""The search: reads what the ranking in ``domain/ranking.py`` asks for, inside one scope, and lets it decide.

The database only chooses candidates. Points are counted in Python from the terms stored with each entry, in whole
numbers, so both databases give the same hits and the same scores.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from adk_project.shared.transactions import read_snapshot
from memory_app.domain.cues import asks_when
from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, SUPERSEDED_STATUS, Entry, Place
from memory_app.domain.explanation import POINTS_PER_UNIT, TERM, Ranking
from memory_app.domain.forgetting import Similar
from memory_app.domain.hits import rank_candidates
from memory_app.domain.ranking import (
    CANDIDATE_LIMIT,
    K1,
    POSTINGS_BUDGET,
    B,
    ScopeStatistics,
    neighbour_places,
    plan_terms,
    score_candidates,
    term_rarity,
)
from memory_app.domain.tokens import PREFIX_MARK, is_prefix, prefix_range, query_terms
from memory_app.domain.views import FoundMemory, MissedMemory, SearchResult
from memory_app.models import Memory, MemoryScope, TermStat
from memory_app.models.index_sql import best_by_terms, newest_by_term
from memory_app.models.ranked import RankedRow, rows_at, rows_by_pk, standing_rows
from memory_app.selectors.entries import view_entry
from memory_app.selectors.policies import policy_of
from sessions_app.domain.keys import UserKey

_STANDING_LIMIT = 50
_HIDDEN_LIMIT = 200
_PREFIX_TERMS = 100
_SIMILAR_TO, _SIMILAR_EACH = 5, 5
# Entries of one event share a place among the candidates: so more are read than kept.
_READ_FACTOR = 2


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for. ``limit`` None is as many as the policy puts into a prompt; ``kinds`` empty means all;
    ``standing`` lets preferences follow; ``explain`` gives misses."""

    text: str
    limit: int | None = 10
    kinds: tuple[str, ...] = ()
    standing: bool = True
    explain: bool = False


def search(key: UserKey, query: SearchQuery) -> SearchResult:
    """The memories of one user that answer a query, from the best down. Nothing of another scope is read."""
    asked = query_terms(query.text)
    with read_snapshot():
        scope = MemoryScope.objects.filter(project__name=key.project, user_id=key.user_id).first()
        if scope is None:
            return SearchResult(hits=(), ignored_words=asked.ignored)
        limit = policy_of(scope.project_id).max_inject if query.limit is None else query.limit
        return _Search(scope, query, limit, dict(asked.terms), time.time()).run(asked.ignored)


def matching_ids(key: UserKey, text: str) -> list[str]:
    """The ids of the entries that a search finds by its words, and of superseded ones that hold one of them."""
    found = search(key, SearchQuery(text, limit=2 * CANDIDATE_LIMIT, standing=False))
    by_words = [hit for hit in found.hits if any(part.kind == TERM for part in hit.parts)]
    ids = [memory_id for hit in by_words for memory_id in (hit.memory.memory_id, *hit.collapsed)]
    return ids + _superseded_with(key, query_terms(text).terms)


def _superseded_with(key: UserKey, asked: Mapping[str, int]) -> list[str]:
    """Superseded entries are in no index: their own terms say what they hold."""
    plain = {term for term in asked if not is_prefix(term)}
    starts = tuple(term.removesuffix(PREFIX_MARK) for term in asked if is_prefix(term))
    rows = Memory.objects.filter(scope__project__name=key.project, scope__user_id=key.user_id, status=SUPERSEDED_STATUS)
    return [
        str(memory_id)
        for memory_id, terms in rows.values_list("memory_id", "terms")
        if any(term in plain or (starts and term.startswith(starts)) for term in json.loads(terms))
    ]


def find_similar(key: UserKey, entries: Sequence[Memory]) -> list[Similar]:
    """Entries that say something like the given ones and are not among them."""
    chosen = {str(entry.memory_id) for entry in entries}
    similar: dict[str, Similar] = {}
    for entry in entries[:_SIMILAR_TO]:
        for hit in search(key, SearchQuery(entry.text, limit=_SIMILAR_EACH, standing=False)).hits:
            memory = hit.memory
            if memory.memory_id not in chosen:
                similar.setdefault(memory.memory_id, Similar(memory.memory_id, memory.kind, memory.text))
    return list(similar.values())


@dataclass(slots=True)
class _Search:
    """One search of one scope, in one snapshot. ``stored`` maps a stored term to the asked one it counts for."""

    scope: MemoryScope
    query: SearchQuery
    limit: int
    terms: Mapping[str, int]
    now: float
    stored: dict[str, str] = field(default_factory=dict)
    rows: dict[str, RankedRow] = field(default_factory=dict)

    def run(self, ignored: tuple[str, ...]) -> SearchResult:
        frequencies = self._frequencies()
        hidden = self._load(self._hidden()) if self.query.explain else []
        for entry in hidden:
            # A word that only hidden entries hold is no entry's that is shown: counting it moves no other score.
            frequencies |= {term: frequencies.get(term) or 1 for term in self._occurrences(self.rows[entry.id])}
        statistics = ScopeStatistics(self.scope.entries, self.scope.total_length, frequencies)
        entries = [*self._load_candidates(self._candidates(statistics)), *hidden]
        postings = {entry.id: self._occurrences(self.rows[entry.id]) for entry in entries}
        scored = score_candidates(self.terms, statistics, entries, postings, now=self.now)
        ranking = rank_candidates(
            scored,
            limit=self.limit,
            now=self.now,
            neighbours=self._load(self._at(neighbour_places(scored))),
            standing=self._load(self._standing()) if self.query.standing else (),
            query_asks_when=asks_when(self.query.text),
        )
        return self._result(ranking, ignored)

    def _frequencies(self) -> dict[str, int]:
        """In how many entries each asked term occurs. One character of a script without spaces stands for its terms."""
        plain = [term for term in self.terms if not is_prefix(term)]
        self.stored = {term: term for term in plain}
        rows = TermStat.objects.filter(scope=self.scope, term__in=[term.encode() for term in plain])
        found = {bytes(term).decode(): df for term, df in rows.values_list("term", "df")}
        for prefix in set(self.terms) - set(plain):
            low, high = (bound.encode() for bound in prefix_range(prefix))
            range_rows = TermStat.objects.filter(scope=self.scope, term__gte=low, term__lt=high).order_by("term")
            stored = {bytes(term).decode(): df for term, df in range_rows.values_list("term", "df")[:_PREFIX_TERMS]}
            self.stored |= dict.fromkeys(stored, prefix)
            found[prefix] = min(sum(stored.values()), self.scope.entries)
        return found

    def _candidates(self, statistics: ScopeStatistics) -> list[int]:
        plan = plan_terms(statistics.document_frequency)
        if not plan.leading:
            return []
        leading = {stored: asked for stored, asked in self.stored.items() if asked in plan.leading}
        limit, kinds = CANDIDATE_LIMIT * _READ_FACTOR, self.query.kinds
        if plan.newest_only and len(leading) == 1:
            [term] = leading
            return newest_by_term(self.scope.pk, term.encode(), self.now, min(limit, POSTINGS_BUDGET), kinds)
        scale = (K1 + 1) * POINTS_PER_UNIT
        weights = [
            (
                stored.encode(),
                self.terms[asked] * term_rarity(statistics.count, statistics.document_frequency[asked]) * scale,
            )
            for stored, asked in sorted(leading.items())
        ]
        average = max(1, statistics.total_length) / max(1, statistics.count)
        return best_by_terms(self.scope.pk, weights, (K1 * (1 - B), K1 * B / average), self.now, limit, kinds)

    def _hidden(self) -> Iterable[RankedRow]:
        """What may not be shown but might have matched: for the explanation of misses only."""
        gone = Q(status=SUPERSEDED_STATUS) | Q(status=ACTIVE_STATUS, expires_at__lte=self.now)
        rows = Memory.objects.filter(gone, scope=self.scope).order_by("-pk")
        return map(RankedRow._make, rows.values_list(*RankedRow._fields)[:_HIDDEN_LIMIT])

    def _at(self, places: Sequence[Place]) -> list[RankedRow]:
        return rows_at(self.scope.pk, places) if places else []

    def _standing(self) -> list[RankedRow]:
        return standing_rows(self.scope.pk, self.now, _STANDING_LIMIT)

    def _load_candidates(self, pks: Sequence[int]) -> list[Entry]:
        """As many candidates as are kept, and the rest only where some of them share an event, and so a place."""
        entries = self._load_pks(pks[:CANDIDATE_LIMIT])
        if len(pks) > CANDIDATE_LIMIT and len({entry.source or entry.id for entry in entries}) < CANDIDATE_LIMIT:
            entries += self._load_pks(pks[CANDIDATE_LIMIT:])
        return entries

    def _load_pks(self, pks: Sequence[int]) -> list[Entry]:
        return self._load(rows_by_pk(pks)) if pks else []

    def _load(self, rows: Iterable[RankedRow]) -> list[Entry]:
        kinds = self.query.kinds
        loaded = {_entry_id(row): row for row in rows if not kinds or row.kind in kinds}
        self.rows |= loaded
        return [_entry(row) for row in loaded.values()]

    def _occurrences(self, row: RankedRow) -> dict[str, int]:
        counts: dict[str, int] = {}
        for term, tf in json.loads(row.terms).items():
            asked = self.stored.get(term)
            if asked is not None:
                counts[asked] = counts.get(asked, 0) + tf
        return counts

    def _result(self, ranking: Ranking, ignored: tuple[str, ...]) -> SearchResult:
        public = {entry_id: row.public_id for entry_id, row in self.rows.items()}
        shown = Memory.objects.in_bulk([self.rows[hit.entry_id].pk for hit in ranking.hits])
        hits = tuple(
            FoundMemory(
                memory=view_entry(shown[self.rows[hit.entry_id].pk]),
                score=hit.score,
                parts=tuple(part.naming(public) for part in hit.parts),
                collapsed=tuple(public[entry_id] for entry_id in hit.collapsed),
            )
            for hit in ranking.hits
        )
        misses = tuple(
            MissedMemory(public[miss.entry_id], self.rows[miss.entry_id].kind, miss.reason, miss.score)
            for miss in (ranking.near_misses if self.query.explain else ())
        )
        return SearchResult(hits, misses, ignored_words=ignored)


def _entry_id(row: RankedRow) -> str:
    # Equals are told apart by it: padded, so that its order is the order in which entries were stored.
    return f"{row.pk:020d}"


def _entry(row: RankedRow) -> Entry:
    place = Place(row.source_ref, row.position) if row.kind == EXCERPT and row.position is not None else None
    return Entry(
        id=_entry_id(row),
        kind=row.kind,
        time=row.valid_from,
        length=row.length,
        source=f"{row.source_ref}\0{row.source_event_id}" if row.source_event_id else "",
        place=place,
        is_question=row.is_question,
        names_time=row.names_time,
        status=row.status,
        expires_at=row.expires_at,
    )
