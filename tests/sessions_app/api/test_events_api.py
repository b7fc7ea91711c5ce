"""Appending and reading events over REST."""

import base64
import json
from typing import Any

import pytest

from sessions_app.models import Event
from tests.sessions_app.http_client import Api
from tests.sessions_app.refusals import refuses
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)

CONFLICT = {"field": None, "status": 409, "code": "event_conflict"}
STALE = {"field": None, "status": 409, "code": "stale_session"}


def append(api: Api, session: str, event: object, **members: object) -> Any:
    answer = api.post(f"{session}/events", {"event": event, **members})
    assert answer.status == 200, answer.text
    return answer.json


# One event.


def test_it_appends_an_event_and_answers_what_is_stored(api: Api, session: str) -> None:
    event = {"id": "e1", "author": "bot", "invocationId": "i", "timestamp": 5.5, "actions": {"stateDelta": {"a": 1}}}
    answer = api.post(f"{session}/events", {"event": event})
    assert answer.json == {"event": event, "seq": 1, "revision": 1, "lastUpdateTime": 5.5, "repeated": False}
    read = api.get(session).json
    assert (read["events"], read["state"]) == ([event], {"a": 1})
    assert (read["lastSeq"], read["revision"], read["lastUpdateTime"]) == (1, 1, 5.5)


def test_an_event_without_id_and_time_gets_both(api: Api, session: str) -> None:
    for event in ({}, {"id": None}, {"id": " ", "timestamp": None}):
        stored = append(api, session, event)["event"]
        assert len(stored["id"]) == 36 and stored["timestamp"] > 1.7e9
    assert api.get(session).json["lastSeq"] == 3


def test_order_is_seq_and_times_are_kept_as_sent(api: Api, session: str) -> None:
    """C7: last_update_time is the appended event's, in the answer, in get and in list."""
    for seq, timestamp in enumerate([100, 90, 1700000000.1234567, 90], start=1):
        answer = append(api, session, {"timestamp": timestamp})
        [listed] = api.get(session[: -len("/s1")]).json
        assert answer["seq"] == seq
        assert (
            answer["lastUpdateTime"] == api.get(session).json["lastUpdateTime"] == listed["lastUpdateTime"] == timestamp
        )
    assert [event["timestamp"] for event in api.get(session).json["events"]] == [100, 90, 1700000000.1234567, 90]


# Exactness.

EXACT = (
    '{"zeta":1,"alpha":{"z":null,"a":[null,{}]},"big":1180591620717411303424,"huge":1e308,"minus":-0.0,"digits":1.10,'
    '"exp":1E+2,"long":0.1000000000000000055511151231257827,"nul":"a\\u0000b","half":"\\ud800","literal":"\\\\u0000",'
    '"text":"\\u00e9\\ud83d\\ude00\\u2028","slash":"\\/","empty":{"":[]},"snake_key":{"inner_key":0},"true":true}'
)


def test_values_come_back_exactly(api: Api, session: str) -> None:
    """F7, and 2**70, 1e308, -0.0, nulls, NUL, half characters, key order."""
    exact = EXACT.replace("\\/", "/")
    event = (
        f'{{"xNew":{exact},"id":"e","author":"bot","content":{{"role":"model","parts":[{{"xPart":{exact},'
        f'"functionCall":{{"name":"f","args":{exact}}}}}]}},"customMetadata":{exact},'
        f'"actions":{{"stateDelta":{exact},"xAction":{exact}}},"timestamp":1.50}}'
    )
    sent = event.replace(exact, EXACT)
    assert f'{{"event":{event},"seq":1' in api.post(f"{session}/events", f'{{"event": {sent}}}').text
    read = api.get(session).text
    assert f'"events":[{event}]' in read and f'"state":{exact}' in read
    assert f'{{"events":[{{"seq":1,{event[1:]}]}}' == api.get(f"{session}/events").text
    assert exact == api.get(f"{session}/state").text
    again = api.put(f"{session}2", f'{{"state": {EXACT}, "events": [{sent}]}}').text
    assert f'"events":[{event}]' in again and f'"state":{exact}' in again


def test_unicode_that_was_not_escaped_is_the_same_value(api: Api, session: str) -> None:
    texts = ["é", "e\u0301", "😀", "用户", "\u2028", "\x7f", "\ufeff", "\u202e"]
    body = json.dumps(
        {"event": {"id": "e", "content": {"parts": [{"text": text} for text in texts]}}}, ensure_ascii=False
    )
    assert api.post(f"{session}/events", body).status == 200
    assert [part["text"] for part in api.get(session).json["events"][0]["content"]["parts"]] == texts


def test_bytes_come_back_in_the_base64_they_were_sent_in(api: Api, session: str) -> None:
    """F4."""
    data = bytes(range(256)) * 4
    for encoded in (base64.urlsafe_b64encode(data).decode(), base64.b64encode(data).decode()):
        parts = [{"inlineData": {"mimeType": "image/png", "data": encoded}}, {"text": "x", "thoughtSignature": encoded}]
        assert append(api, session, {"content": {"parts": parts}})["event"]["content"]["parts"] == parts


def test_nothing_that_is_false_or_empty_is_taken_for_absent(api: Api, session: str) -> None:
    """F7."""
    event = {"id": "e", "timestamp": 0, "author": "", "branch": None, "partial": False, "turnComplete": False}
    event |= {"content": {"parts": [{"text": ""}]}, "longRunningToolIds": [], "customMetadata": {}, "errorCode": None}
    stored = append(api, session, event)["event"]
    assert stored == event and list(stored) == list(event)


def test_both_spellings_store_one_event(api: Api, session: str) -> None:
    snake = {
        "id": "e",
        "invocation_id": "i",
        "long_running_tool_ids": ["t"],
        "content": {"parts": [{"function_call": {"name": "f", "args": {"some_arg": {"inner_arg": 1}}}}]},
        "custom_metadata": {"my_key": 1},
        "actions": {"state_delta": {"my_key": {"my_key": 1}}, "artifact_delta": {"my_file": 0}},
        "x_new": {"a_b": 1},
        "timestamp": 1,
    }
    stored = append(api, session, snake)["event"]
    assert stored == {
        "id": "e",
        "invocationId": "i",
        "longRunningToolIds": ["t"],
        "content": {"parts": [{"functionCall": {"name": "f", "args": {"some_arg": {"inner_arg": 1}}}}]},
        "customMetadata": {"my_key": 1},
        "actions": {"stateDelta": {"my_key": {"my_key": 1}}, "artifactDelta": {"my_file": 0}},
        "x_new": {"a_b": 1},
        "timestamp": 1,
    }
    assert append(api, session, stored)["repeated"] is True


# Repeats and staleness.


def test_a_repeated_append_is_answered_as_the_first_one_was(api: Api, session: str) -> None:
    """B1: also when others came between, whatever revision is expected, and the delta is not applied again."""
    event = {"id": "e", "author": "bot", "timestamp": 1, "actions": {"stateDelta": {"a": 1, "user:a": 1, "app:a": 1}}}
    first = append(api, session, event, expectedRevision=0)
    append(api, session, {"id": "later", "timestamp": 2, "actions": {"stateDelta": {"a": 2, "user:a": 2, "app:a": 2}}})
    with nothing_changes():
        for members in ({}, {"expectedRevision": 0}, {"expectedRevision": 99}):
            assert append(api, session, event, **members) == {**first, "repeated": True}
        delta = '{"user:a":1e0,"a":1.0,"app:a":1}'
        reordered = f'{{"actions":{{"stateDelta":{delta}}},"timestamp":1.0,"author":"bot","id":"e"}}'
        assert api.post(f"{session}/events", f'{{"event":{reordered}}}').json["repeated"] is True
    assert api.get(f"{session}/state").json == {"a": 2, "user:a": 2, "app:a": 2}


def test_a_repeat_without_a_timestamp_is_the_same_event(api: Api, session: str) -> None:
    first = append(api, session, {"id": "e", "author": "bot"})
    assert append(api, session, {"author": "bot", "id": "e"}) == {**first, "repeated": True}


@pytest.mark.parametrize(
    "other",
    [{"author": "x"}, {"timestamp": 2}, {"branch": "b"}, {"x": None}, {"actions": {"stateDelta": {}}}],
    ids=repr,
)
def test_another_body_under_the_same_id_is_a_conflict(other: dict[str, Any], api: Api, session: str) -> None:
    event = {"id": "e", "author": "bot", "timestamp": 1}
    append(api, session, event)
    refuses(api, "POST", f"{session}/events", {"event": event | other}, **CONFLICT)
    refuses(api, "POST", f"{session}/events:batch", {"events": [{"id": "f"}, event | other]}, **CONFLICT)
    refuses(api, "POST", f"{session}/events", {"event": event | other, "expectedRevision": 99}, **CONFLICT)


def test_it_refuses_a_stale_revision_and_writes_nothing(api: Api, session: str) -> None:
    """A2."""
    append(api, session, {"id": "p"}, expectedRevision=0)
    event = {"id": "q", "actions": {"stateDelta": {"a": 1, "user:a": 1, "app:a": 1}}}
    for stale in (0, 2, 2**63 - 1):
        for route, body in (("events", {"event": event}), ("events:batch", {"events": [{"id": "r"}, event]})):
            problem = refuses(api, "POST", f"{session}/{route}", {**body, "expectedRevision": stale}, **STALE).json
            assert problem["revision"] == 1
    assert append(api, session, event, expected_revision=1)["revision"] == 2
    assert append(api, session, {"id": "blind"})["revision"] == 3
    assert append(api, session, {"id": "null"}, expectedRevision=None)["revision"] == 4


def test_what_is_no_append_leaves_the_revision(api: Api, session: str) -> None:
    append(api, session, {})
    for body in (
        {"stateDelta": {"a": 1}},
        {"removeKeys": ["a"]},
        {"title": "T"},
        {"labels": {"a": "b"}},
        {"expiresAt": 4e9},
    ):
        assert api.patch(session, body).json["revision"] == 1
    assert append(api, session, {}, expectedRevision=1)["revision"] == 2


# Batches.


def test_a_batch_is_appended_in_its_order(api: Api, session: str) -> None:
    events = [{"id": f"e{n}", "timestamp": 10 - n, "actions": {"stateDelta": {"a": n, f"k{n}": n}}} for n in range(3)]
    answer = api.post(f"{session}/events:batch", {"events": events, "expectedRevision": 0}).json
    assert (answer["revision"], answer["lastUpdateTime"]) == (3, 8)
    assert [(item["event"]["id"], item["seq"], item["revision"]) for item in answer["events"]] == [
        ("e0", 1, 1),
        ("e1", 2, 2),
        ("e2", 3, 3),
    ]
    assert api.get(session).json["state"] == {"a": 2, "k0": 0, "k1": 1, "k2": 2}


def test_a_batch_is_all_or_nothing(api: Api, session: str) -> None:
    good = {"id": "g", "actions": {"stateDelta": {"a": 1, "user:a": 1, "app:a": 1}}}
    for bad in ({"id": "g", "author": "other"}, {"partial": True}, {"seq": 1}, {"timestamp": "x"}, []):
        with nothing_changes():
            assert api.post(f"{session}/events:batch", {"events": [good, bad]}).status in (400, 409)


def test_a_batch_stores_what_is_new_and_repeats_the_rest(api: Api, session: str) -> None:
    first, second, third = ({"id": f"e{n}", "author": "x"} for n in range(3))
    append(api, session, first)
    answer = api.post(f"{session}/events:batch", {"events": [first, second, second, third], "expectedRevision": 1}).json
    assert [(item["seq"], item["repeated"]) for item in answer["events"]][0] == (1, True)
    assert [item["seq"] for item in answer["events"]] == [1, 2, 2, 3]
    with nothing_changes():
        again = api.post(f"{session}/events:batch", {"events": [first, second, third], "expectedRevision": 1}).json
    assert [(item["seq"], item["repeated"]) for item in again["events"]] == [(1, True), (2, True), (3, True)]
    assert again["revision"] == 3


def test_a_batch_takes_a_thousand_events(api: Api, session: str) -> None:
    events = [{"id": str(n), "actions": {"stateDelta": {f"k{n}": n, "last": n}}} for n in range(1000)]
    answer = api.post(f"{session}/events:batch", {"events": events}).json
    assert [item["seq"] for item in answer["events"]] == list(range(1, 1001))
    assert len(api.get(session).json["state"]) == 1001


# The listing.


@pytest.fixture
def log(api: Api, session: str) -> str:
    """A session created with state, and a log of five kinds of entry, seq 1 to 5."""
    append(api, session, {"id": "e1"})
    api.patch(session, {"stateDelta": {"a": 1}})
    append(api, session, {"id": "e3", "actions": {"compaction": {"startTimestamp": 0, "endTimestamp": 1}}})
    append(api, session, {"id": "e4", "invocationId": "i2", "actions": {"rewindBeforeInvocationId": "i1"}})
    append(api, session, {"id": "e5"})
    return session


def test_the_listing_pages_through_the_log(api: Api, log: str) -> None:
    seen, after = [], 0
    while after is not None:
        page = api.get(f"{log}/events?limit=2&afterSeq={after}").json
        seen += [event["seq"] for event in page["events"]]
        after = page.get("next")
    assert seen == [1, 2, 3, 4, 5]
    assert api.get(f"{log}/events?after_seq=5").text == '{"events":[]}'
    assert "next" not in api.get(f"{log}/events?limit=5").json
    assert [event["seq"] for event in api.get(f"{log}/events?afterSeq=999999999999999999").json["events"]] == []


def test_the_listing_filters_by_kind_and_never_shows_the_creation(api: Api, log: str) -> None:
    def seqs(query: str) -> list[int]:
        return [event["seq"] for event in api.get(f"{log}/events?{query}").json["events"]]

    assert (seqs("kind=conversation"), seqs("kind=state"), seqs("kind=compaction"), seqs("kind=rewind")) == (
        [1, 5],
        [2],
        [3],
        [4],
    )
    assert seqs("kind=state&kind=rewind") == [2, 4] and seqs("") == [1, 2, 3, 4, 5]
    assert Event.objects.filter(kind="genesis", seq=0).count() == 1
    assert len(api.get(log).json["events"]) == 5


def test_a_listed_event_is_the_event_and_its_seq(api: Api, log: str) -> None:
    listed = api.get(f"{log}/events").json["events"]
    assert [{"seq": seq, **event} for seq, event in enumerate(api.get(log).json["events"], start=1)] == listed
