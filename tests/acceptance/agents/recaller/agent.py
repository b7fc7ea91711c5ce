"""An agent with ADK's own two memory tools and a scripted model, which repeats nothing of what it remembers.

"look up X" calls ``load_memory`` with X; everything else is answered by whether the prompt holds a preference for
Celsius or for Fahrenheit. ``prompts`` keeps what the model was sent, for tests in the same process.
"""

from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import load_memory
from google.adk.tools.preload_memory_tool import preload_memory_tool
from google.genai import types

prompts: list[str] = []


class ScriptedLlm(BaseLlm):
    """Decides by what it is sent alone."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        prompt = "\n".join(part.text for part in parts if part.text)
        prompts.append(prompt)
        last = [part for part in parts if "<PAST_CONVERSATIONS>" not in (part.text or "")][-1]
        if last.function_response is not None:
            found = last.function_response.response["result"].memories
            yield _say(types.Part(text=f"found {len(found)}"))
        elif last.text.startswith("look up "):
            call = types.FunctionCall(name="load_memory", args={"query": last.text.removeprefix("look up ")})
            yield _say(types.Part(function_call=call))
        else:
            yield _say(types.Part(text=_temperature(recalled(prompt))))


def recalled(prompt: str) -> str:
    """What ``preload_memory`` put into a prompt, or ``""``."""
    return prompt.partition("<PAST_CONVERSATIONS>")[2].partition("</PAST_CONVERSATIONS>")[0].strip()


def _temperature(memory: str) -> str:
    if "Celsius" in memory or "摄氏度" in memory:
        return "22 °C"
    return "72 °F" if "Fahrenheit" in memory or "华氏度" in memory else "warm"


def _say(part: types.Part) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent = LlmAgent(name="recaller", model=ScriptedLlm(), tools=[preload_memory_tool, load_memory])
