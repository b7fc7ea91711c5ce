"""What ADK's own conformance suite asserts of a session service, through our class against a real server."""

import asyncio
import copy

import pytest
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.genai import types

from tests.client.events import delta_event, ids, text_event


async def test_get_equals_what_create_returned(sessions, app):
    created = await sessions.create_session(app_name=app, user_id="u", session_id="s", state={"k": [1, None]})
    assert (created.app_name, created.user_id, created.id) == (app, "u", "s")
    assert created.state == {"k": [1, None]} and created.events == [] and created.last_update_time > 0
    assert await sessions.get_session(app_name=app, user_id="u", session_id="s") == created


async def test_get_equals_the_callers_session_after_each_append(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u", state={"a": 1})
    for number in range(3):
        event = delta_event({"n": number, "app:n": number, "user:n": number}, timestamp=1000.5 + number)
        assert await sessions.append_event(mine, event) is event
        assert await sessions.get_session(app_name=app, user_id="u", session_id=mine.id) == mine
    assert mine.last_update_time == 1002.5


async def test_list_equals_get_without_events(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u", state={"k": 1, "user:l": 2, "app:m": 3})
    await sessions.append_event(mine, text_event())
    listed = (await sessions.list_sessions(app_name=app, user_id="u")).sessions
    expected = copy.deepcopy(mine)
    expected.events = []
    assert listed == [expected]


async def test_list_of_all_users_and_of_one_and_of_a_blank_one(sessions, app):
    for user in ("u1", "u2", "0"):
        await sessions.create_session(app_name=app, user_id=user, session_id="s")

    async def users(user_id):
        return [found.user_id for found in (await sessions.list_sessions(app_name=app, user_id=user_id)).sessions]

    assert sorted(await users(None)) == ["0", "u1", "u2"]
    assert await users("u1") == ["u1"] and await users("0") == ["0"]
    assert await users("") == [] and await users("  ") == [] and await users("u") == []


async def test_list_is_ordered_by_last_update_then_user_then_id(sessions, app):
    for user, session_id, moment in [("b", "x", 5.0), ("a", "y", 7.0), ("a", "z", 5.0), ("a", "x", 5.0)]:
        mine = await sessions.create_session(app_name=app, user_id=user, session_id=session_id)
        await sessions.append_event(mine, text_event(timestamp=moment))
    found = (await sessions.list_sessions(app_name=app)).sessions
    assert [(each.user_id, each.id) for each in found] == [("a", "x"), ("a", "z"), ("b", "x"), ("a", "y")]


async def test_app_and_user_state_are_shared_and_session_state_is_not(sessions, app):
    first = await sessions.create_session(app_name=app, user_id="u", state={"app:a": 1, "user:b": 2, "c": 3})
    await sessions.append_event(first, delta_event({"app:d": 4, "user:e": 5}))
    second = await sessions.create_session(app_name=app, user_id="u")
    other_user = await sessions.create_session(app_name=app, user_id="v")
    other_app = await sessions.create_session(app_name=f"{app}-2", user_id="u")
    assert second.state == {"app:a": 1, "app:d": 4, "user:b": 2, "user:e": 5}
    assert other_user.state == {"app:a": 1, "app:d": 4} and other_app.state == {}
    assert await sessions.get_app_state(app_name=app) == {"a": 1, "d": 4}


async def test_temp_state_lives_in_the_session_object_and_nowhere_else(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u", state={"temp:a": 1})
    assert mine.state == {}
    first, second = delta_event({"temp:b": 2, "k": 1}), delta_event({"temp:c": 3})
    await sessions.append_event(mine, first)
    await sessions.append_event(mine, second)
    assert mine.state == {"temp:b": 2, "temp:c": 3, "k": 1}
    assert first.actions.state_delta == {"k": 1} and second.actions.state_delta == {}
    stored = await sessions.get_session(app_name=app, user_id="u", session_id=mine.id)
    assert stored.state == {"k": 1} and [event.actions.state_delta for event in stored.events] == [{"k": 1}, {}]


async def test_a_user_cannot_reach_anothers_session(sessions, app):
    await sessions.create_session(app_name=app, user_id="ana", session_id="main", state={"k": 1})
    assert await sessions.get_session(app_name=app, user_id="bo", session_id="main") is None
    await sessions.delete_session(app_name=app, user_id="bo", session_id="main")
    assert await sessions.get_session(app_name=app, user_id="ana", session_id="main") is not None


async def test_a_used_session_id_is_refused_and_the_first_session_untouched(sessions, app):
    first = await sessions.create_session(app_name=app, user_id="u", session_id="s", state={"k": 1})
    with pytest.raises(AlreadyExistsError):
        await sessions.create_session(app_name=app, user_id="u", session_id="s", state={"k": 2, "app:leak": 1})
    assert await sessions.get_session(app_name=app, user_id="u", session_id="s") == first


def complete_event() -> Event:
    parts = [
        types.Part(text="héllo ☃", thought=True, thought_signature=b"\xfb\xff\x00"),
        types.Part(inline_data=types.Blob(mime_type="image/png", data=b"\xfb\xff\xfe" * 100)),
        types.Part(function_call=types.FunctionCall(id="1", name="f", args={"a": None, "b": [], "z": 1, "y": {}})),
        types.Part(function_response=types.FunctionResponse(id="1", name="f", response={"r": [1.5, True, ""]})),
    ]
    summary = types.Content(role="model", parts=[types.Part(text="sum")])
    actions = EventActions(
        skip_summarization=True,
        state_delta={"k": {"x": None}, "big": 2**70, "small": -0.0, "huge": 1e308},
        artifact_delta={"f.txt": 3},
        transfer_to_agent="other",
        escalate=False,
        agent_state={"step": 1},
        rewind_before_invocation_id="i-0",
        route=["left", 2, True],
        compaction=EventCompaction(start_timestamp=1.1, end_timestamp=2.2, compacted_content=summary),
    )
    return Event(
        id="e-1",
        invocation_id="i-1",
        author="agent",
        branch="a.b",
        timestamp=1760000000.1234567,
        content=types.Content(role="model", parts=parts),
        actions=actions,
        long_running_tool_ids={"b", "a"},
        custom_metadata={"m": None, "e": {}, "z": 1, "a": 2},
        usage_metadata=types.GenerateContentResponseUsageMetadata(prompt_token_count=7),
        grounding_metadata=types.GroundingMetadata(web_search_queries=["q"]),
        finish_reason=types.FinishReason.STOP,
        error_code="E",
        error_message="m",
        turn_complete=True,
        interrupted=False,
        output={"any": [1]},
        isolation_scope="scope",
        node_info={"path": "wf/A@1", "output_for": ["x"]},
        avg_logprobs=-0.25,
    )


async def test_a_complete_event_comes_back_equal(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u")
    event = complete_event()
    await sessions.append_event(mine, event)
    stored = await sessions.get_session(app_name=app, user_id="u", session_id=mine.id)
    assert stored.events == [complete_event()] and stored == mine
    assert repr(stored.state["small"]) == "-0.0"
    assert list(stored.events[0].content.parts[2].function_call.args) == ["a", "b", "z", "y"]


async def test_last_update_time_follows_the_event_into_the_future_and_the_past(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u")
    for moment in (mine.last_update_time + 10, 1.0, 2.0, 1760000000.1234567):
        await sessions.append_event(mine, text_event(timestamp=moment))
        stored = await sessions.get_session(app_name=app, user_id="u", session_id=mine.id)
        assert stored.last_update_time == mine.last_update_time == moment


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"num_recent_events": 0}, ""),
        ({"num_recent_events": 3}, "345"),
        ({"num_recent_events": 99}, "12345"),
        ({"after_timestamp": 4.0}, "45"),
        ({"after_timestamp": 4.0000001}, "5"),
        ({"after_timestamp": 0.0}, "12345"),
        ({"after_timestamp": 1e12}, ""),
        ({"after_timestamp": 2.0, "num_recent_events": 3}, "345"),
        ({}, "12345"),
    ],
)
async def test_c6_get_brings_the_events_that_were_asked_for_and_always_all_state(sessions, app, config, expected):
    mine = await sessions.create_session(app_name=app, user_id="u")
    for number in range(1, 6):
        await sessions.append_event(mine, delta_event({f"k{number}": 1}, id=str(number), timestamp=float(number)))
    found = await sessions.get_session(app_name=app, user_id="u", session_id=mine.id, config=GetSessionConfig(**config))
    assert "".join(ids(found)) == expected and len(found.state) == 5
    assert found._storage_update_marker == mine._storage_update_marker


async def test_a_partial_event_is_returned_untouched_and_not_stored(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u")
    before = copy.deepcopy(mine)
    event = delta_event({"k": 1, "temp:t": 1}, partial=True)
    assert await sessions.append_event(mine, event) is event
    assert event.actions.state_delta == {"k": 1, "temp:t": 1} and mine == before
    assert await sessions.get_session(app_name=app, user_id="u", session_id=mine.id) == before


async def test_user_state_is_readable_without_a_session(sessions, app):
    async def state(user, name=app):
        return await sessions.get_user_state(app_name=name, user_id=user)

    assert await state("u") == {}
    mine = await sessions.create_session(app_name=app, user_id="u", state={"user:lang": "fr", "k": 1})
    assert await state("u") == {"lang": "fr"} and await state("v") == {} and await state("u", f"{app}-2") == {}
    await sessions.append_event(mine, delta_event({"user:lang": "de", "user:x": None}))
    assert await state("u") == {"lang": "de", "x": None}


async def test_padded_ids_mean_the_same_session(sessions, app):
    created = await sessions.create_session(app_name=f" {app}", user_id="u ", session_id="  s1 ")
    assert (created.app_name, created.user_id, created.id) == (app, "u", "s1")
    assert await sessions.get_session(app_name=app, user_id=" u", session_id=" s1\t") == created
    await sessions.delete_session(app_name=app, user_id="u", session_id=" s1 ")
    assert await sessions.get_session(app_name=app, user_id="u", session_id="s1") is None


async def test_a_blank_session_id_is_generated_and_never_found(sessions, app):
    made = {
        (await sessions.create_session(app_name=app, user_id="u", session_id=blank)).id for blank in (None, "", " ")
    }
    assert len(made) == 3 and all(identity.strip() for identity in made)
    assert await sessions.get_session(app_name=app, user_id="u", session_id=" ") is None
    await sessions.delete_session(app_name=app, user_id="u", session_id="")
    assert len((await sessions.list_sessions(app_name=app, user_id="u")).sessions) == 3


async def test_missing_things_are_none_or_nothing(sessions, app):
    assert await sessions.get_session(app_name="no-app", user_id="u", session_id="s") is None
    await sessions.create_session(app_name=app, user_id="u")
    assert await sessions.get_session(app_name=app, user_id="nobody", session_id="s") is None
    assert (await sessions.list_sessions(app_name="no-such-app")).sessions == []
    await sessions.delete_session(app_name=app, user_id="u", session_id="never")


async def test_a_superseded_session_is_refused_and_reloading_helps(sessions, app):
    await sessions.create_session(app_name=app, user_id="u", session_id="s")
    first, second = [await sessions.get_session(app_name=app, user_id="u", session_id="s") for _ in range(2)]
    await sessions.append_event(first, text_event(id="one"))
    with pytest.raises(StaleSessionError, match="modified in storage"):
        await sessions.append_event(second, delta_event({"k": 1}, id="two"))
    reloaded = await sessions.get_session(app_name=app, user_id="u", session_id="s")
    assert ids(reloaded) == ["one"] and reloaded.state == {} and second.events == []
    await sessions.append_event(reloaded, text_event(id="three"))


async def test_of_many_stale_copies_exactly_one_wins(sessions, app):
    await sessions.create_session(app_name=app, user_id="u", session_id="s")
    copies = [await sessions.get_session(app_name=app, user_id="u", session_id="s") for _ in range(20)]
    outcomes = await asyncio.gather(
        *(sessions.append_event(each, text_event()) for each in copies), return_exceptions=True
    )
    assert sum(isinstance(outcome, Event) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, StaleSessionError) for outcome in outcomes) == 19
    assert len((await sessions.get_session(app_name=app, user_id="u", session_id="s")).events) == 1


async def test_a_drifted_last_update_time_does_not_make_a_current_session_stale(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u")
    for drift in (-100.0, 100.0, 1e-7):
        mine.last_update_time += drift
        await sessions.append_event(mine, text_event())


async def test_a_session_object_without_a_marker_is_judged_by_its_newest_event(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u", session_id="s")
    await sessions.append_event(mine, text_event(id="one"))

    def bare(events, moment):
        return Session(id="s", app_name=app, user_id="u", events=events, last_update_time=moment)

    with pytest.raises(StaleSessionError):
        await sessions.append_event(bare([], 0.0), text_event())
    current = bare(list(mine.events), 0.0)
    await sessions.append_event(current, text_event(id="two"))
    assert ids(await sessions.get_session(app_name=app, user_id="u", session_id="s")) == ["one", "two"]
    with pytest.raises(SessionNotFoundError):
        await sessions.append_event(Session(id="none", app_name=app, user_id="u"), text_event())


async def test_appending_to_a_missing_session_raises_and_creates_nothing(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u", session_id="s")
    await sessions.delete_session(app_name=app, user_id="u", session_id="s")
    with pytest.raises(SessionNotFoundError):
        await sessions.append_event(mine, delta_event({"app:leak": 1, "temp:t": 1}))
    assert mine.state == {} and mine.events == []
    assert await sessions.get_session(app_name=app, user_id="u", session_id="s") is None
    assert await sessions.get_app_state(app_name=app) == {}
