"""Terms to read first, points of words, candidates: steps 1 to 4 of a search."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.entries import EXCERPT, FACT, Entry, Place
from memory_app.domain.explanation import EXPIRED, FORGOTTEN, OUTRANKED, SUPERSEDED, TERM
from memory_app.domain.ranking import (
    CANDIDATE_LIMIT,
    ScopeStatistics,
    TermPlan,
    hidden_reason,
    neighbour_places,
    plan_terms,
    score_candidates,
    term_points,
    term_rarity,
)

frequencies = st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 30_000), max_size=12)


@pytest.mark.parametrize(
    ("frequency", "plan"),
    [
        ({}, TermPlan(())),
        ({"a": 0}, TermPlan(())),
        ({"a": 5, "b": 1, "c": 0}, TermPlan(("b", "a"))),
        ({"a": 20_000}, TermPlan(("a",))),
        ({"a": 20_001}, TermPlan(("a",), newest_only=True)),
        ({"hot": 90_000, "hotter": 95_000}, TermPlan(("hot",), ("hotter",), newest_only=True)),
        ({"a": 15_000, "b": 6_000, "c": 10}, TermPlan(("c", "b"), ("a",))),
        ({"b": 3, "a": 3}, TermPlan(("a", "b"))),
    ],
)
def test_the_rarest_terms_come_first_within_the_budget(frequency: dict[str, int], plan: TermPlan) -> None:
    assert plan_terms(frequency) == plan


@given(frequencies, st.integers(1, 40_000))
def test_a_plan_keeps_the_budget_and_loses_no_term(frequency: dict[str, int], budget: int) -> None:
    plan = plan_terms(frequency, budget)
    present = {term for term, number in frequency.items() if number}
    assert {*plan.leading, *plan.postponed} == present
    assert len(plan.leading) + len(plan.postponed) == len(present)
    assert bool(plan.leading) == bool(present)
    spent = sum(frequency[term] for term in plan.leading)
    assert spent <= budget or (len(plan.leading) == 1 and plan.newest_only)


def test_the_points_of_a_term_are_the_formula_of_bm25() -> None:
    rarity = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))
    assert term_rarity(10, 2) == rarity
    expected = 2 * rarity * 3 * 1.9 / (3 + 0.9 * (0.7 + 0.3 * 8 / 5))
    assert term_points(2 * rarity, 3, 8, 5.0) == round(expected * 1_000_000)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 500), st.integers(0, 10**4), st.integers(1, 10**5))
def test_points_are_never_negative_even_when_counts_disagree(
    count: int, frequency: int, occurrences: int, length: int, total: int
) -> None:
    assert term_points(term_rarity(count, frequency), occurrences, length, total / max(1, count)) >= 0


def entry(entry_id: str, **values: object) -> Entry:
    return Entry(**{"id": entry_id, "kind": EXCERPT, "time": 0.0, "length": 4, "source": entry_id, **values})  # type: ignore[arg-type]


STATISTICS = ScopeStatistics(1_000, 4_000, {"tea": 10, "blue": 300})
BOTH = {"tea": 1, "blue": 1}


def test_only_what_is_asked_for_and_occurs_has_a_part() -> None:
    rows = [entry("a"), entry("b"), entry("c")]
    postings = {"a": {"tea": 1, "green": 9}, "b": {"blue": 2, "tea": 1}, "c": {"green": 1}}
    found = score_candidates({**BOTH, "absent": 1}, STATISTICS, rows, postings, now=0)
    assert [(item.entry.id, [part.source for part in item.parts]) for item in found.kept] == [
        ("b", ["blue", "tea"]),
        ("a", ["tea"]),
    ]
    assert all(part.kind == TERM for item in found.kept for part in item.parts)


def test_similarity_lifts_what_shares_no_word() -> None:
    found = score_candidates(BOTH, STATISTICS, [entry("a"), entry("b")], {}, now=0, similarity={"a": 2.0, "b": -1.0})
    assert [(item.entry.id, item.points) for item in found.kept] == [("a", 2_400_000)]


@pytest.mark.parametrize(
    ("status", "expires_at", "reason"),
    [
        ("active", None, None),
        ("active", 100.1, None),
        ("active", 100.0, EXPIRED),
        ("active", 1.0, EXPIRED),
        ("expired", None, EXPIRED),
        ("superseded", 1.0, SUPERSEDED),
        ("forgotten", 1.0, FORGOTTEN),
    ],
)
def test_i13_an_entry_is_gone_at_the_second_it_expires(
    status: str, expires_at: float | None, reason: str | None
) -> None:
    row = entry("a", status=status, expires_at=expires_at)
    assert hidden_reason(row, now=100.0) == reason
    found = score_candidates(BOTH, STATISTICS, [row], {"a": {"tea": 1}}, now=100.0)
    assert [item.entry.id for item in found.kept] == ([] if reason else ["a"])
    assert [miss.reason for miss in found.left_out] == ([reason] if reason else [])


def test_hidden_entries_take_no_place_among_the_candidates() -> None:
    hidden = [entry(f"h{number}", expires_at=0.0) for number in range(CANDIDATE_LIMIT)]
    postings = {row.id: {"tea": 9} for row in hidden} | {"a": {"blue": 1}}
    found = score_candidates(BOTH, STATISTICS, [*hidden, entry("a")], postings, now=1)
    assert [item.entry.id for item in found.kept] == ["a"]


def test_what_stands_beyond_the_candidates_is_a_near_miss() -> None:
    rows = [entry(f"{number:03}", time=float(number)) for number in range(CANDIDATE_LIMIT + 2)]
    found = score_candidates(BOTH, STATISTICS, rows, {row.id: {"tea": 1} for row in rows}, now=1)
    assert len(found.kept) == CANDIDATE_LIMIT and found.kept[0].entry.id == "201"
    assert [(miss.entry_id, miss.reason) for miss in found.left_out] == [("001", OUTRANKED), ("000", OUTRANKED)]


def test_entries_of_one_event_share_one_place_among_the_candidates() -> None:
    rows = [entry(f"{number:03}") for number in range(CANDIDATE_LIMIT)]
    rows += [entry(f"fact{number:03}", kind=FACT, source=f"{number:03}") for number in range(CANDIDATE_LIMIT)]
    found = score_candidates(BOTH, STATISTICS, rows, {row.id: {"tea": 1} for row in rows}, now=1)
    assert len(found.kept) == 2 * CANDIDATE_LIMIT and not found.left_out


def test_neighbours_are_looked_for_two_turns_around_a_candidate_and_never_around_a_fact() -> None:
    rows = [
        entry("a", place=Place("s", 5)),
        entry("b", place=Place("s", 6)),
        entry("f", kind=FACT, place=None),
        entry("x", kind=FACT, place=Place("other", 1)),
    ]
    found = score_candidates(BOTH, STATISTICS, rows, {row.id: {"tea": 1} for row in rows}, now=1)
    assert neighbour_places(found) == tuple(Place("s", seq) for seq in (3, 4, 7, 8))


def test_only_the_best_turns_have_neighbours_looked_for() -> None:
    rows = [entry(f"{number:02}", time=float(-number), place=Place(f"s{number:02}", 1)) for number in range(40)]
    found = score_candidates(BOTH, STATISTICS, rows, {row.id: {"tea": 1} for row in rows}, now=1)
    assert {place.session for place in neighbour_places(found)} == {f"s{number:02}" for number in range(30)}
