"""Probes 01-13: creating, ids, and what state may hold."""

import datetime
import json
import math

from tests.acceptance.behaviour.bench import Bench, delta, ids, outcome, probe, state, text


@probe("01", "`temp:` key given to create_session: in the returned state / after get")
async def temp_at_creation(b: Bench) -> str:
    made = await b.create({"temp:t": 1, "k": 2})
    return f"returned {state(made)}, stored {state(await b.get())}"


@probe("02", "state=None and state={} at creation; get equals what create returned")
async def empty_state(b: Bench) -> str:
    first, second = await b.create(None), await b.create({}, session_id="s2")
    return f"{first.state} / {second.state}, equal: {await b.get() == first}"


@probe("03", "None as a value at creation and in a delta: stored or deleted")
async def none_values(b: Bench) -> str:
    made = await b.create({"n": None, "k": 1})
    await b.append(made, delta({"k": None, "z": 3}))
    return f"{state(await b.get())}"


@probe("04", "a session id that is in use")
async def duplicate_id(b: Bench) -> str:
    await b.create()
    return await outcome(b.create())


@probe("05", "the same session id for another user / in another app")
async def same_id_elsewhere(b: Bench) -> str:
    await b.create()
    return f"{await outcome(b.create(user_id='u2'))} / {await outcome(b.create(app_name=b.app + 'x'))}"


@probe("06", "session id '', '   ' and ' s1 ' at creation; which id finds the last one")
async def blank_and_padded_ids(b: Bench) -> str:
    made = [(await b.create(session_id=given)).id for given in ("", "   ", " s1 ")]
    used = ["generated" if identity.strip() not in ("", "s1") else repr(identity) for identity in made]
    found = [given for given in ("s1", " s1 ") if await b.get(session_id=given) is not None]
    return f"{', '.join(used)}; found by {found}"


@probe("07", "prefix edge keys: app: / user: / app:user:x / user:temp:y / APP:z")
async def prefix_edges(b: Bench) -> str:
    made = await b.create()
    await b.append(made, delta({"app:": 1, "user:": 2, "app:user:x": 3, "user:temp:y": 4, "APP:z": 5}))
    return state(await b.get())


@probe("08", "ids with unicode, a slash, percent, 300 characters, NUL")
async def odd_ids(b: Bench) -> str:
    async def works(identity: str) -> str:
        made = await b.create(session_id=identity, user_id=identity)
        found = await b.get(session_id=identity, user_id=identity)
        assert found == made
        return "ok"

    named = {"unicode": "é😀", "slash": "a/b", "percent": "%2F", "300 characters": "x" * 300, "NUL": "a\x00b"}
    return ", ".join([f"{name}: {await outcome(works(identity))}" for name, identity in named.items()])


@probe("09", "5 MB text and 20,000 keys in state")
async def big_state(b: Bench) -> str:
    given = {"blob": "x" * 5_000_000, **{f"k{number}": number for number in range(20_000)}}
    made = await b.create(given)
    await b.append(made, delta({"one": 1}))
    found = await b.get()
    return f"equal: {made.state == {**given, 'one': 1} == found.state}"


@probe("10", "2**70, 0.1+0.2, 1e308, -0.0, 1.0 in state, exact after creation / after an unrelated append")
async def exact_numbers(b: Bench) -> str:
    given = {"2**70": 2**70, "0.1+0.2": 0.1 + 0.2, "1e308": 1e308, "-0.0": -0.0, "1.0": 1.0}
    made = await b.create(dict(given))

    async def changed() -> str:
        found = (await b.get()).state
        names = [name for name, value in given.items() if json.dumps(found.get(name)) != json.dumps(value)]
        return "changed: " + ", ".join(names) if names else "exact"

    first = await changed()
    await b.append(made, delta({"z": 1}))
    return f"{first} / {await changed()}"


@probe("11", "NaN and infinity in state: creation / a later append / get")
async def non_finite(b: Bench) -> str:
    creation = await outcome(b.create({"n": math.nan, "i": math.inf}))
    found = await b.get()
    if found is None:
        return f"{creation}, nothing stored"
    later = await outcome(b.append(found, delta({"q": 1})))
    return f"{creation} / {later} / {state(await b.get())}"


@probe("12", "values that are not JSON: datetime, set, tuple, int key; bytes; a function")
async def not_json(b: Bench) -> str:
    made = await b.create()
    given = {"d": datetime.datetime(2026, 1, 2), "s": {1}, "t": (1, 2), "m": {1: "x"}}
    rich = await outcome(b.append(made, delta(given)))
    kept = [type(value).__name__ for _, value in sorted((await b.get()).state.items())]
    raw = await outcome(b.append(await b.get(), delta({"b": b"\xff\x00"})))
    function = await outcome(b.append(await b.get(), delta({"f": print})))
    found = (await b.get()).state
    stored = type(found["f"]).__name__ if "f" in found else "nothing"
    return f"{rich}, d m s t read back as {' '.join(kept)}; bytes: {raw}; function: {function}, {stored} stored"


@probe("13", "U+0000 and a lone surrogate in text and state")
async def nul_and_surrogates(b: Bench) -> str:
    made = await b.create()
    results = []
    for name, odd in (("NUL", "a\x00b"), ("surrogate", "a\ud800b")):
        event = text(odd, id=name)
        event.actions.state_delta = {"k": odd}
        done = await outcome(b.append(made, event))
        found = await b.get()
        same = found.state.get("k") == odd and ids(found).endswith(f"{name}]")
        results.append(f"{name}: {done}{', equal' if same else ''}")
        made = await b.get()
    return "; ".join(results)
