"""A real Runner keeps its conversation in Threefold while the server is killed with -9 under it."""

import asyncio
import threading

import pytest
from google.adk.runners import Runner
from google.genai import types

from tests.acceptance.agents.shopper import agent as shopper
from threefold import ThreefoldUnavailable

KEY = {"user_id": "ana", "session_id": "main"}


@pytest.fixture
def in_the_tool():
    """Functions to run while the tool call is open, which is the middle of a turn."""
    yield shopper.before_the_tool_answers
    shopper.before_the_tool_answers.clear()


def runner(app, service):
    return Runner(app_name=app, agent=shopper.root_agent, session_service=service)


async def say(run, text):
    message = types.Content(role="user", parts=[types.Part(text=text)])
    events = [event async for event in run.run_async(**KEY, new_message=message)]
    return events[-1].content.parts[-1].text


async def test_a_conversation_goes_on_after_the_server_was_killed_in_the_middle_of_a_turn(own_server, app, in_the_tool):
    first_service = own_server.client(max_attempts=2)
    await first_service.create_session(app_name=app, **KEY, state={"shop": "corner"})
    first = runner(app, first_service)
    assert await say(first, "put 2 apples") == "done: {'apples': 2}"
    assert await say(first, "put 1 pear") == "done: {'apples': 2, 'pear': 1}"
    before = await first_service.get_session(app_name=app, **KEY)
    assert len(before.events) == 8

    in_the_tool.append(own_server.kill)
    with pytest.raises(ThreefoldUnavailable):
        await say(first, "put 3 plums")
    in_the_tool.clear()

    own_server.start()
    service = own_server.client()
    after = await service.get_session(app_name=app, **KEY)
    # What the server had said yes to is there, unchanged: two whole turns, then the question and the tool call.
    assert after.events[:8] == before.events
    assert [event.author for event in after.events[8:]] == ["user", "shopper"]
    assert after.events[9].get_function_calls()[0].args == {"thing": "plums", "count": 3}
    assert after.state == before.state
    assert before.state == {
        "shop": "corner",
        "basket": {"apples": 2, "pear": 1},
        "user:last_thing": "pear",
        "app:calls": 2,
        "last_answer": "done: {'apples': 2, 'pear': 1}",
    }

    second = runner(app, service)
    assert await say(second, "put 3 plums") == "done: {'apples': 2, 'pear': 1, 'plums': 3}"
    assert await say(second, "what") == "you said: put 2 apples | put 1 pear | put 3 plums | put 3 plums"
    stored = await service.get_session(app_name=app, **KEY)
    assert stored.events[:10] == after.events and len(stored.events) == 16
    assert stored.state["basket"] == {"apples": 2, "pear": 1, "plums": 3} and stored.state["app:calls"] == 3
    assert not [event for event in stored.events if "temp:secret" in event.actions.state_delta]
    await first.close()
    await second.close()


async def test_a_turn_survives_a_server_that_is_killed_and_back_within_the_retries(own_server, app, in_the_tool):
    service = own_server.client()
    await service.create_session(app_name=app, **KEY)
    run = runner(app, service)
    restarted = threading.Thread(target=own_server.start)

    def restart():
        own_server.kill()
        restarted.start()

    in_the_tool.append(restart)
    assert await say(run, "put 2 apples") == "done: {'apples': 2}"
    restarted.join()
    stored = await service.get_session(app_name=app, **KEY)
    assert len(stored.events) == 4 and stored.state["app:calls"] == 1
    await run.close()


def test_the_synchronous_runner_uses_a_loop_per_call_and_keeps_the_conversation(live, app):
    service = live.client()
    asyncio.run(service.create_session(app_name=app, **KEY))
    run = runner(app, service)
    for text in ("put 1 apple", "put 2 pears"):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        events = list(run.run(**KEY, new_message=message))
    assert events[-1].content.parts[0].text == "done: {'apple': 1, 'pears': 2}"
    assert len(asyncio.run(service.get_session(app_name=app, **KEY)).events) == 8
