"""State over REST: the side door, three scopes, removed keys, and what each route shows of it."""

import time

import pytest

from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.tables import dump_tables, nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)


def append(api: Api, session: str, delta: dict[str, object], **members: object) -> object:
    answer = api.post(f"{session}/events", {"event": {"author": "bot", "actions": {"stateDelta": delta}}, **members})
    assert answer.status == 200, answer.text
    return answer.json


def test_the_side_door_moves_the_log_and_not_the_revision(api: Api, session: str) -> None:
    """A3: a run that is under way goes on, and both keys are there."""
    append(api, session, {"run": 1})
    before = time.time()
    patched = api.patch(session, {"stateDelta": {"theme": "dark"}}).json
    assert (patched["revision"], patched["lastSeq"]) == (1, 2)
    assert before <= patched["lastUpdateTime"] <= time.time()
    assert append(api, session, {"run": 2}, expectedRevision=1)["seq"] == 3
    assert api.get(f"{session}/state").json == {"run": 2, "theme": "dark"}


def test_the_side_door_writes_an_event_that_adk_can_read(api: Api, session: str) -> None:
    answer = api.patch(session, {"state_delta": {"a": {"snake_case": None}, "user:b": 2, "temp:c": 3}})
    [event] = answer.json["events"]
    assert event["author"] == "user" and event["invocationId"].startswith("p-") and event["id"]
    assert event["actions"] == {"stateDelta": {"a": {"snake_case": None}, "user:b": 2}}
    assert event["timestamp"] == answer.json["lastUpdateTime"]
    [listed] = api.get(f"{session}/events?kind=state").json["events"]
    assert listed == {"seq": 1, **event}


def test_state_and_facts_change_together_or_not_at_all(api: Api, session: str) -> None:
    answer = api.patch(session, {"stateDelta": {"a": 1}, "title": "T", "labels": {"k": "v"}, "expiresAt": 4e9}).json
    assert (answer["state"], answer["title"], answer["labels"], answer["expiresAt"]) == ({"a": 1}, "T", {"k": "v"}, 4e9)
    with nothing_changes():
        assert api.patch(session, {"stateDelta": {"a": 2}, "title": 5}).status == 400


def test_a_delta_replaces_whole_values_and_null_is_one(api: Api, session: str) -> None:
    """D3 as the design has it: null is kept, removeKeys removes."""
    for scope in ("", "user:", "app:"):
        api.patch(session, {"stateDelta": {f"{scope}a": {"x": 1, "y": {"z": 1}}, f"{scope}b": [1, 2]}})
        api.patch(session, {"stateDelta": {f"{scope}a": {"y": {}}, f"{scope}b": None}})
        state = api.get(f"{session}/state").json
        assert state[f"{scope}a"] == {"y": {}} and f"{scope}b" in state and state[f"{scope}b"] is None


def test_keys_are_removed_in_all_three_scopes(api: Api, project: str, session: str) -> None:
    delta = {"a": 1, "b": 1, "user:a": 1, "user:b": 1, "app:a": 1, "app:b": 1}
    append(api, session, delta)
    keys = ["a", "user:a", "app:a", "temp:a", "never:there", "user:never", "a"]
    answer = api.patch(session, {"removeKeys": keys, "stateDelta": {"b": 2, "user:b": 2}}).json
    assert answer["state"] == {"b": 2, "user:b": 2, "app:b": 1}
    assert answer["events"][-1]["actions"]["stateDelta"]["a"] is None, "ADK reads a removed key as null"
    assert api.get(f"{user_path(project, 'ana')}/state").json == {"b": 2}
    assert api.get(f"/apps/{project}/state").json == {"b": 1}
    assert (answer["revision"], answer["lastSeq"]) == (1, 2)
    # A key that was removed can be set again.
    assert append(api, session, {"a": 3, "user:a": 3, "app:a": 3})["seq"] == 3
    assert api.get(f"{session}/state").json == {"b": 2, "a": 3, "user:b": 2, "user:a": 3, "app:b": 1, "app:a": 3}


def test_shared_state_is_merged_when_read(api: Api, project: str, session: str) -> None:
    """C9: never a copy of the day on which a session was created."""
    other, foreign = session_path(project, "ana", "s2"), session_path(project, "bo", "s1")
    api.put(other, {"state": {"app:counter": 1, "user:lang": "fr", "own": "s2"}})
    api.put(foreign, {"state": {"app:counter": 2, "user:lang": "de"}})
    assert api.get(session).json["state"] == {"user:lang": "fr", "app:counter": 2}
    assert api.get(other).json["state"] == {"own": "s2", "user:lang": "fr", "app:counter": 2}
    assert api.get(foreign).json["state"] == {"user:lang": "de", "app:counter": 2}
    listed = {row["id"]: row["state"] for row in api.get(f"{user_path(project, 'ana')}/sessions").json}
    assert listed == {"s1": {"user:lang": "fr", "app:counter": 2}, "s2": api.get(other).json["state"]}
    assert api.get(f"{user_path(project, 'bo')}/state").json == {"lang": "de"}


def test_a_prefix_counts_once_and_only_at_the_front(api: Api, project: str, session: str) -> None:
    delta = {"app:user:x": 1, "user:app:x": 2, "APP:x": 3, "x:app:": 4, "app:": 5, "user:": 6, "": 7, "apps:x": 8}
    assert api.patch(session, {"stateDelta": delta}).json["state"] == delta
    assert api.get(f"/apps/{project}/state").json == {"user:x": 1, "": 5}
    assert api.get(f"{user_path(project, 'ana')}/state").json == {"app:x": 2, "": 6}


def test_state_of_what_was_never_seen_is_empty(api: Api, project: str) -> None:
    assert api.get(f"{user_path(project, 'nobody')}/state").text == "{}"
    assert api.get(f"/apps/{project}/state").text == "{}"


def test_temporary_values_are_nowhere_on_the_server(api: Api, session: str) -> None:
    """D2."""
    secret = "tmp-5ecret"
    temporary = {"temp:token": secret, "kept": 1}
    event = {"actions": {"stateDelta": temporary}}
    api.put(f"{session}b", {"state": temporary, "events": [event]})
    api.post(f"{session}c", temporary)
    api.patch(session, {"stateDelta": temporary})
    api.post(f"{session}/events", {"event": {"actions": {"state_delta": temporary}}})
    api.post(f"{session}/events:batch", {"events": [event]})
    assert secret not in str(dump_tables()) and "temp:token" not in str(dump_tables())
    for path in (session, f"{session}b", f"{session}c"):
        assert api.get(f"{path}/state").json == {"kept": 1}
        assert secret not in api.get(path).text + api.get(f"{path}/events").text


def test_a_word_that_begins_like_a_temporary_key_is_content_elsewhere(api: Api, session: str) -> None:
    content = {"parts": [{"functionCall": {"name": "f", "args": {"temp:x": 1}}}]}
    event = {"content": content, "actions": {"stateDelta": {"a": {"temp:x": 1}}, "artifactDelta": {"temp:x": 1}}}
    stored = api.post(f"{session}/events", {"event": event}).json["event"]
    assert stored["content"] == content and stored["actions"] == event["actions"]


def test_an_empty_patch_of_state_is_an_event_of_no_change(api: Api, session: str) -> None:
    answer = api.patch(session, {"stateDelta": {}}).json
    assert (answer["state"], answer["lastSeq"], answer["revision"]) == ({}, 1, 0)
    with nothing_changes():
        assert api.patch(session, {"stateDelta": None, "removeKeys": None}).json["lastSeq"] == 1
