"""From a log to memory: what is stored, once, whichever way and however often it is asked for."""

from collections.abc import Callable
from typing import Any

import pytest

from jobs_app.services.drain import drain
from memory_app.models import Memory
from tests.memory_app.person import Person, ago, text_of
from tests.memory_app.stored import dump, statistics
from tests.sessions_app.http_client import Api, session_path

pytestmark = pytest.mark.django_db


def said(event_id: str, text: str, author: str = "user", **members: Any) -> dict[str, Any]:
    return {"id": event_id, "author": author, "content": {"parts": [{"text": text}]}, **members}


def entries() -> list[tuple[str, str, str]]:
    return sorted(Memory.objects.values_list("kind", "status", "text"))


def test_i4_ingesting_three_times_stores_once(ana: Person) -> None:
    """Users saw: search results full of copies, and a store that grows with each turn."""
    ids = ana.say("s1", "I live in Porto.", "Nice weather today")
    first = ana.ingest("s1")
    assert (first["stored"], len(entries())) == (3, 3)
    before = [entries(), statistics()]
    for _ in range(2):
        assert ana.ingest("s1")["stored"] == 0
    # As a delta, through either route, and twice in one request.
    log = ana.ok(ana.api.get(session_path(ana.project, ana.user, "s1")))["events"]
    assert [event["id"] for event in log] == ids
    delta = ana.ingest("s1", events=[*log, *log])
    assert delta["stored"] == 0 and delta["refused"] == {"is known already": 6}
    ana.request_events(*log, sessionId="s1")
    drain()
    assert [entries(), statistics()] == before


def test_i4_more_events_add_only_themselves(ana: Person) -> None:
    ana.tell("s1", "first thing")
    ana.say("s1", "second thing", "third thing", "fourth thing", "fifth thing", "sixth thing")
    assert ana.ingest("s1")["stored"] == 5
    assert ana.ingest("s1")["stored"] == 0
    assert len(ana.texts()) == 6
    positions = Memory.objects.order_by("pk").values_list("position", flat=True)
    assert list(positions) == [1, 2, 3, 4, 5, 6]


def test_i4_the_same_fact_from_two_sessions_is_one_memory_with_two_sources(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.")
    result = ana.tell("s2", "I live in Porto.")
    assert result["repeated"] == 1
    assert len(ana.memories(kind="FACT")) == 1
    [fact] = ana.memories(kind="FACT")
    assert fact["source"]["sessionId"] == "s1"
    # It is found as having come from either session.
    assert [item["id"] for item in ana.memories(kind="FACT", sessionId="s2")] == [fact["id"]]


def test_i4_a_request_that_is_repeated_after_a_lost_answer_has_one_effect(ana: Person) -> None:
    ana.say("s1", "I live in Porto.")
    for _ in range(3):
        ana.request("s1")
    drain()
    assert len(entries()) == 2
    for _ in range(2):
        ana.add("I like tea", id="m-1")
        ana.add("I like tea")
    assert ana.texts().count("I like tea") == 1


def test_a_filtered_session_never_erases(ana: Person) -> None:
    """A caller's window is not the log: what it lacks stays."""
    ids = ana.say("s1", "one thing", "another thing", "a third thing")
    ana.ingest("s1")
    before = entries()
    ana.ingest("s1", events=[said(ids[2], "a third thing")])
    ana.ingest("s1", events=[])
    assert entries() == before


def test_a_delta_of_a_session_that_this_server_does_not_keep(ana: Person) -> None:
    for _ in range(2):
        ana.request_events(said("e-1", "I live in Porto."), sessionId="elsewhere")
        drain()
    [fact] = ana.memories(kind="FACT")
    assert fact["source"] == {"sessionId": "elsewhere", "eventId": "e-1", "extractor": "rules"}
    assert len(entries()) == 2


def test_i8_only_what_was_said_is_remembered(ana: Person) -> None:
    """Users saw: 97 of 100 memories were system prompts, tool output, thoughts and memories recalled before."""
    path = f"{session_path(ana.project, ana.user, 's1')}/events"
    ana.say("s1", "I live in Porto.")
    block = "<PAST_CONVERSATIONS>\nTime: 2026-01-01\nuser: I once lived in Lisbon\n</PAST_CONVERSATIONS>"
    call = {"functionCall": {"name": "load_memory", "args": {"query": "junk argument"}}}
    recalled = {"memories": [{"content": {"parts": [{"text": "You told me about Lisbon."}]}}]}
    junk: list[dict[str, Any]] = [
        {"author": "system", "content": {"parts": [{"text": "junk of the system"}]}},
        {"author": "agent", "content": {"parts": [{"text": "junk that was thought", "thought": True}]}},
        {"author": "agent", "content": {"parts": [call]}},
        {
            "author": "agent",
            "content": {"parts": [{"functionResponse": {"name": "x", "response": {"r": "junk" * 9000}}}]},
        },
        {
            "author": "agent",
            "content": {"parts": [{"functionResponse": {"name": "load_memory", "response": {"result": recalled}}}]},
        },
        {"author": "user", "content": {"parts": [{"text": block}]}},
        {"author": "agent", "content": {"parts": []}},
        {"author": "agent", "errorCode": "500", "content": {"parts": [{"text": "junk of an error"}]}},
        {"author": "agent", "content": {"parts": [{"text": "You told me about Lisbon."}]}},
    ]
    for event in junk:
        ana.ok(ana.api.post(path, {"event": event}))
    ana.say("s1", "That is right.", author="agent")
    result = ana.ingest("s1")
    assert ana.texts(kind="EXCERPT") == ["I live in Porto.", "That is right."]
    assert ana.texts(kind="FACT") == ["I live in Porto."]
    assert {"thought", "function call", "function response", "recalled memory", "error event"} <= set(result["skipped"])
    # What was recalled before the last ingestion is not new after it either.
    ana.say("s1", "You told me about Lisbon.", author="agent")
    assert ana.ingest("s1")["stored"] == 0


def test_text_that_no_database_can_hold_is_ingested_all_the_same(ana: Person) -> None:
    path = f"{session_path(ana.project, ana.user, 's1')}/events"
    ana.say("s1", "hello")
    text = '{"event": {"author": "user", "content": {"parts": [{"text": "nul \\u0000 half \\ud800 word"}]}}}'
    ana.ok(ana.api.post(path, text))
    ana.ok(ana.api.post(path, '{"event": {"author": "user", "content": {"parts": [{"text": "%s"}]}}}' % ("x" * 5000)))
    assert ana.ingest("s1")["stored"] == 3
    assert any(text.startswith("nul \ufffd half") for text in ana.found("half word"))
    assert ana.found("x" * 5000)[0] == "x" * 5000


def test_metadata_comes_back_as_it_was_given(ana: Person) -> None:
    body = '{"customMetadata": {"n": 1, "big": 123456789012345678901234567890, "f": 1.50, "x": {"y": [null, true]}}}'
    ana.say("s1", "hello there")
    operation = ana.ok(ana.api.post(f"{session_path(ana.project, ana.user, 's1')}/ingest", body))["operation"]["id"]
    drain()
    assert ana.operation(operation)["status"] == "done"
    text = ana.api.get(f"{ana.path}/memories").text
    assert '"n":1,"big":123456789012345678901234567890,"f":1.50,"x":{"y":[null,true]}' in text.replace(
        ", ", ","
    ).replace(": ", ":")


def test_what_has_expired_already_is_not_stored(ana: Person) -> None:
    result = ana.tell("s1", "I live in Porto.", timestamp=ago(40))
    assert result["refused"] == {"has expired already": 1}
    assert [item["kind"] for item in ana.memories()] == ["EXCERPT"]
    assert ana.tell("s2", "I live in Porto.", timestamp=ago(100))["stored"] == 0


def test_i9_a_deleted_session_leaves_its_memories_until_they_are_forgotten(ana: Person) -> None:
    """Users saw: the assistant still quotes a talk that was deleted, and nothing can remove it. Here memories stay, as
    ADK's do, still name their session, and one call removes them."""
    ana.tell("s1", "I live in Porto.")
    ana.delete_session("s1")
    assert ana.named("I live in Porto.", "FACT")["source"]["sessionId"] == "s1"
    ana.request_events(said("e9", "I live in Porto."), sessionId="s1")
    receipt = ana.forget(sessionId="s1")
    assert len(receipt["forgotten"]) == 2 and receipt["notReached"] == []
    drain()
    assert ana.memories(status="any") == [] and ana.found("Porto") == []
    assert all("Porto" not in str(row) for rows in dump().values() for row in rows)


def test_i9_a_session_may_be_deleted_with_its_memories(ana: Person, make_key: Callable[..., str]) -> None:
    ana.tell("s1", "I live in Porto.", "What a day")
    ana.tell("s2", "My dog is called Rex.")
    ana.request_events(said("e9", "I live in Porto."), sessionId="s1")
    path = session_path(ana.project, ana.user, "s1")
    for query in ("?forget=yes", "?forget=", "?forgets=true", "?forget=true&forget=true"):
        assert ana.api.delete(path + query).status == 400
    writer = Api(make_key(ana.project))
    assert writer.delete(f"{path}?forget=true").code == "scope_missing"
    assert "I live in Porto." in ana.texts() and ana.api.get(path).status == 200

    assert ana.api.delete(f"{path}?forget=true").text == "null"
    drain()
    assert ana.api.get(path).status == 404
    assert all("Porto" not in str(row) for rows in dump().values() for row in rows)
    assert "My dog is called Rex." in ana.texts() and "What a day" not in ana.texts()
    # Of one that was deleted before as well; and what is said in a new one of that id is remembered.
    ana.delete_session("s2")
    assert ana.api.delete(f"{session_path(ana.project, ana.user, 's2')}?forget=true").text == "null"
    assert ana.memories() == []
    ana.sessions.clear()
    ana.tell("s1", "I like chess")
    assert ana.texts() == ["I like chess"]


def test_a_job_of_a_session_that_is_gone_stores_nothing(ana: Person) -> None:
    ana.say("s1", "I live in Porto.")
    operation = ana.request("s1")
    ana.delete_session("s1")
    drain()
    assert ana.operation(operation)["status"] == "done" and entries() == []


def test_many_events_are_ingested_in_portions_without_a_gap(ana: Person) -> None:
    events = [said(f"e{n}", f"remark number {n} about nothing") for n in range(700)]
    ana.say("s1", "hello")
    result = ana.ingest("s1", events=events)
    assert result["stored"] == 700
    positions = Memory.objects.order_by("pk").values_list("position", flat=True)
    assert list(positions) == list(range(1, 701))
    assert text_of(ana.search("remark number 642", standing=False)["memories"][0]) == "remark number 642 about nothing"
