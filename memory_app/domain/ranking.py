"""Which memories answer a query, in which order, and why: BM25 inside one scope, with the conversation around a turn.

A search has five steps. The caller does the reading, these functions the deciding:

1. read the scope's statistics for :func:`~memory_app.domain.tokens.query_terms`;
2. :func:`plan_terms`, and read the best ``CANDIDATE_LIMIT`` entries by the leading terms alone;
3. read the postings of all terms for those, and :func:`score_candidates`;
4. read the rows at :func:`neighbour_places`;
5. :func:`rank_candidates`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .entries import ACTIVE_STATUS, FORGOTTEN_STATUS, SUPERSEDED_STATUS, Entry, Place
from .explanation import (
    EXPIRED,
    FORGOTTEN,
    OUTRANKED,
    POINTS_PER_UNIT,
    SIMILARITY,
    SUPERSEDED,
    TERM,
    NearMiss,
    Part,
)

K1, B = 0.9, 0.3
CANDIDATE_LIMIT = 200
POSTINGS_BUDGET = 20_000
NEIGHBOUR_SEEDS, NEIGHBOUR_REACH = 30, 2
SIMILARITY_WEIGHT = 1.2


@dataclass(frozen=True, slots=True)
class ScopeStatistics:
    """How many memories a scope holds, the sum of their lengths, and in how many of them each asked term occurs."""

    count: int
    total_length: int
    document_frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TermPlan:
    """Which terms choose the candidates. With ``newest_only`` it is one, read newest first up to the budget."""

    leading: tuple[str, ...]
    postponed: tuple[str, ...] = ()
    newest_only: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry with the points of its own words."""

    entry: Entry
    points: int = 0
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """The candidates from the best down, and what matched but may not be one."""

    kept: tuple[Scored, ...]
    left_out: tuple[NearMiss, ...] = ()


def plan_terms(document_frequency: Mapping[str, int], budget: int = POSTINGS_BUDGET) -> TermPlan:
    """The rarest terms that can be read within the budget, at least one; terms that nothing holds are left out."""
    present = sorted((frequency, term) for term, frequency in document_frequency.items() if frequency > 0)
    leading: list[str] = []
    spent = 0
    for frequency, term in present:
        if leading and spent + frequency > budget:
            break
        leading.append(term)
        spent += frequency
    postponed = tuple(term for _, term in present[len(leading) :])
    return TermPlan(tuple(leading), postponed, newest_only=spent > budget)


def term_rarity(count: int, frequency: int) -> float:
    """The weight of a term that ``frequency`` of ``count`` memories hold (BM25's idf)."""
    # Rows that are not swept yet are counted in one table and not in the other: rarity must not turn negative.
    return math.log(1 + max(0.0, count - frequency + 0.5) / (frequency + 0.5))


def term_points(weight: float, occurrences: int, length: int, average_length: float) -> int:
    """The points of one term in one entry; ``weight`` is its rarity times how often it is asked for."""
    if occurrences <= 0:
        return 0
    saturation = occurrences * (K1 + 1) / (occurrences + K1 * (1 - B + B * length / average_length))
    return round(weight * saturation * POINTS_PER_UNIT)


def hidden_reason(entry: Entry, now: float) -> str | None:
    """Why an entry may not be shown at ``now``, or None. At the second it expires it is gone."""
    if entry.status == FORGOTTEN_STATUS:
        return FORGOTTEN
    if entry.status == SUPERSEDED_STATUS:
        return SUPERSEDED
    if entry.status != ACTIVE_STATUS or (entry.expires_at is not None and entry.expires_at <= now):
        return EXPIRED
    return None


def score_candidates(
    terms: Mapping[str, int],
    statistics: ScopeStatistics,
    entries: Iterable[Entry],
    postings: Mapping[str, Mapping[str, int]],
    *,
    now: float,
    similarity: Mapping[str, float] | None = None,
) -> ScoredCandidates:
    """The best candidates by their own words (step 3).

    ``postings`` is entry id -> term -> occurrences; a prefix counts under the query's own term. ``similarity`` is entry
    id -> standard deviations above the model's mean, where an embedder is in use.
    """
    weights = _weights(terms, statistics)
    average_length = max(1, statistics.total_length) / max(1, statistics.count)
    kept, left_out = [], []
    for entry in entries:
        parts = _term_parts(postings.get(entry.id, {}), weights, entry.length, average_length)
        parts += _similarity_parts((similarity or {}).get(entry.id, 0.0))
        scored = Scored(entry, sum(part.points for part in parts), tuple(parts))
        if not scored.points:
            continue
        reason = hidden_reason(entry, now)
        if reason is None:
            kept.append(scored)
        else:
            left_out.append(NearMiss(entry.id, reason, scored.points))
    kept.sort(key=lambda scored: order(scored.entry, scored.points))
    chosen, beyond = _cut(kept)
    left_out += [NearMiss(scored.entry.id, OUTRANKED, scored.points) for scored in beyond]
    return ScoredCandidates(tuple(chosen), tuple(left_out))


def neighbour_places(candidates: ScoredCandidates) -> tuple[Place, ...]:
    """Where to look for turns that may enter on the strength of their neighbours alone (step 4), sorted."""
    turns = [scored.entry.place for scored in candidates.kept if scored.entry.is_turn and scored.entry.place]
    wanted = {
        Place(session, seq + distance)
        for session, seq in turns[:NEIGHBOUR_SEEDS]
        for distance in range(-NEIGHBOUR_REACH, NEIGHBOUR_REACH + 1)
    }
    return tuple(sorted(wanted.difference(turns)))


def order(entry: Entry, points: int) -> tuple[int, float, int, str]:
    """Sorts the best first, then the newest; no two entries are equal, so no order of rows can show."""
    return -points, -entry.time, -entry.place.seq if entry.place else 0, entry.id


def _weights(terms: Mapping[str, int], statistics: ScopeStatistics) -> dict[str, float]:
    """How much each asked term weighs, in the order of the terms."""
    frequencies = statistics.document_frequency
    return {
        term: terms[term] * term_rarity(statistics.count, frequencies[term])
        for term in sorted(terms)
        if frequencies.get(term, 0) > 0
    }


def _term_parts(
    occurrences: Mapping[str, int], weights: Mapping[str, float], length: int, average_length: float
) -> list[Part]:
    found = [
        Part(TERM, term_points(weights[term], occurrences[term], length, average_length), term)
        for term in sorted(occurrences)
        if term in weights
    ]
    return [part for part in found if part.points]


def _similarity_parts(deviation: float) -> list[Part]:
    points = round(SIMILARITY_WEIGHT * max(0.0, deviation) * POINTS_PER_UNIT)
    return [Part(SIMILARITY, points)] if points else []


def _cut(candidates: Sequence[Scored]) -> tuple[list[Scored], list[Scored]]:
    """The first entries up to the limit; entries of one event take one place together."""
    chosen, beyond = [], []
    events: set[str] = set()
    for scored in candidates:
        event = scored.entry.source or scored.entry.id
        if event in events or len(events) < CANDIDATE_LIMIT:
            events.add(event)
            chosen.append(scored)
        else:
            beyond.append(scored)
    return chosen, beyond
