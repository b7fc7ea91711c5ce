"""The search through the API: what comes back, in which order, why, and why the rest does not."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from jobs_app.services.drain import drain
from memory_app.models import Memory
from memory_app.selectors.search import SearchQuery, search
from tests.memory_app.conftest import MakePerson
from tests.memory_app.person import Person, ago, text_of
from tests.memory_app.stored import statistics

pytestmark = pytest.mark.django_db

SEEDS = [
    ("以后请用摄氏度报告天气", "杭州天气怎么样，温度单位跟上次一样", "还记得我偏好的温度单位吗", "改用华氏度"),
    (
        "Please always report the weather in Celsius",
        "How is the weather in Hangzhou? Same unit as last time.",
        "Do you remember which unit I prefer?",
        "From now on use Fahrenheit",
    ),
]


def first(ana: Person, query: str, **body: Any) -> Any:
    return ana.search(query, explain=True, **body)["memories"][0]


def kinds_of(hit: Any) -> set[str]:
    return {part["kind"] for part in hit["explanation"]["parts"]}


def adds_up(hits: list[Any]) -> None:
    """In whole points: the parts are the score, not nearly."""
    assert hits
    for hit in hits:
        points = sum(round(part["score"] * 1_000_000) for part in hit["explanation"]["parts"])
        assert points == round(hit["score"] * 1_000_000)
        assert hit["score"] == points / 1_000_000


@pytest.mark.parametrize(("statement", "by_words", "by_none", "correction"), SEEDS, ids=["zh", "en"])
def test_the_seeds_example(ana: Person, statement: str, by_words: str, by_none: str, correction: str) -> None:
    ana.tell("s1", statement, timestamp=ago(1))
    ana.say("s2", by_words)
    hit = first(ana, by_words)
    assert (text_of(hit), hit["kind"], hit["source"]["sessionId"]) == (statement, "PREFERENCE", "s1")
    assert "term" in kinds_of(hit) and hit["explanation"]["collapsed"]
    standing = first(ana, by_none)
    assert (text_of(standing), kinds_of(standing)) == (statement, {"standing preference"})
    assert ana.found(by_none) == []

    ana.tell("s3", correction)
    answer = ana.search(by_none, explain=True)
    assert correction in [text_of(item) for item in answer["memories"]]
    assert statement not in [text_of(item) for item in ana.search(by_words)["memories"]]
    old = ana.named(statement, "PREFERENCE", status="superseded")
    misses = {miss["id"]: miss["reason"] for miss in ana.search(by_words, explain=True)["misses"]}
    assert misses[old["id"]] == "superseded"


def test_the_parts_of_every_hit_add_up_to_its_score_exactly(ana: Person) -> None:
    turns = ["Do you know the weather in Porto?", "It rains in Porto on Monday", "I like rain", "Porto in 2026-05-01"]
    ana.tell("s1", *turns, "I live in Porto. I like the rain.")
    ana.tell("s2", "From now on use Fahrenheit", "Rain again in Porto?", "又下雨了 in Porto")
    for query in ("rain in Porto", "When did it rain in Porto?", "Porto", "雨", "weather 2026-05-01", "which unit"):
        adds_up(ana.search(query, explain=True, limit=50)["memories"])
    kinds = {
        kind
        for hit in ana.search("When did it rain in Porto?", explain=True, limit=50)["memories"]
        for kind in kinds_of(hit)
    }
    assert {"term", "context", "session", "question", "standing preference"} <= kinds


def test_a_part_names_the_term_or_the_memory_it_came_from(ana: Person) -> None:
    ana.tell("s1", "The gardener comes on Tuesday", "He brings roses")
    hits = ana.search("gardener", explain=True)["memories"]
    assert [part["source"] for part in hits[0]["explanation"]["parts"] if part["kind"] == "term"] == ["garden"]
    [lent] = [part for part in hits[1]["explanation"]["parts"] if part["kind"] == "context"]
    assert lent["source"] == hits[0]["id"] and hits[0]["source"]["eventId"]


def test_each_near_miss_says_why(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.", timestamp=ago(2))
    for number in range(3):
        ana.add(f"I live with plant {number}")
    expired = ana.add("I live for the sea")["memories"][0]
    Memory.objects.filter(memory_id=expired["id"]).update(expires_at=time.time() - 1)
    forgotten = ana.add("I live by the clock")["memories"][0]
    ana.forget_one(forgotten)
    answer = ana.search("I live", explain=True, limit=2)
    reasons = {miss["id"]: miss["reason"] for miss in answer["misses"]}
    old = ana.named("I live in Porto.", "FACT", status="superseded")
    assert reasons[old["id"]] == "superseded" and reasons[expired["id"]] == "expired"
    assert list(reasons.values()).count("cut by rank") >= 2
    assert forgotten["id"] not in str(answer)
    assert "Porto" not in str(answer) and "sea" not in str(answer)
    assert "misses" not in ana.search("I live", limit=2)


def test_words_that_are_too_common_are_named(ana: Person) -> None:
    ana.add("tea")
    assert "the" in ana.search("the tea", explain=True)["ignoredWords"]


def test_a_limit_cuts_the_list_and_the_prompt_takes_what_the_policy_says(ana: Person) -> None:
    for number in range(12):
        ana.add(f"tea number {number}")
    assert len(ana.found("tea")) == 10 and len(ana.found("tea", limit=3)) == 3
    assert len(ana.found("tea", forPrompt=True)) == 8
    assert ana.found("tea", limit=12)[:3] == ana.found("tea", limit=3)


def test_kinds_are_all_that_comes_back(ana: Person) -> None:
    ana.tell("s1", "I live in Porto. It rains.", "From now on use Fahrenheit")
    assert {item["kind"] for item in ana.search("Porto", kinds=["FACT"])["memories"]} == {"FACT"}
    assert {item["kind"] for item in ana.search("Porto", kinds=["EXCERPT"])["memories"]} == {"EXCERPT"}
    assert ana.search("Porto", kinds=["TASK_CONTEXT"])["memories"] == []
    # Without its excerpt a fact is found all the same, and alone.
    assert first(ana, "Porto", kinds=["FACT"])["explanation"]["collapsed"] == []


def test_a_rare_kind_is_found_among_thousands_of_others(ana: Person) -> None:
    events = [
        {"id": f"e{n}", "author": "user", "content": {"parts": [{"text": f"tea {'tea ' * (n % 3)}at {n}"}]}}
        for n in range(900)
    ]
    ana.request_events(*events)
    drain()
    ana.add("The kind of tea that Ana likes best is, after all these many years of trying, still plain and green")
    assert [item["kind"] for item in ana.search("tea", kinds=["FACT"])["memories"]] == ["FACT"]


def test_fifty_expired_preferences_do_not_crowd_out_a_living_one(ana: Person) -> None:
    ana.add("Call me Ana", kind="PREFERENCE", timestamp=ago(2))
    for number in range(55):
        ana.add(f"old wish {number}", kind="PREFERENCE", timestamp=ago(1))
    Memory.objects.filter(text__startswith="old wish").update(expires_at=time.time() - 1)
    assert [text_of(item) for item in ana.search("anything else")["memories"]] == ["Call me Ana"]


def test_i16_a_search_waits_for_no_worker_but_says_what_is_missing(ana: Person) -> None:
    """Users saw: "store, then search" fails now and then. Here a search can name what it must have seen."""
    ana.say("s1", "I live in Porto.", "I like tea")
    wanted = {"query": "Porto", "minSeq": {"sessionId": "s1", "seq": 2}}
    answer = ana.api.post(f"{ana.path}/memories:search", wanted)
    assert (answer.status, answer.code, answer.json["indexedThrough"]) == (409, "not_indexed_yet", {"s1": 0})
    ana.ingest("s1")
    assert ana.search(**wanted)["indexedThrough"] == {"s1": 2}
    ana.say("s1", "and coffee")
    late = ana.api.post(f"{ana.path}/memories:search", {**wanted, "minSeq": {"sessionId": "s1", "seq": 3}})
    assert (late.status, late.json["indexedThrough"]) == (409, {"s1": 2})
    missing = ana.api.post(f"{ana.path}/memories:search", {**wanted, "minSeq": {"sessionId": "s9", "seq": 0}})
    assert (missing.status, missing.code) == (404, "session_not_found")
    # A direct write is found in the same moment.
    ana.add("My hobby is chess")
    assert ana.found("chess") == ["My hobby is chess"]


def test_what_another_user_stores_changes_no_score(ana: Person, bo: Person, make_person: MakePerson) -> None:
    for number in range(5):
        ana.add(f"tea at {number}, with milk")
    before, numbers = ana.search("tea with milk", explain=True), statistics()
    other = make_person("ana", None)
    assert other.project == ana.project
    bo.tell("s1", *[f"tea {number} tea milk" for number in range(30)])
    bo.add("tea tea tea tea")
    assert ana.search("tea with milk", explain=True) == before
    bo.forget(all=True)
    assert ana.search("tea with milk", explain=True) == before and statistics() == numbers


def test_e4_another_users_words_are_never_found(
    ana: Person, make_person: MakePerson, make_project: Callable[..., str]
) -> None:
    """Users saw: facts told by one user are quoted to another."""
    phrase = "the purple elephant dances"
    ana.tell("s1", phrase)
    ana.add(phrase, kind="PREFERENCE", key="elephant")
    others = [make_person(user) for user in ("bo", "an", "ana2", "ana.b", "ana:b", "ANA", "a")]
    others += [make_person("ana", make_project(f"{ana.project}2")), make_person("ana", make_project())]
    for other in others:
        assert other.search(phrase, explain=True) | {"ignoredWords": []} == {
            "memories": [],
            "misses": [],
            "ignoredWords": [],
        }
        assert other.memories(status="any") == [] and other.tombstones() == []
        assert other.forget(query=phrase)["forgotten"] == []
    assert len(ana.memories()) == 2


WORDS = st.sampled_from(["tea", "milk", "Porto", "rain", "天气", "很好", "Größe", "C++", "42", "the"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)


@hypothesis_settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, queries=TEXTS)
def test_statistics_are_those_of_what_is_there(ana: Person, texts: list[str], queries: list[str]) -> None:
    """Whatever was added and forgotten in between: the counters are those of the entries, and every score adds up."""
    for text in texts:
        ana.add(text)
    for query in queries[:3]:
        ana.forget(query=query)
        rows = Memory.objects.filter(scope__user_id="ana", status="active")
        counted = statistics()
        [numbers] = counted["scopes"] or [(0, 0, 0)]
        assert numbers[1:] == (rows.count(), sum(rows.values_list("length", flat=True)))
        assert {row[2] for row in counted["postings"]} == set(rows.values_list("pk", flat=True))
        assert sum(df for _, _, df in counted["terms"]) == len(counted["postings"])
        for hit in search(ana.key, SearchQuery(query, limit=50)).hits:
            assert sum(part.points for part in hit.parts) == round(hit.score * 1_000_000)
