"""Fault injection: what the client does when the network or the server fails. See ``fault_server.py``."""

import asyncio
import json
import traceback

import pytest
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.genai import types

from tests.client.fault_server import CUT, FaultServer, Say, problem, session, stored
from threefold import (
    InvalidRequest,
    NotAuthorized,
    ProjectNotFound,
    ThreefoldError,
    ThreefoldSessionService,
    ThreefoldUnavailable,
)

KEY = {"app_name": "a", "user_id": "u", "session_id": "s"}


def event(**delta):
    content = types.Content(role="user", parts=[types.Part(text="hello")])
    return Event(author="user", content=content, actions=EventActions(state_delta=delta))


async def loaded(service):
    return await service.get_session(**KEY)


async def test_a10_a_failed_append_leaves_the_callers_objects_alone_and_its_repetition_adds_once():
    with FaultServer(session(), problem(503, "unavailable"), problem(503, "unavailable"), stored(1)) as server:
        service = ThreefoldSessionService(server.uri, max_attempts=2)
        mine, said = await loaded(service), event(a=1, **{"temp:s": 2})
        with pytest.raises(ThreefoldUnavailable):
            await service.append_event(mine, said)
        assert (mine.state, mine.events, mine.last_update_time, mine._storage_update_marker) == ({}, [], 1.0, "0")
        assert said.actions.state_delta == {"a": 1, "temp:s": 2}
        assert await service.append_event(mine, said) is said
        assert mine.events == [said] and mine.state == {"a": 1, "temp:s": 2}
        assert said.actions.state_delta == {"a": 1}
        assert (mine.last_update_time, mine._storage_update_marker) == (5.0, "1")


@pytest.mark.parametrize("fault", [CUT, problem(502, "x"), problem(503, "x"), problem(504, "x"), Say(503, b"<html>")])
async def test_b1_an_append_is_repeated_with_the_same_bytes(fault):
    with FaultServer(session(), fault, stored(1, repeated=True)) as server:
        service = ThreefoldSessionService(server.uri)
        mine = await loaded(service)
        await service.append_event(mine, event(a=1))
        _, first, second = server.heard
        assert first.body == second.body and first.target == second.target
        assert len(mine.events) == 1 and mine.state == {"a": 1} and mine._storage_update_marker == "1"


async def test_b1_an_append_whose_answer_is_too_slow_is_repeated():
    with FaultServer(session(), Say(200, {}, after_seconds=1.0), stored(1, repeated=True)) as server:
        service = ThreefoldSessionService(server.uri, timeout_seconds=0.3)
        mine = await loaded(service)
        await service.append_event(mine, event(a=1))
        assert len(server.heard) == 3 and len(mine.events) == 1


async def test_b1_appending_an_event_that_the_session_already_holds_changes_nothing():
    with FaultServer(session(), stored(1), stored(2), stored(1, repeated=True)) as server:
        service = ThreefoldSessionService(server.uri)
        mine, first, second = await loaded(service), event(a=1), event(b=2)
        await service.append_event(mine, first)
        await service.append_event(mine, second)
        await service.append_event(mine, first)
        assert mine.events == [first, second] and mine._storage_update_marker == "2"


async def test_a_creation_with_a_generated_id_that_meets_its_own_first_success_returns_the_session():
    with FaultServer(CUT, problem(409, "session_exists"), session(state={"k": 1})) as server:
        created = await ThreefoldSessionService(server.uri).create_session(app_name="a", user_id="u", state={"k": 1})
        first, second, third = server.heard
        assert first.body == second.body and third.method == "GET"
        assert third.target.endswith(json.loads(first.body)["sessionId"])
        assert created.state == {"k": 1} and created._storage_update_marker == "0"


async def test_a_first_conflict_on_a_generated_id_is_still_a_conflict():
    with FaultServer(problem(409, "session_exists")) as server:
        with pytest.raises(AlreadyExistsError):
            await ThreefoldSessionService(server.uri).create_session(app_name="a", user_id="u")
        assert len(server.heard) == 1


@pytest.mark.parametrize("fault", [CUT, problem(503, "unavailable")])
async def test_a_creation_with_the_callers_id_is_not_repeated(fault):
    with FaultServer(fault) as server:
        with pytest.raises(ThreefoldUnavailable):
            await ThreefoldSessionService(server.uri).create_session(**KEY)
        assert len(server.heard) == 1


async def test_a_state_write_is_not_repeated():
    with FaultServer(CUT) as server:
        with pytest.raises(ThreefoldUnavailable):
            await ThreefoldSessionService(server.uri).update_state(**KEY, state_delta={"a": 1})
        assert len(server.heard) == 1


async def test_reads_deletions_and_opening_are_repeated():
    with FaultServer(CUT, session(), CUT, Say(200, None), CUT, session()) as server:
        service = ThreefoldSessionService(server.uri)
        assert (await service.get_session(**KEY)).id == "s"
        await service.delete_session(**KEY)
        assert (await service.open_session(**KEY)).id == "s"
        assert [heard.method for heard in server.heard] == ["GET", "GET", "DELETE", "DELETE", "PUT", "PUT"]


async def test_the_number_of_attempts_is_bounded():
    with FaultServer(problem(503, "unavailable")) as server:
        with pytest.raises(ThreefoldUnavailable):
            await ThreefoldSessionService(server.uri).get_session(**KEY)
        assert len(server.heard) == 5


async def test_a_full_rate_limit_is_waited_out_even_for_a_state_write():
    with FaultServer(problem(429, "rate_limited", Retry_After="0"), session()) as server:
        assert (await ThreefoldSessionService(server.uri).update_state(**KEY, state_delta={"a": 1})).id == "s"
        assert len(server.heard) == 2


async def test_a_failed_server_is_not_asked_again():
    with FaultServer(problem(500, "internal_error", "SELECT secret")) as server:
        with pytest.raises(ThreefoldError) as caught:
            await ThreefoldSessionService(server.uri).get_session(**KEY)
        assert len(server.heard) == 1 and "SELECT" not in str(caught.value)


@pytest.mark.parametrize("answer", [Say(404, b"<html>nothing here</html>"), Say(404, {"detail": "Not Found"})])
async def test_a_404_of_something_else_is_not_a_missing_session(answer):
    with FaultServer(answer) as server, pytest.raises(ThreefoldError, match="not a Threefold server"):
        await ThreefoldSessionService(server.uri).get_session(**KEY)


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b'{"id": "s"}', b'{"revision": 1, "id": 5}', b"1" * 5000]
    + [b"[" * 100_000, json.dumps({**session().body, "events": [None]}).encode()],
    ids=lambda body: body[:12].decode(),
)
async def test_an_answer_that_is_no_session_is_an_error_and_never_an_empty_session(body):
    with FaultServer(Say(200, body)) as server, pytest.raises(ThreefoldError):
        await ThreefoldSessionService(server.uri).get_session(**KEY)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (problem(409, "stale_session"), StaleSessionError),
        (problem(409, "event_conflict"), AlreadyExistsError),
        (problem(404, "session_not_found"), SessionNotFoundError),
        (problem(404, "project_not_found"), SessionNotFoundError),
        (problem(400, "invalid_request"), InvalidRequest),
        (problem(413, "payload_too_large", "at most 1 MiB"), ValueError),
        (problem(401, "unauthenticated"), NotAuthorized),
        (problem(403, "scope_missing"), NotAuthorized),
        (problem(302, "x"), ThreefoldError),
    ],
)
async def test_each_refusal_of_an_append_has_its_exception_and_changes_nothing(answer, expected):
    with FaultServer(session(), answer) as server:
        service = ThreefoldSessionService(server.uri)
        mine, said = await loaded(service), event(a=1, **{"temp:t": 1})
        with pytest.raises(expected):
            await service.append_event(mine, said)
        assert mine.events == [] and mine.state == {} and said.actions.state_delta == {"a": 1, "temp:t": 1}
        assert len(server.heard) == 2


async def test_the_servers_own_text_reaches_the_caller_of_a_refused_request():
    with FaultServer(problem(404, "project_not_found", "Create it with: manage.py create_project")) as server:
        with pytest.raises(ProjectNotFound, match="manage.py create_project") as caught:
            await ThreefoldSessionService(server.uri).create_session(**KEY)
        assert isinstance(caught.value, ValueError) and caught.value.code == "project_not_found"


async def test_a_cancelled_append_leaves_the_session_in_step_with_the_server():
    slow = Say(200, stored(1).body, after_seconds=0.3)
    with FaultServer(session(), slow, stored(2)) as server:
        service = ThreefoldSessionService(server.uri)
        mine, first, second = await loaded(service), event(a=1), event(b=2)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(service.append_event(mine, first), timeout=0.1)
        await service.append_event(mine, second)
        assert mine.events == [first, second] and mine._storage_update_marker == "2"
        assert json.loads(server.heard[-1].body)["expectedRevision"] == 1


async def test_an_append_that_is_cancelled_while_it_waits_its_turn_is_never_sent():
    slow = Say(200, stored(1).body, after_seconds=0.3)
    with FaultServer(session(), slow, stored(2)) as server:
        service = ThreefoldSessionService(server.uri)
        mine = await loaded(service)
        running = asyncio.ensure_future(service.append_event(mine, event(a=1)))
        await asyncio.sleep(0.05)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(service.append_event(mine, event(b=2)), timeout=0.05)
        await running
        await asyncio.sleep(0.1)
        assert len(server.heard) == 2 and len(mine.events) == 1


async def test_d2_temp_values_are_in_no_request():
    with FaultServer(session(), session(), stored(1), session()) as server:
        service = ThreefoldSessionService(server.uri)
        await service.create_session(app_name="a", user_id="u", state={"temp:token": "abcsecret", "k": 1})
        mine = await loaded(service)
        await service.append_event(mine, event(**{"temp:token": "abcsecret", "temp:fn": print, "k": 2}))
        await service.update_state(**KEY, state_delta={"temp:token": "abcsecret", "k": 3})
        assert not any(b"abcsecret" in heard.body or b"temp:" in heard.body for heard in server.heard)
        assert mine.state == {"temp:token": "abcsecret", "temp:fn": print, "k": 2}


async def test_the_wire_is_ascii_and_keeps_lone_surrogates_in_texts_and_keys():
    with FaultServer(session(), stored(1)) as server:
        service = ThreefoldSessionService(server.uri)
        args = {"k\ud800": "v\udfff", "nul": "a\x00b", "snow": "☃", "big": 2**70, "none": None, "raw": b"\xfb\xff"}
        part = types.Part(function_call=types.FunctionCall(name="f", args=args))
        said = Event(author="m", content=types.Content(role="model", parts=[part]))
        said.actions.state_delta = {"s\ud800": "\ud800"}
        await service.append_event(await loaded(service), said)
        body = server.heard[-1].body
        assert body.isascii()
        sent = json.loads(body)["event"]
        expected = {**args, "raw": "-_8="}
        assert sent["content"]["parts"][0]["functionCall"]["args"] == expected
        assert sent["actions"]["stateDelta"] == {"s\ud800": "\ud800"}


async def test_ids_arrive_as_they_were_given():
    ids = ["a/b", "%2F", "%252f", "..x", ".", "..", "😀", "?#:+ &=;@!", "ü", "a//b", "\\", "x\ty"]
    expected = ["a%2Fb", "%252F", "%25252f", "..x", "%2E", "%2E%2E", "%F0%9F%98%80", "%3F%23%3A%2B%20%26%3D%3B%40%21"]
    expected += ["%C3%BC", "a%2F%2Fb", "%5C", "x%09y"]
    with FaultServer(session()) as server:
        service = ThreefoldSessionService(server.uri + "/pre%20fix/")
        for identity in ids:
            await service.get_session(app_name=identity, user_id=identity, session_id=identity)
        assert [heard.target for heard in server.heard] == [
            f"/pre%20fix/apps/{text}/users/{text}/sessions/{text}" for text in expected
        ]


async def test_a_lone_surrogate_in_an_id_is_refused_before_anything_is_sent():
    with FaultServer(session()) as server:
        with pytest.raises(ValueError, match="lone surrogate"):
            await ThreefoldSessionService(server.uri).get_session(app_name="a", user_id="u\ud800", session_id="s")
        assert server.heard == []


async def test_the_key_comes_from_the_argument_or_the_uri_or_the_environment(monkeypatch):
    with FaultServer(session()) as server:
        with_password = server.uri.replace("//", "//:from%2Furi@")
        services = [ThreefoldSessionService(server.uri), ThreefoldSessionService(with_password)]
        services.append(ThreefoldSessionService(with_password, api_key="argument\n"))  # as a key file ends
        for service in services:
            await service.get_session(**KEY)
        monkeypatch.setenv("THREEFOLD_API_KEY", "later")  # read lazily: after the service was made
        await services[0].get_session(**KEY)
        keys = [heard.headers.get("Authorization") for heard in server.heard]
        assert keys == [None, "Bearer from/uri", "Bearer argument", "Bearer later"]


async def test_a_proxy_from_the_environment_is_not_asked_for_a_server_on_this_machine(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer(session()) as server:
        assert (await ThreefoldSessionService(server.uri, max_attempts=1).get_session(**KEY)).id == "s"


SECRET = "tf_abc_VERYSECRET"


@pytest.mark.parametrize(
    "answer",
    [
        CUT,
        problem(503, "unavailable"),
        problem(500, "internal_error"),
        problem(401, "unauthenticated", ""),
        Say(200, b"x"),
    ],
)
async def test_no_exception_holds_the_address_the_key_an_id_or_content(answer, caplog):
    with FaultServer(answer) as server:
        port = server.uri.rsplit(":", 1)[1]
        uri = server.uri.replace("//", f"//:{SECRET}@")
        service = ThreefoldSessionService(uri, max_attempts=1)
        ids = {"app_name": "private-app", "user_id": "private-user", "session_id": "private-session"}
        with pytest.raises(ThreefoldError) as caught:
            await service.create_session(**ids, state={"k": "private-value"})
        error: BaseException | None = caught.value
        shown = "".join(traceback.format_exception(error)[-1:]) + repr(error) + str(vars(error)) + repr(service)
        while error is not None:  # what error reporters walk through
            error = error.__cause__ or error.__context__
            shown += repr(error)
        assert not [word for word in ("private", "VERYSECRET", "127.0.0.1", port) if word in shown]


async def test_a_server_that_is_not_there_is_named_as_such_without_its_address():
    with FaultServer(session()) as server:
        uri = server.uri
    service = ThreefoldSessionService(uri, max_attempts=2)
    with pytest.raises(ThreefoldUnavailable, match="did not answer") as caught:
        await service.get_session(**KEY)
    assert "127.0.0.1" not in repr(caught.value) and caught.value.__context__ is None


async def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it():
    with FaultServer(session()) as server:
        for key in ("tf_\n1", "tf_ü"):
            with pytest.raises(NotAuthorized) as caught:
                await ThreefoldSessionService(server.uri, api_key=key).get_session(**KEY)
            assert "tf_" not in str(caught.value)


async def test_pages_are_followed_to_the_end_and_a_cursor_that_stands_still_does_not_loop():
    def page(name, following):
        return Say(200, {"sessions": [session(id=name, lastUpdateTime=9.0 - ord(name)).body], "next": following})

    with FaultServer(page("x", "c/1"), page("y", "c2"), page("z", "c2")) as server:
        listed = await ThreefoldSessionService(server.uri).list_sessions(app_name="a", user_id="u")
        assert [found.id for found in listed.sessions] == ["z", "y", "x"]
        assert len(server.heard) == 3 and "cursor=c%2F1" in server.heard[1].target
        assert "user=u" in server.heard[0].target and "order=created" in server.heard[0].target
