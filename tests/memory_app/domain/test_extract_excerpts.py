"""What of an event is remembered word for word: I8."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.entries import EXCERPT
from memory_app.domain.extract_excerpts import (
    CALL,
    COMPACTION,
    EMPTY,
    ERROR,
    PARTIAL,
    RECALLED,
    RESPONSE,
    REWIND,
    SYSTEM,
    THOUGHT,
    Skipped,
    SourceEvent,
    extract_excerpts,
)

PRELOADED = (
    "The following content is from your previous conversations with the user.\n"
    "They may be useful for answering the user's current query.\n"
    "<PAST_CONVERSATIONS>\nTime: 2026-01-01T00:00:00\nuser: The spare key is under the blue pot.\n"
    "</PAST_CONVERSATIONS>\n"
)
LOADED = {
    "functionResponse": {
        "name": "load_memory",
        "response": {
            "result": {
                "memories": [
                    {"content": {"parts": [{"text": "I am allergic to peanuts. I live in Porto."}]}, "author": "user"}
                ]
            }
        },
    }
}


def event(number: int, author: str, *parts: Any, role: str | None = None, **more: Any) -> SourceEvent:
    content = {"role": role or ("user" if author == "user" else "model"), "parts": list(parts)}
    return SourceEvent(f"e{number}", number, {"author": author, "content": content, **more})


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"text": value, **more}


def test_i8_only_what_was_said_is_kept_and_everything_else_names_its_reason() -> None:
    events = [
        event(1, "system", text("You are a helpful assistant.")),
        event(2, "agent", text("You are a helpful assistant."), role="system"),
        event(3, "agent", text("The user seems to want…", thought=True), text("Hello!")),
        event(4, "agent", {"functionCall": {"name": "f", "args": {"q": "secret"}}}),
        event(5, "user", {"functionResponse": {"name": "f", "response": {"text": "x" * 50_000}}}),
        event(6, "user", text(PRELOADED)),
        event(7, "agent", text("Hel"), partial=True),
        event(8, "user", text(""), text("  ")),
        event(9, "agent", text("Something broke"), errorCode="500"),
        event(10, "agent", text("Summary"), actions={"compaction": {"compactedContent": {}}}),
        event(11, "user", text("back"), actions={"rewindBeforeInvocationId": "i1"}),
        event(12, "user", text("I take the train at nine.")),
        event(13, "user", LOADED),
        event(14, "agent", text("You are right: I am allergic to peanuts.")),
        event(15, "agent", text("I AM allergic to peanuts!")),
        event(16, "agent", text("The spare key is under the blue pot.")),
    ]
    found = extract_excerpts(events)
    assert [(item.event_id, item.text) for item in found.candidates] == [
        ("e3", "Hello!"),
        ("e12", "I take the train at nine."),
        ("e14", "You are right: I am allergic to peanuts."),
    ]
    assert {item.event_id: item.reason for item in found.skipped} == {
        "e1": SYSTEM,
        "e2": SYSTEM,
        "e3": THOUGHT,
        "e4": CALL,
        "e5": RESPONSE,
        "e6": RECALLED,
        "e7": PARTIAL,
        "e8": EMPTY,
        "e9": ERROR,
        "e10": COMPACTION,
        "e11": REWIND,
        "e13": RESPONSE,
        "e15": RECALLED,
        "e16": RECALLED,
    }


def test_i8_a_user_may_say_again_what_was_recalled() -> None:
    found = extract_excerpts([event(1, "user", LOADED), event(2, "user", text("I live in Porto."))])
    assert [item.text for item in found.candidates] == ["I live in Porto."]


def test_i8_the_words_around_a_recalled_block_are_kept() -> None:
    found = extract_excerpts([event(1, "user", text(f"{PRELOADED}\nAnd today?"))])
    assert [item.text for item in found.candidates] == ["And today?"]
    assert found.skipped == (Skipped("e1", RECALLED),)


def test_i8_a_recalled_block_that_is_left_open_goes_to_the_end() -> None:
    found = extract_excerpts([event(1, "user", text("Hi\n<PAST_CONVERSATIONS>\nuser: secret"))])
    assert [item.text for item in found.candidates] == ["Hi"]


def test_an_excerpt_carries_its_source() -> None:
    (found,) = extract_excerpts([event(7, "researcher", text(" One. "), text("Two."))]).candidates
    assert (found.kind, found.text, found.author, found.event_id, found.seq) == (
        EXCERPT,
        "One. \nTwo.",
        "researcher",
        "e7",
        7,
    )
    assert (found.start, found.end, found.key, found.confidence) == (0, len(found.text), None, 1.0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "author": json_values,
        "actions": json_values,
        "partial": json_values,
        "content": json_values
        | st.fixed_dictionaries(
            {
                "parts": json_values
                | st.lists(
                    json_values
                    | st.fixed_dictionaries(
                        {}, optional={"text": json_values, "thought": json_values, "functionResponse": json_values}
                    ),
                    max_size=3,
                )
            }
        ),
    },
)


@given(st.lists(bodies, max_size=4))
def test_any_json_may_be_an_event(found: list[dict[str, Any]]) -> None:
    events = [SourceEvent(f"e{number}", number, body) for number, body in enumerate(found)]
    result = extract_excerpts(events)
    told = {item.event_id for item in result.candidates} | {item.event_id for item in result.skipped}
    assert told == {item.event_id for item in events}
    assert all(item.text.strip() == item.text != "" for item in result.candidates)


@pytest.mark.parametrize(
    "name", ["functionCall", "functionResponse", "executableCode", "codeExecutionResult", "inlineData"]
)
def test_a_part_that_carries_something_else_is_not_text(name: str) -> None:
    assert not extract_excerpts([event(1, "agent", {name: {"x": 1}, "text": "hidden"})]).candidates
