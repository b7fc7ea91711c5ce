"""Known failures D and the sharp edges S16, S17, S20-S22: what state means. Real server."""

from tests.client.events import delta_event, text_event


async def load(sessions, app, session_id="s"):
    return await sessions.get_session(app_name=app, user_id="u", session_id=session_id)


async def create(sessions, app, session_id="s", **state):
    return await sessions.create_session(app_name=app, user_id="u", session_id=session_id, state=state)


async def test_d1_a_temp_value_stays_in_the_live_session_for_the_turn(sessions, app):
    mine = await create(sessions, app)
    await sessions.append_event(mine, delta_event({"temp:x": 1, "y": 2}))
    await sessions.append_event(mine, text_event())
    assert mine.state == {"temp:x": 1, "y": 2}
    assert (await load(sessions, app)).state == {"y": 2}


async def test_d2_a_temp_value_is_in_no_answer_of_the_server(live, sessions, app):
    mine = await create(sessions, app, **{"temp:token": "abcsecret"})
    await sessions.append_event(mine, delta_event({"temp:token": "abcsecret"}))
    await sessions.update_state(
        app_name=app, user_id="u", session_id="s", state_delta={"temp:token": "abcsecret", "k": 1}
    )
    for path in ("", "/events", "/state"):
        status, _, body = live.request("GET", f"/apps/{app}/users/u/sessions/s{path}")
        assert status == 200 and b"abcsecret" not in body and b"temp:" not in body
    assert "abcsecret" not in live.log


async def test_d3_s17_none_is_a_value_in_every_scope_and_a_key_can_be_removed(sessions, app):
    mine = await create(sessions, app, a=1, **{"user:b": 1, "app:c": 1})
    await sessions.append_event(mine, delta_event({"a": None, "user:b": None, "app:c": None, "d": {"x": None}}))
    stored = await load(sessions, app)
    assert stored == mine and stored.state == {"a": None, "user:b": None, "app:c": None, "d": {"x": None}}
    removed = await sessions.update_state(
        app_name=app, user_id="u", session_id="s", remove_keys=["a", "user:b", "app:c"], state_delta={"new": 1}
    )
    assert removed.state == {"d": {"x": None}, "new": 1}
    await sessions.append_event(mine, delta_event({"a": 2}))
    assert (await load(sessions, app)).state == {"d": {"x": None}, "new": 1, "a": 2}


async def test_d4_a_changed_session_object_is_not_stored_and_update_state_is_the_way(sessions, app):
    mine = await create(sessions, app, d={"x": 1})
    mine.state["direct"] = 1
    mine.state["d"]["x"] = 9
    await sessions.append_event(mine, text_event())
    assert (await load(sessions, app)).state == {"d": {"x": 1}}
    await sessions.update_state(app_name=app, user_id="u", session_id="s", state_delta={"direct": 1})
    assert (await load(sessions, app)).state == {"d": {"x": 1}, "direct": 1}


async def test_values_are_replaced_and_never_merged(sessions, app):
    mine = await create(sessions, app, d={"a": 1, "b": 2})
    await sessions.append_event(mine, delta_event({"d": {"a": 9}}))
    assert (await load(sessions, app)).state == {"d": {"a": 9}}


async def test_d7_lists_carry_merged_state_and_no_events(sessions, app):
    for number in range(3):
        mine = await create(
            sessions, app, f"s{number}", title=f"t{number}", **{"user:lang": number, "app:flag": number}
        )
        await sessions.append_event(mine, text_event())
    for listed in (await sessions.list_sessions(app_name=app)).sessions:
        assert listed.state == {"title": f"t{listed.id[1]}", "user:lang": 2, "app:flag": 2} and listed.events == []


async def test_c9_shared_state_is_read_as_it_is_now(sessions, app):
    await create(sessions, app, "s1", **{"app:counter": 1})
    await create(sessions, app, "s2", **{"app:counter": 2})
    assert (await load(sessions, app, "s1")).state == {"app:counter": 2}


async def test_only_the_first_prefix_counts_and_it_is_case_sensitive(sessions, app):
    state = {"app:": 1, "user:": 2, "app:user:x": 3, "user:temp:y": 4, "APP:z": 5, "temp:": 6, "Temp:k": 7}
    mine = await create(sessions, app, **state)
    assert mine.state == {key: value for key, value in state.items() if key != "temp:"}
    assert await sessions.get_app_state(app_name=app) == {"": 1, "user:x": 3}
    assert await sessions.get_user_state(app_name=app, user_id="u") == {"": 2, "temp:y": 4}


async def test_s20_deleting_a_session_keeps_shared_state_and_a_new_one_has_no_old_events(sessions, app):
    mine = await create(sessions, app, k=1, **{"app:a": 1, "user:b": 2})
    await sessions.append_event(mine, text_event())
    await sessions.delete_session(app_name=app, user_id="u", session_id="s")
    again = await create(sessions, app)
    assert again.state == {"app:a": 1, "user:b": 2} and (await load(sessions, app)).events == []


async def test_s21_deleting_anothers_session_is_a_silent_no_op(sessions, app):
    await create(sessions, app)
    await sessions.delete_session(app_name=app, user_id="v", session_id="s")
    await sessions.delete_session(app_name=f"{app}-2", user_id="u", session_id="s")
    assert await load(sessions, app) is not None


async def test_s22_create_get_list_open_and_append_set_the_same_marker(sessions, app):
    created = await create(sessions, app)
    markers = {created._storage_update_marker, (await load(sessions, app))._storage_update_marker}
    markers |= {each._storage_update_marker for each in (await sessions.list_sessions(app_name=app)).sessions}
    opened = await sessions.open_session(app_name=app, user_id="u", session_id="s")
    assert markers | {opened._storage_update_marker} == {"0"}
    await sessions.append_event(created, text_event())
    assert created._storage_update_marker == (await load(sessions, app))._storage_update_marker == "1"


async def test_a_big_state_survives(sessions, app):
    state = {"blob": "x" * 5_000_000, **{f"k{number}": number for number in range(20_000)}}
    mine = await create(sessions, app, **state)
    assert mine.state == state
    await sessions.append_event(mine, delta_event({"one": 1}))
    assert len((await load(sessions, app)).state) == 20_002
