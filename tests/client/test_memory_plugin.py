"""``IngestPlugin`` in a real Runner: what it asks of the memory service, when, and what a failure does."""

import logging

import pytest
from google.adk.agents import LlmAgent, SequentialAgent
from google.adk.apps import App
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from threefold import IngestPlugin

KEY = {"user_id": "ana", "session_id": "s"}


class Recorder(BaseMemoryService):
    """Notes what it is asked for in one line of time with everything else; ``fails`` makes it fail."""

    def __init__(self, timeline, fails=None):
        self.timeline, self.fails = timeline, fails

    async def add_session_to_memory(self, session):
        self.timeline.append(("ingest", session.events[-1].content.parts[0].text))
        if self.fails:
            raise self.fails

    async def search_memory(self, **_):
        return SearchMemoryResponse()


class Model(BaseLlm):
    """Calls ``tool`` once if there is one, then answers."""

    model: str = "scripted"
    tool: str = ""
    breaks: bool = False

    async def generate_content_async(self, llm_request, stream=False):
        if self.breaks:
            raise RuntimeError("the model broke")
        last = llm_request.contents[-1].parts[-1]
        if self.tool and last.function_response is None:
            part = types.Part(function_call=types.FunctionCall(name=self.tool, args={"request": "look"}))
        else:
            part = types.Part(text="the answer")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def run(memory, plugin, *, agent=None, tools=(), tool="", breaks=False, until=None, timeline=None):
    """One turn; returns its events. ``until`` stops listening after so many events."""
    agent = agent or LlmAgent(name="agent", model=Model(tool=tool, breaks=breaks), tools=list(tools))
    app = App(name="app", root_agent=agent, plugins=[plugin])
    runner = Runner(app=app, session_service=InMemorySessionService(), memory_service=memory, auto_create_session=True)
    events = []
    message = types.Content(role="user", parts=[types.Part(text="look it up")])
    stream = runner.run_async(**KEY, new_message=message)
    async for event in stream:
        events.append(event)
        if timeline is not None:
            timeline.append(("event", event.author))
        if len(events) == until:
            break
    await stream.aclose()
    await runner.close()
    return events


async def test_it_ingests_once_after_the_final_event_and_never_in_the_middle_of_a_turn():
    timeline = []

    def look_up(request: str) -> dict:
        """Looks something up."""
        timeline.append(("tool", request))
        return {"found": 1}

    events = await run(Recorder(timeline), IngestPlugin(), tools=[look_up], tool="look_up", timeline=timeline)
    assert [step for step, _ in timeline] == ["event", "tool", "event", "event", "ingest"]
    assert events[-1].is_final_response() and timeline[-1] == ("ingest", "the answer")


async def test_the_end_of_an_agent_that_is_used_as_a_tool_is_not_the_end_of_the_turn():
    timeline = []
    helper = AgentTool(LlmAgent(name="helper", model=Model(), description="helps"))
    await run(Recorder(timeline), IngestPlugin(), tools=[helper], tool="helper", timeline=timeline)
    assert [step for step, _ in timeline] == ["event", "event", "event", "ingest"]


async def test_several_agents_in_one_turn_are_ingested_once_at_its_end():
    timeline = []
    first, second = (LlmAgent(name=name, model=Model()) for name in ("first", "second"))
    steps = SequentialAgent(name="steps", sub_agents=[first, second])
    await run(Recorder(timeline), IngestPlugin(), agent=steps, timeline=timeline)
    assert timeline == [("event", "first"), ("event", "second"), ("ingest", "the answer")]


async def test_a_failure_is_logged_by_its_kind_and_the_run_is_whole(caplog):
    caplog.set_level(logging.WARNING)
    events = await run(Recorder([], fails=RuntimeError("private words")), IngestPlugin())
    assert events[-1].content.parts[0].text == "the answer"
    assert "not added to memory (RuntimeError)" in caplog.text and "private words" not in caplog.text


async def test_a_failure_raises_when_strict():
    with pytest.raises(RuntimeError, match="after_run") as caught:
        await run(Recorder([], fails=ConnectionError("no")), IngestPlugin(strict=True))
    assert isinstance(caught.value.__cause__, ConnectionError)


async def test_a_listener_that_stops_early_still_has_its_turn_ingested():
    timeline = []

    def look_up(request: str) -> dict:
        """Looks something up."""
        return {}

    await run(Recorder(timeline), IngestPlugin(), tools=[look_up], tool="look_up", until=1)
    assert len(timeline) == 1


async def test_a_run_that_failed_is_not_ingested():
    timeline = []
    with pytest.raises(RuntimeError, match="the model broke"):
        await run(Recorder(timeline), IngestPlugin(), breaks=True)
    assert timeline == []


async def test_without_a_memory_service_it_does_nothing():
    events = await run(None, IngestPlugin(strict=True))
    assert events[-1].content.parts[0].text == "the answer"


async def test_it_works_with_any_memory_service():
    memory = InMemoryMemoryService()
    await run(memory, IngestPlugin(strict=True))
    found = await memory.search_memory(app_name="app", user_id="ana", query="answer")
    assert [each.content.parts[0].text for each in found.memories] == ["the answer"]
