"""Context, cues, collapse, order, explanation, near misses and standing preferences: the last step of a search."""

import pytest

from bench.recall_searchers import MemoryIndex
from memory_app.domain.cues import asks_when
from memory_app.domain.entries import FACT, PREFERENCE
from memory_app.domain.explanation import (
    BELOW_FLOOR,
    CONTEXT,
    CUT_BY_RANK,
    EXPIRED,
    FORGOTTEN,
    QUESTION,
    SESSION,
    STANDING,
    SUPERSEDED,
    TERM,
    TIME,
    Hit,
    Part,
    Ranking,
)
from memory_app.domain.hits import STANDING_POINTS, rank_candidates
from memory_app.domain.ranking import ScopeStatistics, score_candidates
from tests.memory_app.domain.entries import make_entry, make_index


def found(ranking: Ranking) -> list[str]:
    return [hit.entry_id for hit in ranking.hits]


def part_points(hit: Hit, kind: str) -> list[tuple[int, str]]:
    return [(part.points, part.source) for part in hit.parts if part.kind == kind]


def test_a_turn_is_found_by_what_stands_around_it() -> None:
    index = make_index(
        make_entry("q", "Which pottery class did you take?", seq=1),
        make_entry("a", "The one on Main Street.", seq=2),
        make_entry("far", "Nice weather.", seq=9),
        make_entry("other", "The one on Main Square.", session="s2", seq=2),
    )
    ranking = index.search("pottery class", 10)
    assert found(ranking) == ["q", "a"]
    question, answer = ranking.hits
    own = sum(part.points for part in question.parts if part.kind == "term")
    assert part_points(answer, CONTEXT) == [(own // 2, "q")]
    assert part_points(answer, SESSION) == [(own // 5, "q")]
    assert answer.matched_terms == ()
    assert set(question.matched_terms) == {"potteri", "class"}


def test_context_halves_with_each_turn_and_ends_after_four() -> None:
    rows = [make_entry(f"{seq}", "tea" if seq == 5 else "tea blue " * 2, seq=seq) for seq in range(1, 11)]
    index = make_index(*rows)
    hits = {hit.entry_id: hit for hit in index.search("blue", 20).hits}
    own = dict.fromkeys(hits, 0) | {
        hit.entry_id: sum(points for points, _ in part_points(hit, "term")) for hit in hits.values()
    }
    lent = {source: points for points, source in part_points(hits["5"], CONTEXT)}
    assert lent == {str(5 + d): own[str(5 + d)] >> abs(d) for d in (-4, -3, -2, -1, 1, 2, 3, 4)}


@pytest.mark.parametrize("kind", [FACT, PREFERENCE])
def test_a_stand_alone_fact_has_no_context_and_lends_none(kind: str) -> None:
    index = make_index(
        make_entry("turn", "tea is served", seq=1),
        make_entry("fact", "tea is green?", kind=kind, session="s1", seq=2),
        make_entry("next", "as you like", seq=3),
    )
    hits = {hit.entry_id: hit for hit in index.search("tea", 10).hits}
    assert {part.kind for part in hits["fact"].parts} == {"term"}
    assert [source for _, source in part_points(hits["turn"], CONTEXT)] == []
    assert part_points(hits["next"], CONTEXT)[0][1] == "turn"


def test_a_question_loses_fifteen_percent_and_a_time_gains_twenty_when_asked_for() -> None:
    index = make_index(
        make_entry("asked", "When did we hike yesterday?", session="s1"),
        make_entry("said", "We did hike yesterday.", session="s2"),
    )
    hits = {hit.entry_id: hit for hit in index.search("when did we hike", 10).hits}
    raw = sum(part.points for part in hits["asked"].parts if part.kind in ("term", SESSION))
    penalty = raw * 15 // 100
    assert part_points(hits["asked"], QUESTION) == [(-penalty, "")]
    assert part_points(hits["asked"], TIME) == [((raw - penalty) * 20 // 100, "")]
    assert found(index.search("when did we hike", 10)) == ["said", "asked"]
    assert all(part.kind != TIME for hit in index.search("hike", 10).hits for part in hit.parts)


@pytest.mark.parametrize("status", ["expired", "forgotten", "superseded"])
def test_what_is_hidden_lends_no_context(status: str) -> None:
    index = make_index(
        make_entry("gone", "pottery class", seq=1, status=status),
        make_entry("next", "as you like", seq=2),
    )
    assert found(index.search("pottery", 10)) == []
    late = make_index(
        make_entry("gone", "pottery class", seq=1, expires_at=10.0),
        make_entry("next", "as you like", seq=2),
    )
    assert found(late.search("pottery", 10, now=9.9)) == ["gone", "next"]
    assert found(late.search("pottery", 10, now=10.0)) == []


def test_a_hidden_neighbour_does_not_enter() -> None:
    index = make_index(
        make_entry("q", "pottery class", seq=1),
        make_entry("gone", "as you like", seq=2, expires_at=10.0),
    )
    assert found(index.search("pottery", 10, now=10.0)) == ["q"]


def test_what_was_said_and_what_was_distilled_from_it_are_one_hit() -> None:
    text = "以后请用摄氏度报告天气"
    index = make_index(
        make_entry("said", text, seq=1),
        make_entry("kept", text, kind=PREFERENCE, seq=1),
        make_entry("sibling", "我住在天气好的地方", kind=FACT, seq=1),
        make_entry("elsewhere", text, session="s2", seq=1),
    )
    ranking = index.search("报告天气", 10)
    assert set(found(ranking)) == {"kept", "sibling", "elsewhere"}
    hit = next(hit for hit in ranking.hits if hit.entry_id == "kept")
    assert hit.collapsed == ("said",) and hit.scored_as == "said"
    assert sum(part.points for part in hit.parts) == hit.points


def test_an_excerpt_is_not_hidden_by_a_fact_that_does_not_match() -> None:
    index = make_index(
        make_entry("said", "I fly to Porto. Always use Celsius.", seq=1),
        make_entry("kept", "Always use Celsius.", kind=FACT, seq=1),
    )
    assert found(index.search("Porto", 10)) == ["said"]


def test_equals_come_newest_first() -> None:
    rows = [make_entry(f"e{time}", "green tea", session=f"s{time}", time=float(time)) for time in range(5)]
    assert found(make_index(*rows).search("tea", 3)) == ["e4", "e3", "e2"]


def test_near_misses_name_their_reasons() -> None:
    index = make_index(
        make_entry("best", "tea tea tea", session="s1"),
        make_entry("second", "tea and more things to say here today", session="s2"),
        make_entry("late", "tea", session="s3", expires_at=1.0),
        make_entry("old", "tea", kind=FACT, session="s4", status="superseded"),
        make_entry("gone", "tea", session="s5", status="forgotten"),
        make_entry("blue", "blue", session="s6"),
    )
    reasons = {miss.entry_id: miss.reason for miss in index.search("tea", 1, now=2.0).near_misses}
    assert reasons == {"second": CUT_BY_RANK, "late": EXPIRED, "old": SUPERSEDED, "gone": FORGOTTEN}
    low = index.search("tea", 10, now=2.0, floor_points=index.search("tea", 1, now=2.0).hits[0].points)
    assert [hit.entry_id for hit in low.hits] == ["best"]
    assert {miss.entry_id: miss.reason for miss in low.near_misses}["second"] == BELOW_FLOOR


ZH = "以后请用摄氏度报告天气"
EN = "Please always report the weather in Celsius"


@pytest.mark.parametrize(
    ("statement", "by_words", "by_none"),
    [
        (ZH, "杭州天气怎么样，温度单位跟上次一样", "还记得我偏好的温度单位吗"),
        (EN, "What's the weather in Hangzhou, same unit as last time?", "Do you remember which unit I like?"),
    ],
)
def test_the_example_of_the_seeds(statement: str, by_words: str, by_none: str) -> None:
    index = make_index(
        make_entry("said", statement, session="s1", seq=1),
        make_entry("kept", statement, kind=PREFERENCE, session="s1", seq=1),
        make_entry("noise", "我喜欢喝茶 I drink tea", session="s0", seq=1),
    )
    first = index.search(by_words, 10).hits[0]
    assert first.entry_id == "kept" and set(first.matched_terms) & {"天气", "weather"}
    standing = index.search(by_none, 10).hits[-1]
    assert standing.entry_id == "kept"
    assert standing.is_standing and [part.kind for part in standing.parts] == [STANDING]


def test_standing_preferences_follow_while_there_is_room_newest_first() -> None:
    preferences = [
        make_entry(f"p{number}", "blue", kind=PREFERENCE, session=f"p{number}", time=float(number))
        for number in range(5)
    ]
    index = make_index(
        make_entry("hit", "green tea", session="s1"),
        make_entry("fact", "red", kind=FACT, session="s2"),
        make_entry("over", "red", kind=PREFERENCE, session="s3", expires_at=1.0),
        make_entry("old", "red", kind=PREFERENCE, session="s4", status="superseded"),
        *preferences,
    )
    ranking = index.search("tea", 4, now=2.0)
    assert found(ranking) == ["hit", "p4", "p3", "p2"]
    assert [hit.points for hit in ranking.hits[1:]] == [STANDING_POINTS] * 3
    assert found(index.search("tea", 1, now=2.0)) == ["hit"]
    assert found(index.search("blue", 9, now=2.0)) == ["p4", "p3", "p2", "p1", "p0"]


def test_a_standing_preference_never_stands_above_a_hit() -> None:
    rows = [make_entry(f"e{number}", "tea", session=f"s{number}") for number in range(100)]
    index = make_index(*rows, make_entry("p", "blue", kind=PREFERENCE))
    ranking = index.search("tea", 101)
    assert ranking.hits[-1].entry_id == "p"
    assert [hit.points for hit in ranking.hits] == sorted((hit.points for hit in ranking.hits), reverse=True)


def test_a_part_can_name_its_entry_otherwise_and_leaves_terms_alone() -> None:
    names = {"q": "public"}
    assert Part(CONTEXT, 5, "q").naming(names) == Part(CONTEXT, 5, "public")
    assert Part(TERM, 5, "q").naming(names) == Part(TERM, 5, "q")
    assert Part(QUESTION, -5).naming(names) == Part(QUESTION, -5)


def test_an_empty_memory_answers_with_nothing() -> None:
    assert MemoryIndex().search("tea", 5) == Ranking(())
    assert make_index(make_entry("a", "tea")).search("?!", 5) == Ranking(())


def test_the_floats_of_any_order_give_the_same_points() -> None:
    entry, indexed = make_entry("a", " ".join(f"word{number}" for number in range(50)))
    terms = dict.fromkeys(indexed.terms, 1)
    statistics = ScopeStatistics(97, 1_234, dict.fromkeys(terms, 7))
    forward = score_candidates(terms, statistics, [entry], {"a": dict(indexed.terms)}, now=0)
    backward = score_candidates(
        dict(reversed(terms.items())), statistics, [entry], {"a": dict(reversed(indexed.terms.items()))}, now=0
    )
    assert forward == backward
    assert rank_candidates(forward, limit=1, now=0, query_asks_when=asks_when("when")) == rank_candidates(
        backward, limit=1, now=0, query_asks_when=True
    )
