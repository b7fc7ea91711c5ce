"""Group C: order and time."""

import time

import pytest
from django.db import connection

from sessions_app.models import Event
from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.services.steps import append, draft, event_rows, ids_of, new_session, seqs_of

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_c1_events_come_in_the_order_of_their_seq_wherever_their_rows_lie() -> None:
    """Users saw: messages shuffled, and a model that refuses or invents."""
    key = new_session()
    append(key, *[draft(f"e{n:03}", timestamp=100.0 - n) for n in range(100)])
    # Move old rows to the end of the table.
    for row in event_rows(key)[1::7]:
        Event.objects.filter(pk=row.pk).update(body=row.body, author="moved")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")

    expected = [f"e{n:03}" for n in range(100)]
    assert ids_of(key) == expected
    assert seqs_of(key) == list(range(1, 101))


def test_c2_equal_and_backward_timestamps_never_change_the_order(api: Api, session: str) -> None:
    """Users saw: a reasoning item and its message, written in one millisecond, come back swapped."""
    for event_id, moment in (("z-call", 5.0), ("a-response", 5.0), ("m-text", 5.0), ("early", 1.0)):
        api.post(f"{session}/events", {"event": {"id": event_id, "timestamp": moment}})

    def ids(query: str = "") -> list[str]:
        return [event["id"] for event in api.get(session + query).json["events"]]

    assert ids() == ["z-call", "a-response", "m-text", "early"]
    assert ids("?numRecentEvents=2") == ["m-text", "early"]
    assert [event["timestamp"] for event in api.get(session).json["events"]] == [5.0, 5.0, 5.0, 1.0]
    assert [event["id"] for event in api.get(f"{session}/events?limit=3").json["events"]] == ids()[:3]


def test_c3_the_list_is_ordered_by_last_activity_then_id(api: Api, project: str) -> None:
    """Users saw: code that took the last of the list for the present chat, and got an old one at random."""
    for name in ("1", "2", "3", "b", "a"):
        api.put(session_path(project, "ana", name), {})
    for moment, name in enumerate(("2", "3", "1"), start=1):
        api.post(f"{session_path(project, 'ana', name)}/events", {"event": {"timestamp": moment}})
    for name in ("b", "a"):
        api.post(f"{session_path(project, 'ana', name)}/events", {"event": {"timestamp": 9.5}})

    for _ in range(10):
        assert [each["id"] for each in api.get(f"{user_path(project, 'ana')}/sessions").json] == [
            "2",
            "3",
            "1",
            "a",
            "b",
        ]
    page = api.get(f"/apps/{project}/sessions?order=updated").json["sessions"]
    assert [each["id"] for each in page][:3] == ["2", "3", "1"]


@pytest.mark.parametrize(
    "moment",
    [
        "2026-03-29T01:30:00Z",
        "2026-03-29T03:30:00%2B02:00",
        "2026-03-29T07:00:00%2B05:30",
        "1774747800",
        "1774747800.0",
    ],
)
def test_c4_one_instant_is_one_instant_however_it_is_written(api: Api, session: str, moment: str) -> None:
    """Users saw: after an upgrade no session could be created, for times with a zone met columns without one."""
    project = session.split("/")[2]
    api.post(f"{session}/events", {"event": {"timestamp": 1774747800.000001}})
    for name, expected in (("updatedAfter", ["s1"]), ("updatedBefore", [])):
        answer = api.get(f"/apps/{project}/sessions?{name}={moment}")
        assert (answer.status, [each["id"] for each in answer.json["sessions"]]) == (200, expected)


@pytest.mark.parametrize("moment", ["2026-03-29T01:30:00", "2026-03-29", "yesterday", "NaN", "1e999", "١٢٣"])
def test_c4_a_time_without_a_zone_is_refused_by_name(api: Api, project: str, moment: str) -> None:
    """Users saw: naive times taken for some zone or other."""
    for name in ("updatedAfter", "updatedBefore"):
        answer = api.get(f"/apps/{project}/sessions?{name}={moment}")
        assert (answer.status, answer.fields) == (400, [name])


def test_c4_a_timestamp_is_a_number_and_comes_back_exactly(api: Api, session: str) -> None:
    """Users saw: an instant that came back rounded or moved by a zone."""
    for moment in (1700000000.1234567, 0, 1, 1e-300, 4102444800.999999, 0.1 + 0.2):
        answer = api.post(f"{session}/events", {"event": {"timestamp": moment}})
        assert answer.json["event"]["timestamp"] == answer.json["lastUpdateTime"] == moment
        assert api.get(session).json["lastUpdateTime"] == moment
    for moment in ("2026-01-01T00:00:00Z", "1700000000", True, [], {}):
        answer = api.post(f"{session}/events", {"event": {"timestamp": moment}})
        assert (answer.status, answer.fields) == (400, ["event.timestamp"])


def test_c6_windows_are_inclusive_combine_and_are_the_newest(api: Api, session: str) -> None:
    """Users saw: the newest messages missing from the model's context, or one old event too many."""
    api.post(f"{session}/events:batch", {"events": [{"id": str(n), "timestamp": n} for n in range(1, 11)]})
    api.patch(session, {"stateDelta": {"k": 1}, "removeKeys": []})
    cases = {
        "numRecentEvents=4": "8 9 10",
        "afterTimestamp=5": "5 6 7 8 9 10",
        "afterTimestamp=5&numRecentEvents=4": "8 9 10",
        "num_recent_events=4&after_timestamp=5.0": "8 9 10",
        "numRecentEvents=0": "",
        "numRecentEvents=99": "1 2 3 4 5 6 7 8 9 10",
        "afterTimestamp=1e12": "",
    }
    for query, expected in cases.items():
        answer = api.get(f"{session}?{query}").json
        # The patch of state is an event like any other; its id is the server's.
        assert [event["id"] for event in answer["events"] if len(event["id"]) < 3] == expected.split(), query
        assert answer["state"] == {"k": 1}
    for query in ("numRecentEvents=-1", "numRecentEvents=x", "numRecentEvents=", "numRecentEvents=1.5"):
        answer = api.get(f"{session}?{query}")
        assert (answer.status, answer.fields) == (400, ["numRecentEvents"])


def test_c7_s5_the_last_update_is_the_time_of_the_last_appended_event_in_every_answer(api: Api, session: str) -> None:
    """Users saw: a session's time that followed the wall clock in one answer and the event in another."""
    project = session.split("/")[2]
    for moment in (100.0, 90.0, time.time() + 1000):
        appended = api.post(f"{session}/events", {"event": {"timestamp": moment}}).json
        got = api.get(session).json
        [listed] = api.get(f"{user_path(project, 'ana')}/sessions").json
        [paged] = api.get(f"/apps/{project}/sessions").json["sessions"]
        assert {each["lastUpdateTime"] for each in (appended, got, listed, paged)} == {moment}
    assert [event["timestamp"] for event in api.get(session).json["events"]][:2] == [100.0, 90.0]
    rows = Event.objects.filter(kind="conversation").order_by("seq")
    assert all(abs(row.recorded_at.timestamp() - time.time()) < 60 for row in rows)


def test_c9_an_old_session_shows_the_shared_state_of_today(api: Api, project: str) -> None:
    """Users saw: a long-lived session with the settings of the day it was created."""
    one, two = (session_path(project, "ana", name) for name in ("one", "two"))
    api.put(one, {"state": {"app:counter": 1, "user:counter": 1}})
    api.put(two, {})
    api.post(f"{two}/events", {"event": {"actions": {"stateDelta": {"app:counter": 2, "user:counter": 2}}}})

    now = {"app:counter": 2, "user:counter": 2}
    assert api.get(one).json["state"] == now
    assert [each["state"] for each in api.get(f"{user_path(project, 'ana')}/sessions").json] == [now, now]
    assert api.get(f"{one}/state").json == now


def test_s6_the_last_two_of_a_tie_are_the_last_two_appended() -> None:
    """Users saw: z, a, m come back as a, m, z, and the wrong two of them as the last."""
    key = new_session()
    append(key, *[draft(name, timestamp=7.0) for name in "zam"])
    assert ids_of(key) == ["z", "a", "m"]
