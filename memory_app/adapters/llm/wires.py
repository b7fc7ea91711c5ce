"""Two ways to ask a model over HTTP for an answer of a given form: how a question is sent, where its answer stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memory_app.config import ModelAccess

GENAI_URL = "https://generativelanguage.googleapis.com"


@dataclass(frozen=True, slots=True)
class Question:
    """``schema`` is the JSON schema that the answer must have."""

    instructions: str
    text: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """``text`` None: the model gave no whole answer."""

    text: str | None
    tokens_in: int = 0
    tokens_out: int = 0


class Wire(Protocol):
    def address(self, access: ModelAccess) -> str: ...

    def headers(self, access: ModelAccess) -> dict[str, str]: ...

    def body(self, access: ModelAccess, question: Question) -> dict[str, Any]: ...

    def read(self, answer: Any) -> Reply:
        """Raises LookupError or TypeError when the answer is none of this protocol's."""


class OpenAiWire:
    """Chat completions, which many servers speak. The URL is the one before ``/chat/completions``."""

    def address(self, access: ModelAccess) -> str:
        return f"{access.url.rstrip('/')}/chat/completions"

    def headers(self, access: ModelAccess) -> dict[str, str]:
        return {"Authorization": f"Bearer {access.api_key}"} if access.api_key else {}

    def body(self, access: ModelAccess, question: Question) -> dict[str, Any]:
        form = {"name": "memories", "strict": True, "schema": question.schema}
        return {
            "model": access.model,
            "messages": [
                {"role": "system", "content": question.instructions},
                {"role": "user", "content": question.text},
            ],
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": form},
        }

    def read(self, answer: Any) -> Reply:
        [choice] = answer["choices"]
        is_whole = choice.get("finish_reason") in (None, "stop") and not choice["message"].get("refusal")
        usage = answer.get("usage") or {}
        text = choice["message"]["content"] if is_whole else None
        return Reply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


class GenaiWire:
    """google-genai's REST ``generateContent``."""

    def address(self, access: ModelAccess) -> str:
        model = access.model.removeprefix("models/")
        return f"{(access.url or GENAI_URL).rstrip('/')}/v1beta/models/{model}:generateContent"

    def headers(self, access: ModelAccess) -> dict[str, str]:
        return {"x-goog-api-key": access.api_key} if access.api_key else {}

    def body(self, access: ModelAccess, question: Question) -> dict[str, Any]:
        return {
            "systemInstruction": {"parts": [{"text": question.instructions}]},
            "contents": [{"role": "user", "parts": [{"text": question.text}]}],
            "generationConfig": {
                "temperature": 0,
                "responseMimeType": "application/json",
                "responseJsonSchema": question.schema,
            },
        }

    def read(self, answer: Any) -> Reply:
        usage = answer.get("usageMetadata") or {}
        tokens_out = _count(usage, "candidatesTokenCount") + _count(usage, "thoughtsTokenCount")
        return Reply(self._text(answer), _count(usage, "promptTokenCount"), tokens_out)

    @staticmethod
    def _text(answer: Any) -> str | None:
        if not answer.get("candidates"):
            if answer.get("promptFeedback"):
                return None
            raise KeyError("candidates")
        candidate = answer["candidates"][0]
        if candidate.get("finishReason") not in (None, "STOP"):
            return None
        return "".join(part.get("text", "") for part in candidate["content"]["parts"] if not part.get("thought"))


def _count(usage: Mapping[str, Any], name: str) -> int:
    number = usage.get(name)
    return number if type(number) is int and number > 0 else 0


WIRES: Mapping[str, Wire] = {"openai": OpenAiWire(), "genai": GenaiWire()}
