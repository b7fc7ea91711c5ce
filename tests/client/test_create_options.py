"""Options of create_session and the other calls beyond ADK's interface, and keys. Real server."""

import json

import pytest
from google.adk.errors.session_not_found_error import SessionNotFoundError

from tests.client.events import delta_event
from threefold import InvalidRequest, NotAuthorized, ThreefoldError


def stored(live, app, session_id):
    return json.loads(live.request("GET", f"/apps/{app}/users/u/sessions/{session_id}")[2])


async def test_title_labels_and_expiry_reach_the_server(live, sessions, app):
    made = await sessions.create_session(
        app_name=app, user_id="u", ttl="3600s", labels={"team": "blue"}, display_name="Trip"
    )
    body = stored(live, app, made.id)
    assert body["title"] == "Trip" and body["labels"] == {"team": "blue"}
    assert abs(body["expiresAt"] - made.last_update_time - 3600) < 10


async def test_an_expiry_in_the_past_is_refused_by_name(sessions, app):
    with pytest.raises(InvalidRequest, match="expires"):
        await sessions.create_session(app_name=app, user_id="u", expire_time=1.0)
    assert (await sessions.list_sessions(app_name=app)).sessions == []


async def test_an_unknown_option_is_a_type_error_and_creates_nothing(sessions, app):
    with pytest.raises(TypeError, match="colour"):
        await sessions.create_session(app_name=app, user_id="u", colour="red")
    assert (await sessions.list_sessions(app_name=app)).sessions == []


async def test_title_and_labels_can_be_changed_without_making_a_run_stale(live, sessions, app):
    running = await sessions.create_session(app_name=app, user_id="u", session_id="s", title="old", labels={"a": "1"})
    await sessions.update_state(app_name=app, user_id="u", session_id="s", title="new", labels={})
    assert stored(live, app, "s")["title"] == "new" and not stored(live, app, "s").get("labels")
    await sessions.append_event(running, delta_event({"k": 1}))


async def test_update_state_of_a_missing_session_raises_and_creates_nothing(sessions, app):
    await sessions.create_session(app_name=app, user_id="u", session_id="s")
    with pytest.raises(SessionNotFoundError):
        await sessions.update_state(app_name=app, user_id="u", session_id="none", state_delta={"app:k": 1})
    assert await sessions.get_app_state(app_name=app) == {}


async def test_keys_do_what_they_are_for_and_no_more(live, sessions, app):
    made = await sessions.create_session(app_name=app, user_id="u", session_id="s")
    reader = live.client(api_key=live.make_key("--project", app, "--scope", "sessions:read"))
    assert await reader.get_session(app_name=app, user_id="u", session_id="s") == made
    with pytest.raises(NotAuthorized, match="scope"):
        await reader.create_session(app_name=app, user_id="u")
    with pytest.raises(NotAuthorized):
        await reader.append_event(made, delta_event({"k": 1}))
    bound = live.client(api_key=live.make_key("--project", app, "--user-id", "u"))
    assert await bound.get_session(app_name=app, user_id="u", session_id="s") == made
    assert [each.id for each in (await bound.list_sessions(app_name=app, user_id="u")).sessions] == ["s"]
    with pytest.raises(ThreefoldError):
        await bound.create_session(app_name=app, user_id="v")
    await sessions.create_session(app_name=app, user_id="v", session_id="other")
    assert await bound.get_session(app_name=app, user_id="v", session_id="other") is None
    with pytest.raises(ThreefoldError):
        await bound.list_sessions(app_name=app)


async def test_a_missing_or_wrong_key_says_what_to_do(live, app, monkeypatch):
    monkeypatch.delenv("THREEFOLD_API_KEY", raising=False)
    with pytest.raises(NotAuthorized, match="THREEFOLD_API_KEY"):
        await live.client(api_key=None).get_session(app_name=app, user_id="u", session_id="s")
    wrong = f"tf_abcdefgh_{'x' * 43}"
    with pytest.raises(NotAuthorized) as caught:
        await live.client(api_key=wrong).get_session(app_name=app, user_id="u", session_id="s")
    assert "tf_" not in str(caught.value) and caught.value.status == 401
