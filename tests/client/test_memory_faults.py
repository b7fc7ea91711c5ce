"""Fault injection: what the memory service does when the network or the server fails. See ``fault_server.py``."""

import asyncio
import json
import traceback

import pytest
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from tests.client.events import text_event
from tests.client.fault_server import CUT, FaultServer, Say, problem
from threefold import NotAuthorized, ThreefoldError, ThreefoldMemoryService, ThreefoldUnavailable

SCOPE = {"app_name": "a", "user_id": "u"}
ID = "7b0f4b5e-0000-7000-8000-000000000000"
HIT = {"id": ID, "content": {"role": "user", "parts": [{"text": "hello"}]}, "kind": "FACT", "score": 1.5}
FOUND = Say(200, {"memories": [HIT]})
ADDED = Say(200, {"memories": [], "outcome": {"stored": 1, "refused": {}}})
GONE = Say(200, {"forgotten": [ID]})


def operation(status, http_status=200):
    return Say(http_status, {"operation": {"id": ID, "status": status}})


def entry(text="private words", **fields):
    return MemoryEntry(content=types.Content(role="user", parts=[types.Part(text=text)]), **fields)


def stranger():
    return Session(id="s", events=[text_event("private words")], **SCOPE)


CALLS = {
    "add_session": (lambda memories: memories.add_session_to_memory(stranger()), operation("waiting", 202)),
    "add_events": (
        lambda memories: memories.add_events_to_memory(**SCOPE, events=[text_event("private words")]),
        operation("waiting", 202),
    ),
    "add_memory": (lambda memories: memories.add_memory(**SCOPE, memories=[entry()]), ADDED),
    "search": (lambda memories: memories.search_memory(**SCOPE, query="private words"), FOUND),
    "delete": (lambda memories: memories.delete_memory(**SCOPE, memory_id=ID), GONE),
}


@pytest.fixture(params=CALLS, ids=str)
def call(request):
    """One of the five methods, and the answer it waits for."""
    return CALLS[request.param]


@pytest.mark.parametrize("fault", [CUT, problem(502, "x"), problem(503, "x"), problem(504, "x"), problem(429, "x")])
async def test_b1_every_call_is_repeated_with_the_same_bytes(call, fault):
    do, success = call
    with FaultServer(fault, success) as server:
        await do(ThreefoldMemoryService(server.uri))
        first, second = server.heard
        assert (first.method, first.target, first.body) == (second.method, second.target, second.body)
        assert first.body.isascii()


async def test_a_memory_to_add_has_an_id_and_a_time_so_that_its_repetition_is_no_news():
    with FaultServer(CUT, ADDED) as server:
        await ThreefoldMemoryService(server.uri).add_memory(**SCOPE, memories=[entry(), entry(id="mine")])
        [unnamed, named] = json.loads(server.heard[1].body)["memories"]
        assert unnamed["id"] and unnamed["timestamp"].endswith("+00:00") and named["id"] == "mine"


async def test_a_deletion_whose_answer_was_lost_is_done():
    with FaultServer(CUT, problem(404, "memory_not_found")) as server:
        await ThreefoldMemoryService(server.uri).delete_memory(**SCOPE, memory_id=ID)
        assert len(server.heard) == 2 and server.heard[1].method == "DELETE"


async def test_ids_and_the_route_arrive_as_they_were_given():
    with FaultServer(FOUND) as server:
        memories = ThreefoldMemoryService(f"{server.uri}/prefix")
        await memories.search_memory(app_name="a:b", user_id="u/v", query="q")
        assert server.heard[0].target == "/prefix/apps/a%3Ab/users/u%2Fv/memories:search"
        assert json.loads(server.heard[0].body) == {"query": "q", "forPrompt": True}


async def test_nothing_that_was_found_is_kept_in_the_client():
    with FaultServer(FOUND, Say(200, {"memories": []})) as server:
        memories = ThreefoldMemoryService(server.uri)
        assert len((await memories.search_memory(**SCOPE, query="q")).memories) == 1
        assert (await memories.search_memory(**SCOPE, query="q")).memories == []
        assert "private" not in str(vars(memories)) and len(server.heard) == 2


async def test_a_hit_of_a_newer_server_keeps_its_words():
    hit = {**HIT, "hologram": 1, "content": {"role": "user", "mood": 1, "parts": [{"text": "hello", "aura": 1}, {}]}}
    with FaultServer(Say(200, {"memories": [hit], "more": 1})) as server:
        [found] = (await ThreefoldMemoryService(server.uri).search_memory(**SCOPE, query="q")).memories
        assert found.content.parts[0].text == "hello" and found.content.role == "user" and found.id == ID


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b"null", b"{}", b'{"memories": 5}', b'{"memories": [5]}', b'{"memories": [{"id": 5}]}']
    + [json.dumps({"memories": [{**HIT, "content": {"parts": 5}}]}).encode(), b'{"operation": {}}'],
    ids=lambda body: body[:20].decode(),
)
async def test_an_answer_of_something_else_is_an_error_and_never_an_empty_memory(body):
    with FaultServer(Say(200, body)) as server:
        memories = ThreefoldMemoryService(server.uri)
        for do in (CALLS["add_session"][0], CALLS["add_events"][0], CALLS["search"][0]):
            with pytest.raises(ThreefoldError):
                await do(memories)


@pytest.mark.parametrize("answer", [Say(404, b"<html>nothing here</html>"), problem(404, "route_not_found")])
async def test_a_404_of_something_else_is_an_error(call, answer):
    with FaultServer(answer) as server, pytest.raises(ThreefoldError):
        await call[0](ThreefoldMemoryService(server.uri))


async def test_a_session_of_threefolds_own_is_not_sent_from_a_copy():
    mine = stranger()
    mine._storage_update_marker = "3"
    with FaultServer(problem(404, "session_not_found")) as server:
        with pytest.raises(SessionNotFoundError):
            await ThreefoldMemoryService(server.uri).add_session_to_memory(mine)
        assert len(server.heard) == 1


async def test_without_waiting_an_ingestion_returns_when_it_is_promised():
    with FaultServer(operation("waiting", 202)) as server:
        await ThreefoldMemoryService(server.uri).add_events_to_memory(**SCOPE, events=[text_event()])
        assert server.heard[0].target == "/apps/a/users/u/memory/events"


async def test_i16_with_wait_an_ingestion_may_take_longer_than_other_calls_and_says_when_it_is_not_done():
    slow = Say(200, operation("done").body, after_seconds=1.0)
    with FaultServer(slow, operation("running", 202), operation("dead")) as server:
        memories = ThreefoldMemoryService(server.uri, wait=True, timeout_seconds=0.3, max_attempts=1)
        await memories.add_events_to_memory(**SCOPE, events=[text_event()])
        assert server.heard[0].target.endswith("?wait=true")
        with pytest.raises(ThreefoldUnavailable, match="not finished"):
            await memories.add_session_to_memory(stranger())
        with pytest.raises(ThreefoldError, match="could not ingest"):
            await memories.add_session_to_memory(stranger())


async def test_a_search_does_not_wait_longer_for_it():
    with FaultServer(Say(200, FOUND.body, after_seconds=1.0)) as server:
        memories = ThreefoldMemoryService(server.uri, wait=True, timeout_seconds=0.2, max_attempts=1)
        with pytest.raises(ThreefoldUnavailable):
            await memories.search_memory(**SCOPE, query="q")


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_named_as_such(call, status):
    with FaultServer(problem(status, "x")) as server, pytest.raises(NotAuthorized):
        await call[0](ThreefoldMemoryService(server.uri))


@pytest.mark.parametrize("fault", [CUT, problem(503, "x"), problem(500, "x"), Say(200, b"<html>"), problem(401, "x")])
async def test_no_error_shows_address_key_or_content(call, fault):
    with FaultServer(fault) as server:
        port = server.uri.rpartition(":")[2]
        memories = ThreefoldMemoryService(server.uri, api_key="tf_VERYSECRET", max_attempts=1)
        with pytest.raises(ThreefoldError) as caught:
            await call[0](memories)
        error: BaseException | None = caught.value
        shown = "".join(traceback.format_exception(error)[-1:]) + repr(error) + str(vars(error)) + repr(memories)
        while error is not None:
            error = error.__cause__ or error.__context__
            shown += repr(error)
        assert not [word for word in ("private", "VERYSECRET", "127.0.0.1", port) if word in shown]


def test_one_service_serves_many_loops_one_after_another():
    with FaultServer(FOUND) as server:
        memories = ThreefoldMemoryService(server.uri, agents_dir="/x", unknown=1)
        for _ in range(3):
            assert len(asyncio.run(memories.search_memory(**SCOPE, query="q")).memories) == 1
        assert len(memories._transport.loops._known) <= 1


async def test_the_service_opens_again_when_it_is_used_after_close():
    with FaultServer(FOUND) as server:
        async with ThreefoldMemoryService(server.uri) as memories:
            await memories.search_memory(**SCOPE, query="q")
        await memories.search_memory(**SCOPE, query="q")
        await memories.close()


@pytest.mark.parametrize("uri", ["", "nonsense", "threefold://", "threefold://tf_key@host", "threefold://host?a=1"])
def test_an_unusable_address_is_refused_without_showing_it(uri):
    with pytest.raises(ValueError) as caught:
        ThreefoldMemoryService(uri)
    assert "tf_key" not in str(caught.value)
