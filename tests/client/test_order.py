"""Known failures C and G, the sharp edges S5, S6, S11, S12, S19: order, time, ids and paging. Real server."""

import asyncio
import contextlib

import pytest
from google.adk.sessions.base_session_service import GetSessionConfig

from tests.client.events import ids, text_event

ODD_IDS = ["a/b", "a%2Fb", "%2F", "%", "_", "..x", "...", "\u00e9", "e\u0301", "😀", "?", "#", "a b", "+", ":", "&=;@"]
ODD_IDS += ["A", "a", "\\", "//", "a//b", "/a", "a/", "'\"", "\u202e", "events", "state", "x" * 255, "я" * 255, "~!*()"]
ODD_IDS += ["<&>", "a.b", "a:b", "users", "None", "0"]


async def test_c1_c2_s5_s6_order_is_append_order_whatever_the_timestamps_say(sessions, app):
    mine = await sessions.create_session(app_name=app, user_id="u")
    for name, moment in [("z", 5.0), ("a", 5.0), ("m", 5.0), ("early", 1.0), ("late", 9.0), ("b", 2.0)]:
        await sessions.append_event(mine, text_event(id=name, timestamp=moment))

    async def found(**config):
        window = GetSessionConfig(**config)
        return ids(await sessions.get_session(app_name=app, user_id="u", session_id=mine.id, config=window))

    assert await found() == ["z", "a", "m", "early", "late", "b"]
    assert await found(num_recent_events=2) == ["late", "b"]
    assert await found(after_timestamp=5.0) == ["z", "a", "m", "late"]
    assert await found(after_timestamp=5.0, num_recent_events=2) == ["m", "late"]


async def test_c3_the_list_is_oldest_activity_first_with_and_without_a_user(sessions, app):
    made = {name: await sessions.create_session(app_name=app, user_id="u", session_id=name) for name in "123"}
    for name, moment in (("2", 10.0), ("3", 20.0), ("1", 30.0)):
        await sessions.append_event(made[name], text_event(timestamp=moment))
    for name in "ba":
        tied = await sessions.create_session(app_name=app, user_id="u", session_id=name)
        await sessions.append_event(tied, text_event(timestamp=20.0))
    for user in ("u", None):
        listed = await sessions.list_sessions(app_name=app, user_id=user)
        assert [each.id for each in listed.sessions] == ["2", "3", "a", "b", "1"]


async def test_s11_odd_ids_never_meet_and_work_in_every_method(sessions, app):
    for user in ODD_IDS:
        mine = await sessions.create_session(app_name=app, user_id=user, session_id=user, state={"user:me": user})
        await sessions.append_event(mine, text_event(user))
    for user in ODD_IDS:
        found = await sessions.get_session(app_name=app, user_id=user, session_id=user)
        assert (found.user_id, found.id, found.state) == (user, user, {"user:me": user}) and len(found.events) == 1
        assert await sessions.get_user_state(app_name=app, user_id=user) == {"me": user}
        assert [each.id for each in (await sessions.list_sessions(app_name=app, user_id=user)).sessions] == [user]
    await sessions.delete_session(app_name=app, user_id="%", session_id="%")
    left = [each.user_id for each in (await sessions.list_sessions(app_name=app)).sessions]
    assert sorted(left) == sorted(set(ODD_IDS) - {"%"})


@pytest.mark.parametrize("app_name", ["x/y", "projects/p/reasoningEngines/1", "__x", "a.b.c", "%41", "тест ☃"])
async def test_s11_odd_app_names_work(sessions, app, app_name):
    name = f"{app}{app_name}"
    created = await sessions.create_session(app_name=name, user_id="u", state={"app:k": 1})
    assert created.app_name == name
    assert await sessions.get_session(app_name=name, user_id="u", session_id=created.id) == created
    assert await sessions.get_app_state(app_name=name) == {"k": 1}


@pytest.mark.parametrize("bad", [".", "..", "x" * 256, "a\x00b", "a\nb", "\x7f", "\ud800"])
async def test_s12_an_impossible_id_is_a_value_error_in_every_method(sessions, app, bad):
    await sessions.create_session(app_name=app, user_id="u", session_id="s")
    with pytest.raises(ValueError):
        await sessions.create_session(app_name=app, user_id="u", session_id=bad)
    with pytest.raises(ValueError):
        await sessions.create_session(app_name=app, user_id=bad)
    with pytest.raises(ValueError):
        await sessions.get_session(app_name=app, user_id="u", session_id=bad)
    with pytest.raises(ValueError):
        await sessions.delete_session(app_name=app, user_id="u", session_id=bad)
    with pytest.raises(ValueError):
        await sessions.get_user_state(app_name=app, user_id=bad)
    assert len((await sessions.list_sessions(app_name=app)).sessions) == 1


@pytest.mark.parametrize("blank", ["", "  ", None])
async def test_a_blank_app_or_user_is_a_value_error_and_never_a_default(sessions, app, blank):
    with pytest.raises(ValueError, match="user_id"):
        await sessions.create_session(app_name=app, user_id=blank)
    with pytest.raises(ValueError, match="app_name"):
        await sessions.get_session(app_name=blank, user_id="u", session_id="s")
    with pytest.raises(ValueError, match="user_id"):
        await sessions.delete_session(app_name=app, user_id=blank, session_id="s")


async def test_g3_s19_a_list_of_many_pages_is_complete_without_repetition(sessions, app):
    gate = asyncio.Semaphore(16)

    async def one(number):
        async with gate:
            await sessions.create_session(app_name=app, user_id=f"u{number % 3}", session_id=f"s{number}")

    await asyncio.gather(*(one(number) for number in range(450)))
    everybody = (await sessions.list_sessions(app_name=app)).sessions
    assert sorted(each.id for each in everybody) == sorted(f"s{number}" for number in range(450))
    assert [each.last_update_time for each in everybody] == sorted(each.last_update_time for each in everybody)
    assert len((await sessions.list_sessions(app_name=app, user_id="u1")).sessions) == 150


async def test_g3_a_list_is_complete_while_sessions_are_being_updated(sessions, app):
    made = [await sessions.create_session(app_name=app, user_id="u", session_id=f"s{number}") for number in range(210)]

    async def keep_writing():
        while True:
            for each in made:
                await sessions.append_event(each, text_event())

    writer = asyncio.ensure_future(keep_writing())
    for _ in range(3):
        listed = (await sessions.list_sessions(app_name=app)).sessions
        assert len({each.id for each in listed}) == len(listed) == 210
    writer.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await writer
