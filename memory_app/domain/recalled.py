"""Text that came out of memory must not go in again: how it is recognized in an event."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .sentences import split_sentences

_LEAD_IN = (
    r"The following content is from your previous conversations with the user\.\s*"
    r"They may be useful for answering the user's current query\.\s*"
)
_BLOCK = re.compile(rf"(?:{_LEAD_IN})?<PAST_CONVERSATIONS>(?P<inside>.*?)(?:</PAST_CONVERSATIONS>|\Z)", re.DOTALL)
_TIME_LINE = re.compile(r"Time: \S+\Z")
_AUTHOR = re.compile(r"\A[^:\n]{1,64}: ")


def cut_recalled(text: str) -> str:
    """The text without the block of ADK's ``preload_memory``. A block left open goes to the end."""
    return _BLOCK.sub("", text)


def recalled_texts(body: Mapping[str, Any]) -> Iterator[str]:
    """The memories that an event brought back, whole and by sentence: a tool's answer, or the preloaded block."""
    content = body.get("content")
    for part in _list_of(content, "parts"):
        if not isinstance(part, Mapping):
            continue
        for text in (*_answered_texts(part.get("functionResponse")), *_preloaded_texts(part.get("text"))):
            yield text
            yield from (sentence.text for sentence in split_sentences(text))


def _answered_texts(response: object) -> Iterator[str]:
    """The texts in the answer of ``load_memory``, as ADK stores it: ``{"result": {"memories": [...]}}``."""
    answer = response.get("response") if isinstance(response, Mapping) else None
    result = answer.get("result", answer) if isinstance(answer, Mapping) else None
    for memory in _list_of(result, "memories"):
        for part in _list_of(memory.get("content") if isinstance(memory, Mapping) else None, "parts"):
            text = part.get("text") if isinstance(part, Mapping) else None
            if isinstance(text, str):
                yield text


def _preloaded_texts(text: object) -> Iterator[str]:
    for block in _BLOCK.finditer(text) if isinstance(text, str) else ():
        for line in block.group("inside").splitlines():
            if line.strip() and not _TIME_LINE.match(line):
                yield line
                yield _AUTHOR.sub("", line)


def _list_of(holder: object, name: str) -> list[Any]:
    found = holder.get(name) if isinstance(holder, Mapping) else None
    return found if isinstance(found, list) else []
