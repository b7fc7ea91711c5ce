"""Known failures A, B and the sharp edges S1-S4, S13-S15: many writers, repetition, staleness. Real server."""

import asyncio
import copy

import pytest
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.sessions.base_session_service import GetSessionConfig

from tests.client.events import delta_event, ids, text_event


async def load(sessions, app, **config):
    window = GetSessionConfig(**config) if config else None
    return await sessions.get_session(app_name=app, user_id="u", session_id="s", config=window)


async def create(sessions, app, **state):
    return await sessions.create_session(app_name=app, user_id="u", session_id="s", state=state)


async def test_a1_two_hundred_appends_of_one_writer_are_never_stale(sessions, app):
    mine = await create(sessions, app)
    moments = [1700000000.1234567 + 0.000001 * (number // 3) for number in range(200)]
    for moment in moments:
        await sessions.append_event(mine, text_event(timestamp=moment))
    stored = await load(sessions, app)
    assert stored == mine and [event.timestamp for event in stored.events] == moments


async def test_a2_s3_a_second_writer_is_refused_and_nothing_of_it_is_stored(sessions, app):
    await create(sessions, app)
    first, second = await load(sessions, app), await load(sessions, app)
    await sessions.append_event(first, delta_event({"k": "first"}))
    with pytest.raises(StaleSessionError, match="modified in storage"):
        await sessions.append_event(second, delta_event({"k": "second", "app:leak": 1}))
    stored = await load(sessions, app)
    assert stored == first and stored.state == {"k": "first"}


async def test_s4_equal_timestamps_do_not_hide_a_second_writer(sessions, app):
    created = await create(sessions, app)
    first, second = await load(sessions, app), await load(sessions, app)
    await sessions.append_event(first, text_event(timestamp=created.last_update_time))
    with pytest.raises(StaleSessionError):
        await sessions.append_event(second, text_event(timestamp=created.last_update_time))


async def test_s14_a_refused_append_changes_neither_session_nor_event(sessions, app):
    await create(sessions, app)
    first, second = await load(sessions, app), await load(sessions, app)
    await sessions.append_event(first, text_event())
    event = delta_event({"k": 1, "temp:t": 1})
    session_before, event_before = copy.deepcopy(second), copy.deepcopy(event)
    with pytest.raises(StaleSessionError):
        await sessions.append_event(second, event)
    assert second == session_before and event == event_before
    reloaded = await load(sessions, app)
    await sessions.append_event(reloaded, event)
    assert reloaded.state == {"k": 1, "temp:t": 1}


async def test_a3_s15_a_state_write_beside_a_run_does_not_kill_the_run(sessions, app):
    running = await create(sessions, app, k=1)
    await sessions.append_event(running, text_event())
    patched = await sessions.update_state(
        app_name=app, user_id="u", session_id="s", state_delta={"ui_theme": "dark", "user:x": 1}
    )
    assert patched.state == {"k": 1, "ui_theme": "dark", "user:x": 1}
    assert patched._storage_update_marker == running._storage_update_marker
    await sessions.append_event(running, delta_event({"k": 2}))
    stored = await load(sessions, app)
    assert stored.state == {"k": 2, "ui_theme": "dark", "user:x": 1} and len(stored.events) == 3
    assert [event.actions.state_delta for event in stored.events] == [{}, {"ui_theme": "dark", "user:x": 1}, {"k": 2}]


@pytest.mark.parametrize("count", [20, 50])
async def test_a6_a8_concurrent_appends_through_one_session_object_all_succeed(sessions, app, count):
    mine = await create(sessions, app)
    events = [delta_event({f"k{number}": number}) for number in range(count)]
    await asyncio.gather(*(sessions.append_event(mine, event) for event in events))
    stored = await load(sessions, app)
    assert stored == mine and len(stored.events) == count and len(stored.state) == count
    assert stored._storage_update_marker == str(count)


async def test_s1_a4_parallel_creations_in_a_new_app_keep_every_app_and_user_key(sessions, app):
    async def one(number, user):
        await sessions.create_session(app_name=app, user_id=user, state={f"app:a{number}": 1, f"user:u{number}": 1})

    await asyncio.gather(*(one(number, "u") for number in range(15)))
    await asyncio.gather(*(one(number + 15, f"user-{number}") for number in range(15)))
    assert len(await sessions.get_app_state(app_name=app)) == 30
    assert len(await sessions.get_user_state(app_name=app, user_id="u")) == 15


async def test_s2_parallel_appends_in_many_sessions_keep_every_app_key(sessions, app):
    made = [await sessions.create_session(app_name=app, user_id="u") for _ in range(20)]
    await asyncio.gather(
        *(sessions.append_event(each, delta_event({f"app:k{n}": n, f"user:k{n}": n})) for n, each in enumerate(made))
    )
    assert await sessions.get_app_state(app_name=app) == {f"k{number}": number for number in range(20)}
    assert await sessions.get_user_state(app_name=app, user_id="u") == {f"k{number}": number for number in range(20)}


async def test_b3_of_parallel_creations_of_one_id_exactly_one_succeeds(sessions, app):
    outcomes = await asyncio.gather(*(create(sessions, app, n=number) for number in range(20)), return_exceptions=True)
    assert sum(isinstance(outcome, AlreadyExistsError) for outcome in outcomes) == 19
    other = await sessions.create_session(app_name=app, user_id="v", session_id="s")
    assert other.state == {}


async def test_parallel_openings_of_one_id_all_get_the_same_session(sessions, app):
    opened = await asyncio.gather(
        *(
            sessions.open_session(app_name=app, user_id="u", session_id="s", state={"winner": number})
            for number in range(10)
        )
    )
    assert all(each == opened[0] for each in opened)
    again = await sessions.open_session(app_name=app, user_id="u", session_id="s", state={"winner": "late"})
    assert again == opened[0] and again.state["winner"] in range(10)


async def test_a11_an_append_through_a_window_keeps_the_rest(sessions, app):
    mine = await create(sessions, app)
    for number in range(30):
        await sessions.append_event(mine, delta_event({f"k{number}": 1}, timestamp=float(number)))
    for config in ({"num_recent_events": 5}, {"after_timestamp": 28.0}, {"num_recent_events": 0}):
        window = await load(sessions, app, **config)
        held = len(window.events)
        await sessions.append_event(window, text_event(timestamp=100.0))
        assert len(window.events) == held + 1
    stored = await load(sessions, app)
    assert len(stored.events) == 33 and len(stored.state) == 30


async def test_a_listed_session_can_be_appended_to(sessions, app):
    mine = await create(sessions, app)
    await sessions.append_event(mine, text_event(id="1"))
    [listed] = (await sessions.list_sessions(app_name=app)).sessions
    await sessions.append_event(listed, text_event(id="2"))
    assert ids(await load(sessions, app)) == ["1", "2"]


async def test_b1_s13_the_same_event_twice_is_stored_once_even_through_a_stale_copy(sessions, app):
    mine = await create(sessions, app)
    copy_before = await load(sessions, app)
    event = delta_event({"n": 1}, id="e-1", timestamp=5.0)
    again = copy.deepcopy(event)
    await sessions.append_event(mine, event)
    # As after a lost answer: the copy knows nothing of the first append, and its revision is behind.
    await sessions.append_event(copy_before, again)
    assert copy_before == mine
    await sessions.append_event(mine, event)
    assert await load(sessions, app) == mine and ids(mine) == ["e-1"]


async def test_b1_a_used_event_id_with_another_body_is_refused(sessions, app):
    mine = await create(sessions, app)
    await sessions.append_event(mine, text_event("one", id="e-1"))
    with pytest.raises(AlreadyExistsError):
        await sessions.append_event(mine, text_event("two", id="e-1"))
    assert await load(sessions, app) == mine and ids(mine) == ["e-1"]
