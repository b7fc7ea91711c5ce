"""ADK's ``preload_memory`` and ``load_memory`` in a real Runner, with our services against a real server."""

import json
import re

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.tools import ToolContext
from google.genai import types

from tests.acceptance.agents.recaller.agent import prompts, recalled, root_agent
from threefold import IngestPlugin

CASES = [
    pytest.param(
        "以后请用摄氏度报告天气",
        "杭州天气怎么样，温度单位跟上次一样",
        "还记得我偏好的温度单位吗",
        "改用华氏度",
        id="zh",
    ),
    pytest.param(
        "Please always report the weather in Celsius",
        "How is the weather in Hangzhou? Same unit as last time.",
        "Do you remember which unit I prefer?",
        "From now on use Fahrenheit",
        id="en",
    ),
]


class Talk:
    """Conversations with the agent of ``agents/recaller``. Each turn is in memory when it returns."""

    def __init__(self, live, app):
        self.app, self.sessions, self.memories = app.replace("-", "_"), live.client(), live.memory()
        application = App(name=self.app, root_agent=root_agent, plugins=[IngestPlugin(strict=True)])
        self.runner = Runner(
            app=application,
            session_service=self.sessions,
            memory_service=self.memories,
            auto_create_session=True,
        )

    async def say(self, session_id, text, user="ana"):
        """The agent's answer."""
        message = types.Content(role="user", parts=[types.Part(text=text)])
        stream = self.runner.run_async(user_id=user, session_id=session_id, new_message=message)
        return [event async for event in stream][-1].content.parts[-1].text

    async def recall(self, session_id, text, user="ana"):
        """What memory put into the prompt of this turn, in lines without the times."""
        await self.say(session_id, text, user)
        return [line for line in recalled(prompts[-1]).splitlines() if not line.startswith("Time: ")]

    async def search(self, query, user="ana"):
        return (await self.memories.search_memory(app_name=self.app, user_id=user, query=query)).memories

    async def close(self):
        await self.runner.close()
        await self.sessions.close()
        await self.memories.close()


@pytest.fixture
async def talk(live, app):
    made = Talk(live, app)
    yield made
    await made.close()


@pytest.mark.parametrize(("statement", "by_words", "by_none", "correction"), CASES)
async def test_the_seeds_example(talk, statement, by_words, by_none, correction):
    assert await talk.say("s1", statement) == "warm"
    for question in (by_words, by_none):
        [first, *_] = await talk.search(question)
        assert first.custom_metadata["kind"] == "PREFERENCE" and first.custom_metadata["session_id"] == "s1"
    [first, *_] = await talk.recall("s2", by_words)
    assert first == f"user: {statement}"
    assert re.search(r"Time: \d{4}-\d\d-\d\dT[\d:.]+\+00:00\n", recalled(prompts[-1]) + "\n")
    # It shares no word with the preference, which comes all the same: as a standing one.
    assert f"user: {statement}" in await talk.recall("s3", by_none)

    await talk.say("s4", correction)
    for session_id, question in (("s5", by_words), ("s6", by_none)):
        memory = await talk.recall(session_id, question)
        assert f"user: {correction}" in memory and f"user: {statement}" not in memory


async def test_the_answer_of_a_new_session_depends_on_what_the_old_one_was_told(talk):
    question = "How warm is it in Hangzhou?"
    assert await talk.say("s1", question) == "warm"
    await talk.say("s1", "Please always report the weather in Celsius")
    assert await talk.say("s2", question) == "22 °C"
    await talk.say("s2", "From now on use Fahrenheit")
    assert await talk.say("s3", question) == "72 °F"


async def test_e4_memory_of_one_user_never_reaches_the_prompt_of_another(talk):
    await talk.say("s1", "Please always report the weather in Celsius.")
    await talk.say("s1", "My cat is called Mochi.")
    for question in ("What is the cat called?", "Which unit do I prefer?", "Please report the weather"):
        await talk.say("s1", question, user="ben")
        assert "Celsius" not in prompts[-1] and "Mochi" not in prompts[-1]
    assert await talk.say("s9", "look up cat", user="carl") == "found 0" and recalled(prompts[-1]) == ""
    assert "user: My cat is called Mochi." in await talk.recall("s2", "What is the cat called?")


async def test_a_forgotten_memory_is_gone_from_the_next_prompt_at_once_and_stays_gone(talk):
    statement, question = "Please always report the weather in Celsius", "How is the weather in Hangzhou?"
    await talk.say("s1", statement)
    assert f"user: {statement}" in await talk.recall("s2", question)
    [found] = [memory for memory in await talk.search(question) if memory.custom_metadata["kind"] == "PREFERENCE"]
    await talk.memories.delete_memory(app_name=talk.app, user_id="ana", memory_id=found.id)
    assert await talk.say("s2", question) == "warm" and statement not in prompts[-1]
    # The first conversation goes on, and is ingested again with every turn.
    await talk.say("s1", "Thank you.")
    assert await talk.say("s3", question) == "warm" and statement not in prompts[-1]


async def test_load_memory_is_a_tool_that_the_model_calls_and_its_answer_is_kept_in_the_session(talk):
    await talk.say("s1", "My cat is called Mochi.")
    assert (await talk.say("s2", "look up cat")).startswith("found ")
    stored = await talk.sessions.get_session(app_name=talk.app, user_id="ana", session_id="s2")
    [response] = [part for event in stored.events for part in event.content.parts if part.function_response]
    memory = response.function_response.response["result"]["memories"][0]
    assert memory["content"]["parts"][0]["text"] == "My cat is called Mochi."
    assert memory["id"] and memory["custom_metadata"]["session_id"] == "s1"


async def test_i8_what_was_recalled_is_not_ingested_again(talk, live):
    await talk.say("s1", "My cat is called Mochi.")
    for session_id in ("s2", "s3"):
        await talk.say(session_id, "look up cat")
    body = json.loads(live.request("GET", f"/apps/{talk.app}/users/ana/memories")[2])
    texts = [memory["content"]["parts"][0]["text"] for memory in body["memories"]]
    assert texts.count("My cat is called Mochi.") == 1


async def test_nothing_of_a_turn_is_ingested_before_its_final_event(talk):
    message = types.Content(role="user", parts=[types.Part(text="look up the wolf")])
    known = []
    async for event in talk.runner.run_async(user_id="ana", session_id="s1", new_message=message):
        known.append((event.is_final_response(), len(await talk.search("wolf"))))
    assert known == [(False, 0), (False, 0), (True, 0)]
    assert len(await talk.search("wolf")) > 0


async def test_a_tool_reaches_every_memory_method_through_its_context(live, app):
    name, heard = app.replace("-", "_"), {}

    async def keep(tool_context: ToolContext) -> dict:
        """Keeps something and forgets it again."""
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="Ana has two brothers.")]))
        await tool_context.add_memory(memories=[entry])
        await tool_context.add_events_to_memory(events=tool_context.session.events)
        await tool_context.add_session_to_memory()
        heard["found"] = (await tool_context.search_memory("brothers")).memories
        heard["said"] = (await tool_context.search_memory("keep")).memories
        await tool_context.delete_memory(heard["found"][0].id)
        heard["after"] = (await tool_context.search_memory("brothers")).memories
        with pytest.raises(ValueError):
            await tool_context.delete_memory()
        return {}

    agent = LlmAgent(name="keeper", model=OneCall(), tools=[keep])
    async with live.client() as sessions, live.memory() as memories:
        runner = Runner(
            app_name=name, agent=agent, session_service=sessions, memory_service=memories, auto_create_session=True
        )
        message = types.Content(role="user", parts=[types.Part(text="keep it")])
        events = [event async for event in runner.run_async(user_id="ana", session_id="s", new_message=message)]
        await runner.close()
    assert events[-1].content.parts[0].text == "done"
    assert heard["found"][0].content.parts[0].text == "Ana has two brothers." and heard["after"] == []
    assert [memory.content.parts[0].text for memory in heard["said"]] == ["keep it"]


def test_the_synchronous_runner_which_makes_a_loop_for_each_run_remembers_as_well(live, app):
    name = app.replace("-", "_")
    runner = Runner(
        app=App(name=name, root_agent=root_agent, plugins=[IngestPlugin(strict=True)]),
        session_service=live.client(),
        memory_service=live.memory(),
        auto_create_session=True,
    )

    def say(session_id, text):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        return list(runner.run(user_id="ana", session_id=session_id, new_message=message))[-1].content.parts[0].text

    assert say("s1", "Please always report the weather in Celsius") == "warm"
    assert say("s2", "How is the weather in Hangzhou?") == say("s3", "How is the weather in Porto?") == "22 °C"


class OneCall(BaseLlm):
    """Calls the tool ``keep`` once."""

    model: str = "scripted"

    async def generate_content_async(self, llm_request, stream=False):
        if llm_request.contents[-1].parts[-1].function_response is None:
            part = types.Part(function_call=types.FunctionCall(name="keep", args={}))
        else:
            part = types.Part(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def test_a_server_without_memory_for_this_key_fails_no_run(live, app, caplog):
    live.manage("create_project", app.replace("-", "_"))
    key = live.make_key("--all-projects", "--scope", "sessions:read", "--scope", "sessions:write")
    name = app.replace("-", "_")
    application = App(name=name, root_agent=root_agent, plugins=[IngestPlugin()])
    async with live.client(api_key=key) as sessions, live.memory(api_key=key) as memories:
        runner = Runner(app=application, session_service=sessions, memory_service=memories, auto_create_session=True)
        message = types.Content(role="user", parts=[types.Part(text="How warm is it?")])
        events = [event async for event in runner.run_async(user_id="ana", session_id="s", new_message=message)]
        await runner.close()
    assert events[-1].content.parts[0].text == "warm"
    assert "not added to memory (NotAuthorized)" in caplog.text and key not in caplog.text
