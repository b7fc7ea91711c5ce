"""Group A: concurrency and staleness."""

import json
from functools import partial

import pytest

from sessions_app.domain.errors import StaleSession
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, StateScope
from sessions_app.services.projects import ensure_project
from tests.live import LiveServer
from tests.sessions_app.http_client import Api, session_path
from tests.sessions_app.services.projection import check_key, check_project
from tests.sessions_app.services.steps import (
    append_one,
    event_rows,
    ids_of,
    new_project,
    new_session,
    patch,
    seqs_of,
    state_of,
    view_of,
)
from tests.sessions_app.services.threads import all_well, at_once, errors_among

races = pytest.mark.django_db(transaction=True)
database = pytest.mark.django_db


def test_a1_two_hundred_appends_of_one_writer_over_http_are_never_stale(live: LiveServer, app: str) -> None:
    """Users saw: one writer, nobody else, and an append refused as stale for two equal times."""
    path = session_path(app, "ana", "s1")
    assert live.request("PUT", path, {})[0] == 200
    revision = 0
    moments = [1700000000.1234567 + step * 0.000001 for step in range(190)] + [1700000000.1234567] * 10
    for number, moment in enumerate(moments):
        event = {"id": f"e{number}", "author": "agent", "timestamp": moment}
        status, _, body = live.request("POST", f"{path}/events", {"event": event, "expectedRevision": revision})
        answer = json.loads(body)
        assert status == 200, answer
        assert answer["event"]["timestamp"] == answer["lastUpdateTime"] == moment
        revision = answer["revision"]

    stored = json.loads(live.request("GET", path)[2])
    assert [event["id"] for event in stored["events"]] == [f"e{number}" for number in range(200)]
    assert [event["timestamp"] for event in stored["events"]] == moments
    assert stored["revision"] == 200


@database
def test_a2_a_stale_append_is_refused_with_the_revision_and_nothing_of_it_is_kept(api: Api, session: str) -> None:
    """Users saw: two resumed runs in one history, with tool calls that contradict each other for good."""
    first = {"event": {"id": "p", "actions": {"stateDelta": {"k": "p"}}}, "expectedRevision": 0}
    second = {"event": {"id": "q", "actions": {"stateDelta": {"k": "q", "app:q": 1}}}, "expectedRevision": 0}
    assert api.post(f"{session}/events", first).json["revision"] == 1
    answer = api.post(f"{session}/events", second)

    assert (answer.status, answer.code, answer.json["revision"]) == (409, "stale_session", 1)
    assert "modified in storage" in answer.json["detail"]
    stored = api.get(session).json
    assert ([event["id"] for event in stored["events"]], stored["state"]) == (["p"], {"k": "p"})
    assert api.post(f"{session}/events", {"event": second["event"]}).json["seq"] == 2


@database
def test_a3_a_write_beside_a_run_does_not_make_the_run_stale(api: Api, session: str) -> None:
    """Users saw: a theme switched in the UI, and the turn that was being streamed died."""
    api.post(f"{session}/events", {"event": {"id": "e1"}, "expectedRevision": 0})
    patched = api.patch(session, {"stateDelta": {"ui_theme": "dark"}}).json
    assert (patched["revision"], patched["lastSeq"]) == (1, 2)

    event = {"id": "e2", "actions": {"stateDelta": {"step": 2}}}
    answer = api.post(f"{session}/events", {"event": event, "expectedRevision": 1})
    assert (answer.status, answer.json["revision"], answer.json["seq"]) == (200, 2, 3)
    assert api.get(session).json["state"] == {"ui_theme": "dark", "step": 2}


@races
@pytest.mark.parametrize("users", [20, 1], ids=["a user each", "one user"])
def test_a4_parallel_first_creates_of_a_new_app_all_succeed_and_lose_no_key(users: int) -> None:
    """Users saw: ten sub-agents start at once on an empty database; one wins, nine get a unique-key error."""

    def create(number: int) -> SessionKey:
        ensure_project("first-use", "test")
        state = {f"app:k{number}": number, f"user:k{number}": number}
        return new_session("first-use", f"u{number % users}", f"s{number}", state)

    keys = all_well(at_once([partial(create, number) for number in range(20)]))

    assert StateScope.objects.filter(user_id="").count() == 1
    assert StateScope.objects.exclude(user_id="").count() == users
    assert {f"app:k{number}" for number in range(20)} <= state_of(keys[0]).keys()
    assert all(f"user:k{number}" in state_of(key) for number, key in enumerate(keys))
    check_project("first-use")


@races
def test_a6_fifty_parallel_saves_keep_all_fifty() -> None:
    """Users saw: two runs end together, the history keeps one of them, and there is no error."""
    key = new_session()
    all_well(at_once([partial(append_one, key, f"e{number}", delta={f"k{number}": number}) for number in range(50)]))

    assert set(ids_of(key)) == {f"e{number}" for number in range(50)}
    assert state_of(key) == {f"k{number}": number for number in range(50)}
    assert seqs_of(key) == list(range(1, 51))


@races
def test_a8_parallel_appends_never_share_a_seq() -> None:
    """Users saw: two runs of one session with the same order number, and a history that flips between reads."""
    key = new_session()
    results = all_well(at_once([partial(append_one, key) for _ in range(100)]))

    assert sorted(result.seq for result in results) == list(range(1, 101))
    assert [row.seq for row in event_rows(key)] == list(range(101))
    check_key(key)


@database
def test_a11_an_append_after_a_filtered_read_keeps_the_older_events(api: Api, session: str) -> None:
    """Users saw: a session read with its last events, one append, and all older events gone from the store."""
    batch = [{"id": f"e{n}", "timestamp": float(n)} for n in range(30)]
    assert api.post(f"{session}/events:batch", {"events": batch}).status == 200
    for query in ("numRecentEvents=5", "afterTimestamp=26"):
        window = api.get(f"{session}?{query}").json
        assert len(window["events"]) == 5
        event = {"event": {"id": query}, "expectedRevision": window["revision"]}
        assert api.post(f"{session}/events", event).status == 200
    assert len(api.get(session).json["events"]) == 32


@races
def test_s3_of_twenty_stale_copies_that_append_at_once_one_wins() -> None:
    """Users saw: all twenty accepted, since the check and the write were two steps."""
    key = new_session()
    outcomes = at_once([partial(append_one, key, f"e{number}", expected=0) for number in range(20)])
    assert [type(error) for error in errors_among(outcomes)] == [StaleSession] * 19
    assert Event.objects.filter(kind="conversation").count() == 1


@database
def test_s4_an_append_whose_timestamp_equals_the_last_one_still_makes_others_stale() -> None:
    """Users saw: the marker was a time, so an append of the same time let a stale writer through."""
    key = new_session()
    moment = view_of(key).last_update_time
    append_one(key, "a", expected=0, timestamp=moment)
    with pytest.raises(StaleSession):
        append_one(key, "b", expected=0, timestamp=moment)


@races
def test_s15_a_state_write_in_the_middle_of_a_run_lets_the_run_live() -> None:
    """Users saw: the turn died after the model had been paid for."""
    key = new_session()
    patches = [partial(patch, key, {f"ui{number}": 1}) for number in range(5)]
    all_well(at_once([partial(append_one, key, "first", expected=0), *patches]))

    assert append_one(key, "second", expected=1).revision == 2
    assert len(state_of(key)) == 5
    check_key(key)


@races
def test_s1_s2_parallel_creates_and_appends_keep_every_shared_key() -> None:
    """Users saw: fifteen successes, and one key of fifteen."""
    project = new_project()

    def work(number: int) -> None:
        key = new_session(project, session=f"s{number}", state={f"app:c{number}": 1, f"user:c{number}": 1})
        append_one(key, "e1", delta={f"app:a{number}": 1, f"user:a{number}": 1})

    all_well(at_once([partial(work, number) for number in range(15)]))
    state = state_of(SessionKey(project, "ana", "s0"))
    assert state.keys() == {f"{scope}:{kind}{n}" for scope in ("app", "user") for kind in "ca" for n in range(15)}
