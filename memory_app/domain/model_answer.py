"""Reading a language model's answer: its form strictly, and its content against what was really said."""

import json
import re
from collections.abc import Mapping
from typing import Any

from .entries import Candidate
from .extract_excerpts import Extraction, SaidText, Skipped
from .model_prompt import MAX_QUOTE_LENGTH, MODEL_KINDS, Portion

NOT_ASKED, NOT_SAID = "not a turn that was asked about", "not said in this turn"
"""Why something that a model named is not remembered."""

MAX_MEMORIES = 200
_KEY = re.compile(r"[a-z0-9][a-z0-9_./-]{0,99}")
_MEMBERS = {"turn", "kind", "quote", "key", "value", "confidence"}


class BadAnswer(ValueError):
    """An answer that is not what was asked for."""


def read_answer(text: str, portion: Portion) -> Extraction:
    """The candidates in an answer. Raises BadAnswer when its form is not exactly the one that was asked for."""
    candidates: dict[tuple[str, int, int], Candidate] = {}
    skipped = []
    for item in _read_items(text):
        number = item["turn"]
        if number not in portion.asked:
            skipped.append(Skipped("", NOT_ASKED))
            continue
        turn = portion.turns[number]
        span = _find(item["quote"], turn.text)
        if span is None:
            skipped.append(Skipped(turn.event_id, NOT_SAID))
        else:
            candidates.setdefault((turn.event_id, *span), _candidate(item, turn, span))
    return Extraction(tuple(candidates.values()), tuple(skipped))


def _candidate(item: Mapping[str, Any], turn: SaidText, span: tuple[int, int]) -> Candidate:
    start, end = span
    key, value = _key_and_value(item, turn.text[start:end])
    return Candidate(
        kind=item["kind"],
        text=turn.text[start:end],
        confidence=float(item["confidence"]),
        key=key,
        value=value,
        event_id=turn.event_id,
        seq=turn.seq,
        author=turn.author,
        start=start,
        end=end,
    )


def _key_and_value(item: Mapping[str, Any], quote: str) -> tuple[str | None, str | None]:
    """Both or neither: a key under which something stands that was not said would push out what was."""
    key, value = item["key"], item["value"]
    if key is None or value is None or not _KEY.fullmatch(key):
        return None, None
    span = _find(value, quote)
    return (key, quote[span[0] : span[1]].casefold()) if span else (None, None)


def _find(quote: str, text: str) -> tuple[int, int] | None:
    """Where the words of a quote stand in a text, whatever space is between them."""
    words = quote.split()
    if not words or len(quote) > MAX_QUOTE_LENGTH:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None


def _read_items(text: str) -> list[dict[str, Any]]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise BadAnswer("no JSON") from None
    if not isinstance(answer, dict) or set(answer) != {"memories"} or not isinstance(answer["memories"], list):
        raise BadAnswer("no object with memories")
    items = answer["memories"]
    if len(items) > MAX_MEMORIES or not all(_is_memory(item) for item in items):
        raise BadAnswer("a memory of the wrong form")
    return items


def _is_memory(item: object) -> bool:
    return (
        isinstance(item, dict)
        and set(item) == _MEMBERS
        and type(item["turn"]) is int
        and item["kind"] in MODEL_KINDS
        and isinstance(item["quote"], str)
        and all(item[name] is None or isinstance(item[name], str) for name in ("key", "value"))
        and type(item["confidence"]) in (int, float)
        and 0 <= item["confidence"] <= 1
    )
