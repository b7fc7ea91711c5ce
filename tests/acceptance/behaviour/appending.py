"""Probes 14-28: what append_event does to the store and to its caller's objects."""

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from tests.acceptance.behaviour.bench import Bench, delta, ids, outcome, probe, state, text


@probe("14", "partial event")
async def partial(b: Bench) -> str:
    made, event = await b.create(), delta({"k": 1, "temp:t": 1}, partial=True)
    same = await b.append(made, event) is event
    untouched = event.actions.state_delta == {"k": 1, "temp:t": 1}
    return f"returned: {same}, stored {ids(await b.get())}, session {made.state}, event untouched: {untouched}"


@probe("15", "`temp:` in a delta: live session / passed event / stored event / stored state")
async def temp_in_delta(b: Bench) -> str:
    made, event = await b.create(), delta({"temp:t": 1, "k": 2})
    await b.append(made, event)
    found = await b.get()
    return f"{state(made)} / {event.actions.state_delta} / {found.events[0].actions.state_delta} / {state(found)}"


async def _two_copies(b: Bench, first: float, second: float) -> str:
    """Two copies append at these times, in seconds after the creation."""
    created = (await b.create()).last_update_time
    one, two = await b.get(), await b.get()
    await b.append(one, text(id="one", timestamp=created + first))
    done = await outcome(b.append(two, text(id="two", timestamp=created + second)))
    return f"{done}, stored {ids(await b.get())}"


@probe("16", "append through a superseded copy")
async def stale(b: Bench) -> str:
    return await _two_copies(b, 1.0, 2.0)


@probe("17", "the same, both events with one timestamp")
async def stale_same_time(b: Bench) -> str:
    return await _two_copies(b, 1.0, 1.0)


@probe("18", "the same, the first event carrying the creation's own time")
async def stale_aba(b: Bench) -> str:
    return await _two_copies(b, 0.0, 1.0)


@probe("19", "an event older than the last one: order, last_update_time")
async def older_event(b: Bench) -> str:
    made = await b.create()
    await b.append(made, text(id="new", timestamp=2000.0))
    done = await outcome(b.append(made, text(id="old", timestamp=1000.0)))
    found = await b.get()
    return f"{done}, {ids(found)}, last_update_time {found.last_update_time:.0f}"


@probe("20", "equal timestamps, appended z a m: order / the last two")
async def tied(b: Bench) -> str:
    made = await b.create()
    for name in "zam":
        await b.append(made, text(id=name, timestamp=1000.0))
    return f"{ids(await b.get())} / {ids(await b.get(GetSessionConfig(num_recent_events=2)))}"


@probe("21", "the same event again / another event with its id")
async def repeated(b: Bench) -> str:
    made, event = await b.create(), text("one", id="x")
    await b.append(made, event)
    again = await outcome(b.append(made, event))
    other = await outcome(b.append(await b.get(), text("two", id="x")))
    return f"{again} / {other}, stored {ids(await b.get())}"


@probe("22", "append to a deleted session: error, leaked app state, caller's state")
async def deleted(b: Bench) -> str:
    made = await b.create()
    await b.delete()
    done = await outcome(b.append(made, delta({"app:leak": 1, "temp:t": 1})))
    other = await b.create(session_id="s2")
    return f"{done}, leaked {other.state}, caller {made.state}"


@probe("23", "a refused (stale) append: caller's session / passed event afterwards")
async def refused(b: Bench) -> str:
    await b.create()
    one, two = await b.get(), await b.get()
    await b.append(one, text())
    event = delta({"temp:t": 1, "k": 1})
    done = await outcome(b.append(two, event))
    return f"{done}: {state(two)}, {len(two.events)} events / {event.actions.state_delta}"


@probe("24", "last_update_time after an event at 1760000000.1234567: session / get / event")
async def exact_time(b: Bench) -> str:
    made = await b.create()
    await b.append(made, text(timestamp=1760000000.1234567))
    found = await b.get()
    return f"{made.last_update_time!r} / {found.last_update_time!r} / {found.events[0].timestamp!r}"


@probe("25", "get_session == the caller's session after an append")
async def equality(b: Bench) -> str:
    made = await b.create()
    await b.append(made, delta({"k": 1, "app:a": 2, "user:u": 3}))
    return str(await b.get() == made)


async def _comes_back(b: Bench, event: Event) -> str:
    made = await b.create()
    before = event.model_copy(deep=True)
    await b.append(made, event)
    return "equal" if (await b.get()).events == [before] else "changed"


@probe("26", "bytes in inline_data and thought_signature")
async def bytes_in_content(b: Bench) -> str:
    blob = types.Blob(mime_type="x/y", data=b"\xfb\xff\xfe")
    parts = [types.Part(inline_data=blob), types.Part(text="t", thought_signature=b"\xfb\xff\x00")]
    return await _comes_back(b, Event(author="a", content=types.Content(role="model", parts=parts)))


@probe("27", "None, [] and {} inside function args and custom_metadata")
async def empties(b: Bench) -> str:
    call = types.FunctionCall(name="f", args={"a": None, "b": [], "c": {}, "z": 1, "y": 2})
    content = types.Content(role="model", parts=[types.Part(function_call=call)])
    return await _comes_back(b, Event(author="a", content=content, custom_metadata={"m": None, "e": {}}))


@probe("28", "compaction, rewind, workflow fields")
async def workflow_fields(b: Bench) -> str:
    summary = types.Content(role="model", parts=[types.Part(text="s")])
    actions = EventActions(
        compaction=EventCompaction(start_timestamp=1.1, end_timestamp=2.2, compacted_content=summary),
        rewind_before_invocation_id="i",
        agent_state={"a": None},
    )
    event = Event(author="a", actions=actions, isolation_scope="x", output={"o": 1}, node_info={"path": "p@1"})
    return await _comes_back(b, event)
