"""A small agent whose model follows a script: the same conversation always makes the same calls, and nothing is paid.

"put N THING" calls the tool and reports; "what" reports what the conversation so far put into the basket.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import ToolContext
from google.genai import types

before_the_tool_answers: list[Callable[[], None]] = []


class ScriptedLlm(BaseLlm):
    """Decides by the conversation alone, so that a new process decides the same."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is not None:
            yield _say(f"done: {last.function_response.response['basket']}")
        elif last.text.startswith("put "):
            _, count, thing = last.text.split()
            yield _call("put_in_basket", {"thing": thing, "count": int(count)})
        else:
            asked = [part.text for content in llm_request.contents for part in content.parts if part.text]
            yield _say(f"you said: {' | '.join(text for text in asked if text.startswith('put '))}")


def put_in_basket(thing: str, count: int, tool_context: ToolContext) -> dict[str, Any]:
    """Puts things into the basket."""
    basket = {**tool_context.state.get("basket", {}), thing: count}
    tool_context.state["basket"] = basket
    tool_context.state["user:last_thing"] = thing
    tool_context.state["app:calls"] = tool_context.state.get("app:calls", 0) + 1
    tool_context.state["temp:secret"] = "not-for-storage"
    for hook in before_the_tool_answers:
        hook()
    return {"basket": basket}


def _say(text: str) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def _call(name: str, args: dict[str, Any]) -> LlmResponse:
    call = types.Part(function_call=types.FunctionCall(name=name, args=args))
    return LlmResponse(content=types.Content(role="model", parts=[call]))


root_agent = LlmAgent(name="shopper", model=ScriptedLlm(), tools=[put_in_basket], output_key="last_answer")
