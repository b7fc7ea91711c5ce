"""What was forgotten does not come back, by whichever door.

Each way of forgetting is followed by each way in which stores were seen to bring forgotten text back.
"""

from collections.abc import Callable
from typing import Any

import pytest

from jobs_app.services.drain import drain
from jobs_app.services.outbox import claim_job, finish_job
from jobs_app.services.registry import find_handler
from tests.memory_app.person import Person, ago
from tests.memory_app.stored import rows_holding, statistics

pytestmark = pytest.mark.django_db

SECRET = "I am allergic to peanuts"
SIBLING = "My favourite colour is teal"
WORD = "peanuts"


def by_id(ana: Person) -> dict[str, Any]:
    return {"ids": [ana.named(f"{SECRET}.", "FACT")["id"]]}


def by_excerpt_id(ana: Person) -> dict[str, Any]:
    return {"ids": [ana.named(f"{SECRET}.", "EXCERPT")["id"]]}


WAYS: dict[str, Callable[[Person], dict[str, Any]]] = {
    "id": by_id,
    "excerpt id": by_excerpt_id,
    "key": lambda ana: {"key": ana.named(f"{SECRET}.", "FACT")["key"]},
    "query": lambda ana: {"query": "peanuts"},
    "session": lambda ana: {"sessionId": "s1"},
    "kinds": lambda ana: {"kinds": ["FACT"]},
    "all kinds": lambda ana: {"kinds": ["FACT", "EXCERPT", "PREFERENCE"]},
    "before": lambda ana: {"before": 9e9},
    "all": lambda ana: {"all": True},
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def nothing_is_left(ana: Person) -> None:
    drain()
    assert rows_holding(WORD) == []
    assert ana.found("What am I allergic to, peanuts?") == []
    assert not any(WORD in text for text in ana.texts(status="any"))


@pytest.fixture
def known(ana: Person) -> Person:
    """Someone who said it in a session that was ingested."""
    result = ana.tell("s1", "Hello there", f"{SECRET}.")
    assert ana.named(f"{SECRET}.", "FACT")["source"]["sessionId"] == "s1", result
    return ana


@EVERY_WAY
def test_nothing_of_it_is_left(known: Person, way: Callable[[Person], dict[str, Any]]) -> None:
    receipt = known.forget(**way(known))
    assert receipt["notReached"] == ["s1"]
    assert len(receipt["forgotten"]) >= 2 and receipt["tombstones"] and receipt["digests"]
    nothing_is_left(known)


@EVERY_WAY
def test_the_same_session_ingested_again_brings_nothing_back(
    known: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    [event] = known.say("s1", "An unrelated remark")
    known.forget(**way(known))
    known.ingest("s1")
    known.ingest("s1", events=[{"id": event, "author": "user", "content": {"parts": [{"text": f"{SECRET}."}]}}])
    nothing_is_left(known)


@EVERY_WAY
def test_another_session_that_says_the_same_sentence_brings_nothing_back(
    known: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    known.forget(**way(known))
    known.tell("s2", SECRET, f"  {SECRET.upper()}!! ", f"By the way. {SECRET}. Thanks.")
    nothing_is_left(known)


@EVERY_WAY
def test_what_another_session_had_said_already_goes_too(known: Person, way: Callable[[Person], dict[str, Any]]) -> None:
    """The same fact is one entry with two sources; its second excerpt must not surface from behind it."""
    known.tell("s2", f"By the way. {SECRET}.")
    assert set(known.forget(**way(known))["notReached"]) == {"s1", "s2"}
    nothing_is_left(known)
    known.ingest("s2", events=[])
    nothing_is_left(known)


@EVERY_WAY
def test_i10_a_job_that_was_queued_before_brings_nothing_back(
    known: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    """Users saw: facts that were forgotten are active again minutes later, from a job that had waited."""
    event = {"id": "late", "author": "user", "content": {"parts": [{"text": f"{SECRET}."}]}}
    known.request("s1")
    known.request_events(event, sessionId="s1")
    known.request_events(event)
    known.forget(**way(known))
    nothing_is_left(known)


@EVERY_WAY
def test_i10_a_worker_that_had_read_already_writes_nothing(
    known: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    known.say("s3", f"{SECRET}.")
    known.request("s3")
    job = claim_job()
    assert job is not None
    reading = find_handler(job.topic).work(job)
    assert reading.proposals
    known.forget(**way(known))
    result = finish_job(job, reading)
    assert result["stored"] == 0 and "was forgotten" in result["refused"]
    nothing_is_left(known)


@pytest.mark.parametrize("way", [WAYS[name] for name in ("session", "all kinds", "before", "all")])
def test_i10_a_session_that_no_ingestion_had_reached_is_forgotten_too(
    ana: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    """Forgetting finds nothing to erase yet; what was said before stays out all the same, whatever its clock says."""
    ana.say("s1", f"{SECRET}.")
    ana.say("s1", "I have peanuts on my desk", timestamp=4e9)
    ana.request("s1")
    receipt = ana.forget(**way(ana))
    assert receipt["forgotten"] == []
    drain()
    ana.ingest("s1")
    nothing_is_left(ana)
    # What is said afterwards is remembered.
    ana.tell("s1", "My hobby is chess")
    assert ana.found("chess")


def test_what_is_said_after_forgetting_a_session_is_remembered(known: Person) -> None:
    known.forget(sessionId="s1")
    known.tell("s1", "My hobby is chess")
    assert "My hobby is chess" in known.texts()
    # The id used anew is another log, whose numbers begin again.
    known.delete_session("s1")
    known.tell("s1", "My sister plays the cello")
    assert "My sister plays the cello" in known.texts()


@EVERY_WAY
def test_a_direct_write_brings_nothing_back(known: Person, way: Callable[[Person], dict[str, Any]]) -> None:
    known.forget(**way(known))
    for kind in ("FACT", "PREFERENCE", "EXCERPT"):
        answer = known.add(SECRET, kind=kind, confidence=1.0)
        assert answer["memories"] == [] and answer["outcome"]["refused"] == {"was forgotten": 1}
    assert known.add(f"Note. {SECRET}.")["memories"] == []
    nothing_is_left(known)


@EVERY_WAY
def test_the_plan_is_what_forgetting_then_does(known: Person, way: Callable[[Person], dict[str, Any]]) -> None:
    known.tell("s2", f"{SIBLING}.", "Nothing much")
    selection = way(known)
    before = rows_holding(WORD)
    plan = known.plan(**selection)
    assert rows_holding(WORD) == before
    receipt = known.forget(**selection)
    assert plan["ids"] == receipt["forgotten"]
    assert plan["kinds"] == receipt["kinds"] and plan["notReached"] == receipt["notReached"]


@EVERY_WAY
def test_ranking_counts_afterwards_as_if_it_had_never_been_said(
    ana: Person, way: Callable[[Person], dict[str, Any]]
) -> None:
    ana.tell("s0", "Something else entirely")
    before = statistics()
    ana.tell("s1", f"{SECRET}.")
    assert statistics() != before
    ana.forget(**way(ana))
    if "Something else entirely" in ana.texts():
        assert statistics() == before
    else:
        assert statistics() == {"scopes": [], "terms": [], "postings": []}


def test_only_what_was_said_in_the_same_words_goes(ana: Person) -> None:
    """Sibling facts of the event stay, though its excerpt goes; and so does whatever else is known."""
    ana.tell("s1", f"{SECRET}. {SIBLING}.", "What a day")
    ana.tell("s2", "My dog is called Rex.")
    ana.forget(ids=[ana.named(f"{SECRET}.", "FACT")["id"]])
    kept = {(item["kind"], item["content"]["parts"][0]["text"]) for item in ana.memories()}
    assert ("FACT", f"{SIBLING}.") in kept or ("PREFERENCE", f"{SIBLING}.") in kept
    assert ("EXCERPT", "What a day") in kept and ("EXCERPT", "My dog is called Rex.") in kept
    assert rows_holding(WORD) == []
    # Ingesting the event again leaves the sibling as it is and the rest away.
    assert ana.ingest("s1")["stored"] == 0
    assert {(item["kind"], item["content"]["parts"][0]["text"]) for item in ana.memories()} == kept


def test_a_query_takes_what_holds_its_words_and_not_what_stands_beside(ana: Person) -> None:
    ana.tell("s1", "We talked about gardening", f"{SECRET}.", "Then we went home")
    ana.forget(query=WORD)
    assert ana.texts() == ["Then we went home", "We talked about gardening"]


def test_forgetting_one_session_leaves_what_another_said_under_the_same_key(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.", timestamp=ago(2))
    ana.forget(sessionId="s1")
    assert ana.found("Gdansk") == ["I live in Gdansk."]
    assert rows_holding("Porto") == []


def test_forgetting_a_statement_by_id_takes_its_history_and_not_its_successor(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.", timestamp=ago(2))
    ana.tell("s3", "I live in Turku.", timestamp=ago(1))
    old = ana.named("I live in Gdansk.", "FACT", status="superseded")
    ana.forget(ids=[old["id"]])
    assert rows_holding("Gdansk") == [] and ana.found("Turku") == ["I live in Turku."]
    ana.forget(ids=[ana.named("I live in Turku.", "FACT")["id"]])
    assert rows_holding("Turku") == [] and rows_holding("Porto") == []


def test_a_query_finds_superseded_statements_too(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.", timestamp=ago(2))
    ana.forget(query="Porto")
    assert rows_holding("Porto") == [] and ana.found("Gdansk") == ["I live in Gdansk."]


def test_the_plan_lists_what_says_something_alike(ana: Person) -> None:
    """A digest cannot know a paraphrase, the agent's own echo among them: the plan shows it, to be selected too."""
    ana.tell("s1", f"{SECRET}.")
    ana.tell("s1", "Noted: you are allergic to peanuts and other nuts.", author="agent")
    plan = ana.plan(ids=[ana.named(f"{SECRET}.", "FACT")["id"]])
    echo = ana.named("Noted: you are allergic to peanuts and other nuts.")
    assert [item["id"] for item in plan["similar"]] == [echo["id"]]
    ana.forget(ids=[*plan["ids"], echo["id"]])
    nothing_is_left(ana)


@pytest.mark.parametrize("name", ["id", "excerpt id", "key", "query", "session", "all"])
def test_lifting_with_a_reason_allows_it_again(known: Person, name: str) -> None:
    receipt = known.forget(**WAYS[name](known))
    for tombstone in receipt["tombstones"]:
        if {item["id"]: item for item in known.tombstones()}[tombstone].get("liftedAt") is None:
            known.lift(tombstone)
    assert all(item["liftedAt"] and item["liftedBy"] for item in known.tombstones())
    assert rows_holding(WORD) == []
    known.ingest("s1")
    assert known.found(WORD)[0] == f"{SECRET}."
    assert known.add(SECRET)["memories"]


def test_lifting_the_tombstone_of_a_fact_is_enough(known: Person) -> None:
    """Its excerpt says nothing else, so nobody should have to know that it has a tombstone of its own."""
    known.forget(**by_id(known))
    [fact] = [item for item in known.tombstones() if item["kind"] == "FACT"]
    known.lift(fact["id"])
    known.ingest("s1")
    assert known.named(f"{SECRET}.", "FACT") and known.named(f"{SECRET}.", "EXCERPT")


def test_lifting_one_fact_leaves_its_forgotten_sibling_away(ana: Person) -> None:
    ana.tell("s1", f"{SECRET}. {SIBLING}.")
    ana.forget(ids=[item["id"] for item in ana.memories() if item["kind"] != "EXCERPT"])
    [row] = [item for item in ana.tombstones() if item["kind"] == "FACT"][:1]
    texts = {f"{SECRET}.", f"{SIBLING}."}
    ana.lift(row["id"])
    ana.ingest("s1")
    assert len(ana.texts()) == 1 and texts.issuperset(ana.texts())


def test_a_memory_is_forgotten_once(known: Person) -> None:
    memory = known.named(f"{SECRET}.", "FACT")
    known.forget_one(memory)
    answer = known.api.delete(f"{known.path}/memories/{memory['id']}?reason=again")
    assert (answer.status, answer.code) == (404, "memory_not_found")
    assert known.api.get(f"{known.path}/memories/{memory['id']}").code == "memory_not_found"
    assert known.api.get(f"{known.path}/memories/{memory['id']}/history").code == "memory_not_found"


def test_all_of_a_thousand_are_forgotten(ana: Person) -> None:
    """No limit and no portion may end a forgetting silently."""
    for start in range(0, 1_100, 550):
        entries = [{"content": {"parts": [{"text": f"peanuts {start + i}"}]}} for i in range(550)]
        ana.ok(ana.api.post(f"{ana.path}/memories", {"memories": entries}))
    assert len(ana.forget(all=True)["forgotten"]) == 1_100
    nothing_is_left(ana)
