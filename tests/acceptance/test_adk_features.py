"""ADK's own features that lean on the session service: compaction, rewinding, a REST call in the middle of a run."""

import pytest
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.errors import StaleSessionError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.runners import Runner
from google.genai import types

from tests.acceptance.agents.shopper import agent as shopper

KEY = {"user_id": "ana", "session_id": "main"}


async def say(run, text):
    message = types.Content(role="user", parts=[types.Part(text=text)])
    return [event async for event in run.run_async(**KEY, new_message=message)]


class ScriptedSummarizer(BaseEventsSummarizer):
    async def maybe_summarize_events(self, *, events):
        words = f"summary of {len(events)} events"
        compaction = EventCompaction(
            start_timestamp=events[0].timestamp,
            end_timestamp=events[-1].timestamp,
            compacted_content=types.Content(role="model", parts=[types.Part(text=words)]),
        )
        return Event(author="user", invocation_id=Event.new_id(), actions=EventActions(compaction=compaction))


async def test_adks_compaction_is_stored_and_honoured_by_a_new_runner(live, app):
    name = app.replace("-", "_")
    config = EventsCompactionConfig(summarizer=ScriptedSummarizer(), compaction_interval=2, overlap_size=0)

    def runner(service):
        whole = App(name=name, root_agent=shopper.root_agent, events_compaction_config=config)
        return Runner(app=whole, session_service=service)

    service = live.client()
    await service.create_session(app_name=name, **KEY)
    run = runner(service)
    for text in ("put 1 apple", "put 2 pears"):
        await say(run, text)
    await run.close()
    stored = await service.get_session(app_name=name, **KEY)
    [summary] = [event for event in stored.events if event.actions.compaction]
    covered = summary.actions.compaction
    assert covered.start_timestamp == stored.events[0].timestamp
    assert [event.timestamp for event in stored.events if event is not summary][-1] == covered.end_timestamp

    # The window that ADK replaced by the summary is not in the next prompt: the script sees only what it was told now.
    events = await say(runner(live.client()), "what")
    assert events[-1].content.parts[0].text == "you said: "
    assert len((await service.get_session(app_name=name, **KEY)).events) == len(stored.events) + 2


async def test_d5_rewinding_restores_what_events_set_and_keeps_shared_state(live, app):
    service = live.client()
    await service.create_session(app_name=app, **KEY)
    run = Runner(app_name=app, agent=shopper.root_agent, session_service=service)
    await say(run, "put 1 apple")
    events = await say(run, "put 2 pears")
    await run.rewind_async(**KEY, rewind_before_invocation_id=events[0].invocation_id)
    stored = await service.get_session(app_name=app, **KEY)
    assert stored.state["basket"] == {"apple": 1} and stored.state["app:calls"] == 2
    assert len(stored.events) == 9 and stored.events[-1].actions.rewind_before_invocation_id == events[0].invocation_id
    assert (await say(run, "what"))[-1].content.parts[0].text == "you said: put 1 apple"


@pytest.fixture
def in_the_tool():
    yield shopper.before_the_tool_answers
    shopper.before_the_tool_answers.clear()


async def test_a3_a_state_write_from_outside_in_the_middle_of_a_turn_lets_the_turn_live(live, app, in_the_tool):
    service = live.client()
    await service.create_session(app_name=app, **KEY)
    run = Runner(app_name=app, agent=shopper.root_agent, session_service=service)
    target = f"/apps/{app}/users/ana/sessions/main"
    in_the_tool.append(lambda: live.request("PATCH", target, {"stateDelta": {"note": "from outside"}}))
    events = await say(run, "put 1 apple")
    assert events[-1].content.parts[0].text == "done: {'apple': 1}"
    stored = await service.get_session(app_name=app, **KEY)
    assert stored.state["note"] == "from outside" and stored.state["basket"] == {"apple": 1}


async def test_a2_a_second_conversation_in_the_middle_of_a_turn_ends_the_turn_and_mixes_nothing(live, app, in_the_tool):
    service = live.client()
    await service.create_session(app_name=app, **KEY)
    run = Runner(app_name=app, agent=shopper.root_agent, session_service=service)
    target = f"/apps/{app}/users/ana/sessions/main/events"
    in_the_tool.append(lambda: live.request("POST", target, {"event": {"id": "other", "author": "user"}}))
    with pytest.raises(StaleSessionError):
        await say(run, "put 1 apple")
    stored = await service.get_session(app_name=app, **KEY)
    assert [event.author for event in stored.events] == ["user", "shopper", "user"]
    assert stored.events[-1].id == "other" and "basket" not in stored.state
