"""Probes 29-47: reading, listing, deleting, many writers, rewinding."""

import asyncio
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from tests.acceptance.behaviour.bench import Bench, delta, ids, outcome, probe, state, tally, text


async def _five(b: Bench) -> None:
    made = await b.create()
    for number in range(1, 6):
        await b.append(made, delta({"k": number}, id=str(number), timestamp=float(number)))


@probe("29", "get of a missing session / user / app")
async def missing(b: Bench) -> str:
    await b.create()
    found = [await b.get(session_id="x"), await b.get(user_id="x"), await b.get(app_name=b.app + "x")]
    return " / ".join(map(str, found))


@probe("30", "num_recent_events 0 / 2 / 99 / -1 of 5")
async def recent(b: Bench) -> str:
    await _five(b)
    found = [await b.get(GetSessionConfig(num_recent_events=number)) for number in (0, 2, 99)]
    try:
        negative = str(GetSessionConfig(num_recent_events=-1))
    except ValueError as error:
        negative = type(error).__name__
    return f"{ids(found[0])} with {found[0].state} / {ids(found[1])} / {ids(found[2])} / {negative}"


@probe("31", "after_timestamp 3 / 0 / future / 2 with the last 3")
async def after(b: Bench) -> str:
    await _five(b)
    windows = [{"after_timestamp": 3.0}, {"after_timestamp": 0.0}, {"after_timestamp": 4e9}]
    windows.append({"after_timestamp": 2.0, "num_recent_events": 3})
    return " / ".join([ids(await b.get(GetSessionConfig(**window))) for window in windows])


@probe("32", "timestamps 5, 1, 6 in this order: after 5 / all")
async def after_out_of_order(b: Bench) -> str:
    made = await b.create()
    for moment in (5, 1, 6):
        await b.append(made, text(id=str(moment), timestamp=float(moment)))
    return f"{ids(await b.get(GetSessionConfig(after_timestamp=5.0)))} / {ids(await b.get())}"


@probe("33", "list_sessions: order, events, merged state, all users")
async def listing(b: Bench) -> str:
    for name, moment in (("a", 30.0), ("c", 10.0)):
        made = await b.create({"k": 1, "app:x": 9}, session_id=name)
        await b.append(made, text(timestamp=moment))
    made = await b.create(session_id="b", user_id="u2")
    await b.append(made, text(timestamp=5.0))
    mine = (await b.service.list_sessions(app_name=b.app, user_id="u1")).sessions
    everybody = (await b.service.list_sessions(app_name=b.app)).sessions
    order = " ".join(f"{each.user_id}/{each.id}" for each in everybody)
    return f"{[each.id for each in mine]}, all: {order}, events {[len(each.events) for each in mine]}, {state(mine[0])}"


@probe("34", "list_sessions of user '' / of an unknown app")
async def listing_nothing(b: Bench) -> str:
    await b.create()
    blank = await b.service.list_sessions(app_name=b.app, user_id="")
    unknown = await b.service.list_sessions(app_name=b.app + "x")
    return f"{len(blank.sessions)} / {len(unknown.sessions)}"


@probe("35", "append through a session from list_sessions")
async def append_to_listed(b: Bench) -> str:
    await b.append(await b.create(), text(id="1"))
    [listed] = (await b.service.list_sessions(app_name=b.app, user_id="u1")).sessions
    return f"{await outcome(b.append(listed, text(id='2')))}, stored {ids(await b.get())}"


@probe("36", "append through a session loaded with num_recent_events=1")
async def append_to_window(b: Bench) -> str:
    await _five(b)
    window = await b.get(GetSessionConfig(num_recent_events=1))
    return f"{await outcome(b.append(window, delta({'n': 1}, id='new')))}, stored {ids(await b.get())}"


@probe("37", "delete of a missing session; what a new session of a deleted id has")
async def deleting(b: Bench) -> str:
    done = await outcome(b.delete())
    made = await b.create({"k": 1, "app:a": 1, "user:b": 2})
    await b.append(made, text())
    await b.delete()
    await b.create()
    found = await b.get()
    return f"{done}, {state(found)}, {len(found.events)} events"


@probe("38", "delete with another user's id")
async def deleting_anothers(b: Bench) -> str:
    await b.create()
    return f"{await outcome(b.delete(user_id='u2'))}, still there: {await b.get() is not None}"


@probe("39", "app: and user: state for the same user / another user / another app; get_user_state")
async def sharing(b: Bench) -> str:
    made = await b.create({"app:a": 1})
    await b.append(made, delta({"app:b": 2, "user:c": 3}))
    others = [{"session_id": "s2"}, {"user_id": "u2"}, {"app_name": b.app + "x"}]
    seen = [state(await b.create(**key)) for key in others]
    return f"{' / '.join(seen)}; {await b.service.get_user_state(app_name=b.app, user_id='u1')}"


@probe("40", "app: state in a creation that fails: does it leak")
async def leaking_creation(b: Bench) -> str:
    await b.create()
    done = await outcome(b.create({"app:leak": 1}))
    return f"{done}, then {state(await b.create(session_id='s2'))}"


@probe("41", "changing a returned session changes the store")
async def mutation(b: Bench) -> str:
    made = await b.create({"d": {"x": 1}})
    made.state["d"]["x"] = 9
    made.events.append(text())
    found = await b.get()
    return f"stored {state(found)}, {len(found.events)} events"


@probe("42", "a dict in a delta: replaced or merged")
async def replacing(b: Bench) -> str:
    await b.append(await b.create({"d": {"a": 1, "b": 2}}), delta({"d": {"a": 9}}))
    return state(await b.get())


@probe("43", "20 concurrent appends through one session object")
async def one_object(b: Bench) -> str:
    made = await b.create()
    done = await tally(b.append(made, delta({f"k{number}": 1})) for number in range(20))
    found = await b.get()
    return f"{done}; {len(found.events)} events, {len(found.state)} keys"


@probe("44", "20 concurrent appends through 20 loaded copies")
async def many_copies(b: Bench) -> str:
    await b.create()
    copies = [await b.get() for _ in range(20)]
    done = await tally(b.append(each, delta({f"k{number}": 1})) for number, each in enumerate(copies))
    found = await b.get()
    return f"{done}; {len(found.events)} events, {len(found.state)} keys"


async def _shared_keys(b: Bench) -> str:
    made = await b.create(session_id="look")
    kinds = [sum(key.startswith(prefix) for key in made.state) for prefix in ("app:", "user:")]
    return f"app keys {kinds[0]}, user keys {kinds[1]}"


@probe("45", "20 sessions append app: and user: keys at once: lost updates")
async def shared_appends(b: Bench) -> str:
    made = [await b.create(session_id=f"s{number}") for number in range(20)]
    done = await tally(b.append(each, delta({f"app:k{n}": n, f"user:k{n}": n})) for n, each in enumerate(made))
    return f"{done}; {await _shared_keys(b)}"


@probe("45b", "15 creations at once, each with its own app: and user: key")
async def shared_creations(b: Bench) -> str:
    await b.create()
    work = [b.create({f"app:k{n}": n, f"user:k{n}": n}, session_id=f"n{n}") for n in range(15)]
    return f"{await tally(work)}; {await _shared_keys(b)}"


@probe("45c", "10 creations at once in a brand-new app")
async def first_creations(b: Bench) -> str:
    return await tally(b.create(session_id=f"s{number}") for number in range(10))


@probe("45d", "opposite key order: 10 sessions append app:/user: and user:/app: at once (deadlock)")
async def opposite_order(b: Bench) -> str:
    made = [await b.create(session_id=f"s{number}") for number in range(10)]

    def changes(number: int) -> dict[str, Any]:
        pairs = [(f"app:{key}", number) for key in "ab"] + [(f"user:{key}", number) for key in "ab"]
        return dict(pairs if number % 2 else reversed(pairs))

    done = await tally(b.append(each, delta(changes(number))) for number, each in enumerate(made))
    return f"{done}; {await _shared_keys(b)}"


@probe("46", "20 creations of one id at once")
async def racing_creations(b: Bench) -> str:
    return await tally(b.create() for _ in range(20))


@probe("46b", "key order z y a bb in a state value / in function args")
async def key_order(b: Bench) -> str:
    given = {"z": 1, "y": 2, "a": 3, "bb": 4}
    made = await b.create({"d": dict(given)})
    call = types.FunctionCall(name="f", args=dict(given))
    event = text()
    event.content.parts = [types.Part(function_call=call)]
    await b.append(made, event)
    found = await b.get()
    return f"{' '.join(found.state['d'])} / {' '.join(found.events[0].content.parts[0].function_call.args)}"


@probe("47", "rewinding to the first invocation: keys set at creation, by an event, app:")
async def rewinding(b: Bench) -> str:
    made = await b.create({"init": 1})
    for number, changes in enumerate(({"k": 1, "app:a": 1}, {"k": 2, "m": 5})):
        await b.append(made, text(invocation_id=f"i{number}", timestamp=1000.0 + number))
        await b.append(made, delta(changes, invocation_id=f"i{number}", timestamp=1000.5 + number))
    runner = Runner(app_name=b.app, agent=BaseAgent(name="agent"), session_service=b.service)
    await runner.rewind_async(user_id="u1", session_id="s1", rewind_before_invocation_id="i1")
    await asyncio.sleep(0)
    return state(await b.get())
