"""Known failures F and the sharp edges S7-S10, S12, S18: what may be in an event and in state. Real server."""

import datetime
import decimal
import enum
import json
import logging
import math
import uuid

import pydantic
import pytest
from google.adk.events.event import Event
from google.genai import types

from tests.client.events import call_event, delta_event, text_event
from threefold import InvalidRequest

ODD_TEXTS = ["a\x00b", "\\u0000", "\\\\u0000", "lone \ud800 surrogate", "\udfff", "pair \U0001f600", "‮", "", "\r\n"]


async def load(sessions, app):
    return await sessions.get_session(app_name=app, user_id="u", session_id="s")


async def create(sessions, app, **state):
    return await sessions.create_session(app_name=app, user_id="u", session_id="s", state=state)


@pytest.mark.parametrize("odd", ODD_TEXTS)
async def test_f1_s9_nul_and_surrogates_survive_everywhere(sessions, app, odd):
    mine = await create(
        sessions, app, value=odd, nested=[[odd]], **{f"key{odd}": 1, f"app:{odd}": odd, f"user:{odd}": 2}
    )
    await sessions.append_event(mine, text_event(f"say {odd}"))
    await sessions.append_event(mine, call_event({f"k{odd}": [odd, {odd: odd}]}))
    await sessions.append_event(mine, delta_event({"value": odd + "2", f"new{odd}": {odd: odd}}))
    assert await load(sessions, app) == mine
    assert mine.state[f"app:{odd}"] == odd and mine.state[f"key{odd}"] == 1


async def test_s10_numbers_and_key_order_come_back_exactly(sessions, app):
    numbers = {
        "z": 2**70,
        "y": 0.1 + 0.2,
        "a": 1e308,
        "bb": -0.0,
        "c": 1.0,
        "d": 1,
        "e": 5e-324,
        "f": -(2**63),
        "g": True,
    }
    mine = await create(sessions, app, n=numbers)
    await sessions.append_event(mine, call_event(numbers))
    stored = await load(sessions, app)
    for found in (stored.state["n"], stored.events[0].content.parts[0].function_call.args):
        assert json.dumps(found) == json.dumps(numbers)
        assert [type(value) for value in found.values()] == [type(value) for value in numbers.values()]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
async def test_f3_s7_a_number_that_is_not_json_is_refused_by_name_before_anything_is_sent(sessions, app, bad):
    mine = await create(sessions, app)
    with pytest.raises(ValueError, match=r"state\.deep\.x"):
        await sessions.create_session(app_name=app, user_id="u", state={"deep": {"x": bad}})
    with pytest.raises(ValueError, match=r"state_delta\.user:x\[1\]"):
        await sessions.append_event(mine, delta_event({"user:x": [1, bad]}))
    with pytest.raises(ValueError, match=r"function_call\.args\.ratio"):
        await sessions.append_event(mine, call_event({"ratio": bad}))
    with pytest.raises(ValueError, match="custom_metadata"):
        await sessions.append_event(mine, text_event(custom_metadata={"m": bad}))
    with pytest.raises(ValueError, match="timestamp"):
        await sessions.append_event(mine, text_event(timestamp=bad))
    assert await load(sessions, app) == mine and mine.events == []
    assert len((await sessions.list_sessions(app_name=app)).sessions) == 1


async def test_f3_an_infinite_log_probability_of_the_model_does_not_end_the_turn(sessions, app):
    mine = await create(sessions, app)
    await sessions.append_event(mine, text_event(avg_logprobs=-math.inf))
    assert (await load(sessions, app)).events[0].avg_logprobs is None


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Note(pydantic.BaseModel):
    text: str
    when: datetime.date | None = None


async def test_f4_dates_enums_sets_and_models_become_json(sessions, app):
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    rich = {"when": moment, "colour": Colour.RED, "level": Level.LOW, "set": {1}, "tuple": (1, (2,)), "int": {1: "x"}}
    rich |= {"note": Note(text="n"), "price": decimal.Decimal("1.50"), "id": uuid.UUID(int=7)}
    plain = {
        "when": "2026-01-02T03:04:05Z",
        "colour": "red",
        "level": 1,
        "set": [1],
        "tuple": [1, [2]],
        "int": {"1": "x"},
    }
    plain |= {"note": {"text": "n", "when": None}, "price": "1.50", "id": str(uuid.UUID(int=7))}
    created = await create(sessions, app, rich=rich)
    assert created.state == {"rich": plain}
    await sessions.append_event(created, delta_event({"again": rich}))
    assert (await load(sessions, app)).state == {"rich": plain, "again": plain}


class Opaque:
    pass


CYCLE: dict = {"a": []}
CYCLE["a"].append(CYCLE)


@pytest.mark.parametrize("bad", [print, lambda: 0, Opaque(), CYCLE, object], ids=repr)
async def test_f4_functions_objects_and_cycles_are_refused_by_name_and_the_session_stays_usable(sessions, app, bad):
    mine = await create(sessions, app)
    with pytest.raises(ValueError, match=r"state\.tool"):
        await sessions.create_session(app_name=app, user_id="u", state={"tool": bad})
    with pytest.raises(ValueError, match=r"state_delta\.tool"):
        await sessions.append_event(mine, delta_event({"tool": bad}))
    with pytest.raises(ValueError, match=r"args\.tool"):
        await sessions.append_event(mine, call_event({"tool": [bad]}))
    with pytest.raises(ValueError, match=r"state_delta\.tool"):
        await sessions.update_state(app_name=app, user_id="u", session_id="s", state_delta={"tool": bad})
    await sessions.append_event(mine, delta_event({"ok": 1, "temp:tool": bad}))
    assert (await load(sessions, app)).state == {"ok": 1} and mine.state["temp:tool"] is bad


async def test_s8_bytes_in_state_are_refused_by_name(sessions, app):
    mine = await create(sessions, app)
    for bad in (b"\xff", bytearray(b"x"), b"ascii"):
        with pytest.raises(ValueError, match=r"state_delta\.file\.raw: bytes"):
            await sessions.append_event(mine, delta_event({"file": {"raw": bad}}))
    assert mine.events == []


async def test_f4_bytes_in_content_round_trip(sessions, app):
    mine = await create(sessions, app)
    every = bytes(range(256))
    parts = [
        types.Part(inline_data=types.Blob(mime_type="x/y", data=every)),
        types.Part(text="t", thought_signature=b"\xfb\xff\xfe"),
    ]
    await sessions.append_event(mine, Event(author="agent", content=types.Content(role="model", parts=parts)))
    stored = await load(sessions, app)
    assert stored == mine and stored.events[0].content.parts[0].inline_data.data == every


async def test_deep_nesting_is_refused_and_not_a_crash(sessions, app):
    mine = await create(sessions, app)
    deep: list = []
    for _ in range(20_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        await sessions.append_event(mine, delta_event({"deep": deep}))
    with pytest.raises(ValueError, match="nested too deeply"):
        await sessions.append_event(mine, call_event({"deep": deep}))
    assert await load(sessions, app) == mine


def picture(size: int) -> Event:
    blob = types.Blob(mime_type="image/png", data=b"\x89" * size)
    return Event(author="user", content=types.Content(role="user", parts=[types.Part(inline_data=blob)]))


async def test_f6_a_large_attachment_survives_and_a_too_large_one_is_named_with_the_limit(sessions, app):
    mine = await create(sessions, app)
    await sessions.append_event(mine, picture(5_000_000))
    with pytest.raises(InvalidRequest, match=r"\d") as caught:
        await sessions.append_event(mine, picture(15_000_000))
    assert caught.value.status == 413 and isinstance(caught.value, ValueError)
    assert await load(sessions, app) == mine and len(mine.events) == 1


async def test_f6_a_body_over_the_limit_is_refused_with_the_limit(sessions, app):
    mine = await create(sessions, app)
    with pytest.raises(InvalidRequest, match=r"\d"):
        await sessions.append_event(mine, picture(40_000_000))


async def test_f7_s18_what_a_newer_adk_wrote_is_read_with_the_rest_and_one_warning(live, sessions, app, caplog):
    mine = await create(sessions, app)
    newer = {
        "id": "newer",
        "author": "agent",
        "timestamp": 5.0,
        "xNew": {"a": [1]},
        "content": {"role": "model", "parts": [{"text": "known", "xPart": 1}, {"text": "two"}]},
        "actions": {"stateDelta": {"xState": 1}, "xAction": True},
        "usageMetadata": {"promptTokenCount": 7, "xUsage": 1},
        "nodeInfo": {"path": "p", "xNode": 1},
    }
    target = f"/apps/{app}/users/u/sessions/s/events"
    for number in range(2):
        status, _, body = live.request("POST", target, {"event": {**newer, "id": f"newer-{number}"}})
        assert status == 200, body
    with caplog.at_level(logging.WARNING, logger="threefold"):
        stored = await load(sessions, app)
    first = stored.events[0]
    assert [part.text for part in first.content.parts] == [
        "known",
        "two",
    ] and first.usage_metadata.prompt_token_count == 7
    assert first.node_info.path == "p" and stored.state == {"xState": 1} and first.timestamp == 5.0
    warned = [record.getMessage() for record in caplog.records if record.name.startswith("threefold")]
    assert len(warned) == len(set(warned)) and any("actions.xAction" in text for text in warned)
    # The server keeps what this client left out.
    assert b'"xPart"' in live.request("GET", target)[2]
    await sessions.append_event(stored, text_event())
    assert mine.id == stored.id and len(stored.events) == 3
