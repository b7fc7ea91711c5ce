"""The last step of a search: context of the conversation, cues, collapse, order, and what stands without a match."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .entries import EXCERPT, PREFERENCE, Entry
from .explanation import (
    BELOW_FLOOR,
    CONTEXT,
    CUT_BY_RANK,
    QUESTION,
    SESSION,
    STANDING,
    TIME,
    Hit,
    NearMiss,
    Part,
    Ranking,
)
from .ranking import Scored, ScoredCandidates, hidden_reason, order

CONTEXT_REACH = 4
SESSION_BONUS_PERCENT = 20
QUESTION_PENALTY_PERCENT = 15
TIME_BONUS_PERCENT = 20
STANDING_POINTS = 10_000
NEAR_MISS_LIMIT = 10


@dataclass(frozen=True, slots=True)
class _Found:
    """A hit with its row, while hits are still being compared."""

    entry: Entry
    hit: Hit


def rank_candidates(
    candidates: ScoredCandidates,
    *,
    limit: int,
    now: float,
    neighbours: Iterable[Entry] = (),
    standing: Iterable[Entry] = (),
    query_asks_when: bool = False,
    floor_points: int = 0,
) -> Ranking:
    """The hits of a search and its near misses.

    ``neighbours`` are the rows found at ``neighbour_places``; ``standing`` the user's active preferences, which follow
    while there is room. Neither the order of rows nor that of postings changes the result.
    """
    scored = [*candidates.kept, *_entering(candidates, neighbours, now)]
    found = _collapse(_score_turns(scored, query_asks_when))
    found.sort(key=lambda item: order(item.entry, item.hit.points))
    above = [item for item in found if item.hit.points >= floor_points]
    hits = [item.hit for item in above[:limit]]
    misses = [NearMiss(item.entry.id, CUT_BY_RANK, item.hit.points) for item in above[limit:]]
    misses += [NearMiss(item.entry.id, BELOW_FLOOR, item.hit.points) for item in found[len(above) :]]
    known = {item.entry.id for item in found}
    misses += [miss for miss in candidates.left_out if miss.entry_id not in known]
    hits += _standing_hits(standing, known, hits, limit, now)
    return Ranking(tuple(hits), _best_misses(misses))


def _entering(candidates: ScoredCandidates, neighbours: Iterable[Entry], now: float) -> list[Scored]:
    taken = {scored.entry.id for scored in candidates.kept}
    rows = {entry.id: entry for entry in neighbours if entry.is_turn and entry.id not in taken}
    return [Scored(entry) for entry in rows.values() if hidden_reason(entry, now) is None]


def _score_turns(scored: Sequence[Scored], query_asks_when: bool) -> list[_Found]:
    lenders = _lenders(scored)
    best = {session: next(iter(turns.values())) for session, turns in lenders.items()}
    found = []
    for item in scored:
        parts = [*item.parts]
        place = item.entry.place
        if place is not None and item.entry.kind == EXCERPT and place.session in lenders:
            parts += _context_parts(place.seq, lenders[place.session])
            parts += _session_parts(best[place.session])
        parts += _factor_parts(item.entry, sum(part.points for part in parts), query_asks_when)
        points = sum(part.points for part in parts)
        if points > 0:
            found.append(_Found(item.entry, Hit(item.entry.id, points, tuple(parts), item.entry.id)))
    return found


def _lenders(scored: Iterable[Scored]) -> dict[str, dict[int, Scored]]:
    """By session and seq, the turns that have points of their own, from the best of each session down."""
    lenders: dict[str, dict[int, Scored]] = {}
    for item in sorted(scored, key=lambda item: order(item.entry, item.points)):
        place = item.entry.place
        if place is not None and item.entry.kind == EXCERPT and item.points:
            lenders.setdefault(place.session, {}).setdefault(place.seq, item)
    return lenders


def _context_parts(seq: int, turns: Mapping[int, Scored]) -> list[Part]:
    """Half of what the turns next to this place have, a quarter of what those beyond them have, and so on."""
    parts = []
    for distance in range(1, CONTEXT_REACH + 1):
        for neighbour in (seq - distance, seq + distance):
            lender = turns.get(neighbour)
            if lender is not None and lender.points >> distance:
                parts.append(Part(CONTEXT, lender.points >> distance, lender.entry.id))
    return parts


def _session_parts(lender: Scored) -> list[Part]:
    points = lender.points * SESSION_BONUS_PERCENT // 100
    return [Part(SESSION, points, lender.entry.id)] if points else []


def _factor_parts(entry: Entry, points: int, query_asks_when: bool) -> list[Part]:
    """A factor as what it adds to the sum, so that parts can be added up."""
    parts = []
    if entry.is_turn and entry.is_question:
        parts.append(Part(QUESTION, -(points * QUESTION_PENALTY_PERCENT // 100)))
        points += parts[-1].points
    if query_asks_when and entry.names_time:
        parts.append(Part(TIME, points * TIME_BONUS_PERCENT // 100))
    return [part for part in parts if part.points]


def _collapse(found: Sequence[_Found]) -> list[_Found]:
    """What was said and what was distilled from it are one hit: the distilled one, at the better of both scores."""
    said = {item.entry.source: item for item in found if item.entry.source and item.entry.kind == EXCERPT}
    distilled: dict[str, _Found] = {}
    for item in sorted(found, key=lambda item: order(item.entry, item.hit.points)):
        if item.entry.source in said and item.entry.kind != EXCERPT:
            distilled.setdefault(item.entry.source, item)
    merged = {source: _merge(item, said[source]) for source, item in distilled.items()}
    gone = {said[source].entry.id for source in merged}
    replaced = {item.entry.id: item for item in merged.values()}
    return [replaced.get(item.entry.id, item) for item in found if item.entry.id not in gone]


def _merge(distilled: _Found, said: _Found) -> _Found:
    better = max(distilled, said, key=lambda item: item.hit.points)
    hit = replace(better.hit, entry_id=distilled.entry.id, collapsed=(said.entry.id,))
    return _Found(distilled.entry, hit)


def _standing_hits(
    standing: Iterable[Entry], matched: set[str], hits: Sequence[Hit], limit: int, now: float
) -> list[Hit]:
    """The newest preferences that did not match, never above what did."""
    points = min([STANDING_POINTS, *(hit.points for hit in hits)])
    rows = {
        entry.id: entry
        for entry in standing
        if entry.kind == PREFERENCE and entry.id not in matched and hidden_reason(entry, now) is None
    }
    chosen = sorted(rows.values(), key=lambda entry: order(entry, points))[: max(0, limit - len(hits))]
    return [Hit(entry.id, points, (Part(STANDING, points),), entry.id) for entry in chosen]


def _best_misses(misses: Iterable[NearMiss]) -> tuple[NearMiss, ...]:
    ordered = sorted(misses, key=lambda miss: (-miss.points, miss.entry_id, miss.reason))
    return tuple(ordered[:NEAR_MISS_LIMIT])
