"""Five real, months-long conversations (LoCoMo) written through the client and read back after a killed server.

The file is for evaluation only and is not part of the repository.
"""

import asyncio
import gzip
import json
from datetime import UTC, datetime

import pytest
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.genai import types

from devtools.paths import ROOT

DATA = ROOT.parent / "shared" / "data" / "locomo_dev.jsonl.gz"
pytestmark = pytest.mark.skipif(not DATA.is_file(), reason="the LoCoMo file is not beside this repository")


def conversations():
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_event(turn, speakers):
    """The first speaker is the user. Every turn counts itself in the session, notes itself for the user and the app."""
    author = "user" if turn["author"] == speakers[0] else turn["author"].replace(" ", "_")
    parts = [types.Part(text=turn["text"])]
    if "caption" in turn:
        parts.append(types.Part(text=turn["caption"], thought=True))
    place, number = turn["id"].split(":")
    delta = {"turn": int(number), f"user:{place}": turn["id"], f"app:{turn['author']}": turn["ts"], "temp:x": 1}
    return Event(
        id=turn["id"],
        author=author,
        invocation_id=f"i-{number}",
        timestamp=datetime.fromisoformat(turn["ts"]).replace(tzinfo=UTC).timestamp(),
        content=types.Content(role="user" if author == "user" else "model", parts=parts),
        actions=EventActions(state_delta=delta),
        custom_metadata={"source": turn["id"], "caption": turn.get("caption")},
    )


async def write(service, app, conversation):
    """All sessions of one user, one after another as they happened. Returns them by id."""
    user, written = conversation["scope"], {}
    for turn in conversation["memories"]:
        session_id = f"session-{turn['session']}"
        if session_id not in written:
            written[session_id] = await service.create_session(app_name=app, user_id=user, session_id=session_id)
        await service.append_event(written[session_id], as_event(turn, conversation["speakers"]))
    return written


async def test_thousands_of_turns_are_equal_after_a_restart(own_server, app):
    told = conversations()
    async with own_server.client() as service:
        written = await asyncio.gather(*(write(service, app, conversation) for conversation in told))
    own_server.restart()
    turns = 0
    async with own_server.client() as service:
        shared = {turn["author"] for conversation in told for turn in conversation["memories"]}
        assert set(await service.get_app_state(app_name=app)) == shared
        for conversation, kept in zip(told, written, strict=True):
            turns += await check(service, app, conversation, kept)
        everybody = (await service.list_sessions(app_name=app)).sessions
        assert len(everybody) == sum(len(kept) for kept in written)
    assert turns == sum(len(conversation["memories"]) for conversation in told) > 2000


async def check(service, app, conversation, kept):
    """Compares every session of one user with what was written; returns the number of events."""
    user, turns = conversation["scope"], 0
    last = {turn["id"].split(":")[0]: turn["id"] for turn in conversation["memories"]}
    assert await service.get_user_state(app_name=app, user_id=user) == last
    listed = (await service.list_sessions(app_name=app, user_id=user)).sessions
    assert {each.id for each in listed} == set(kept)
    for session_id, mine in kept.items():
        stored = await service.get_session(app_name=app, user_id=user, session_id=session_id)
        said = [turn for turn in conversation["memories"] if f"session-{turn['session']}" == session_id]
        expected = [as_event(turn, conversation["speakers"]) for turn in said]
        for event in expected:
            del event.actions.state_delta["temp:x"]
        assert stored.events == expected == mine.events
        assert stored.last_update_time == expected[-1].timestamp == mine.last_update_time
        assert stored._storage_update_marker == mine._storage_update_marker == str(len(expected))
        own = {key: value for key, value in stored.state.items() if ":" not in key}
        assert own == {"turn": expected[-1].actions.state_delta["turn"]}
        turns += len(stored.events)
    return turns
