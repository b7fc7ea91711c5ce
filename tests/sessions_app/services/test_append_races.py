"""Many writers of one session at one moment, in real threads."""

import json
import threading
from functools import partial

import pytest
from django.db import transaction

from sessions_app.domain.errors import EventConflict, StaleSession
from sessions_app.services import events as service
from tests.sessions_app.services.projection import check_key
from tests.sessions_app.services.steps import (
    append,
    append_one,
    draft,
    event_rows,
    ids_of,
    new_project,
    new_session,
    patch,
    seqs_of,
    session_row,
    state_of,
    view_of,
)
from tests.sessions_app.services.threads import Background, all_well, at_once, errors_among

pytestmark = pytest.mark.django_db(transaction=True)


def test_fifty_appends_at_once_are_all_stored_in_a_row_without_a_gap() -> None:
    key = new_session()
    results = all_well(
        at_once([partial(append_one, key, f"e{number}", delta={f"k{number}": number}) for number in range(50)])
    )

    assert sorted(result.seq for result in results) == list(range(1, 51))
    assert sorted(result.revision for result in results) == list(range(1, 51))
    assert seqs_of(key) == list(range(1, 51))
    assert sorted(ids_of(key)) == sorted(f"e{number}" for number in range(50))
    assert state_of(key) == {f"k{number}": number for number in range(50)}
    assert (view_of(key).revision, view_of(key).last_seq) == (50, 50)
    check_key(key)


def test_batches_at_once_are_stored_side_by_side_and_never_mixed() -> None:
    key = new_session()
    batches = [[draft(f"b{batch}-{place}") for place in range(5)] for batch in range(8)]
    all_well(at_once([partial(append, key, *batch) for batch in batches]))

    stored = ids_of(key)
    assert [stored[start : start + 5] for start in range(0, 40, 5)] == [
        [f"{name}-{place}" for place in range(5)] for name in (each.partition("-")[0] for each in stored[::5])
    ]
    check_key(key)


def test_the_same_event_twenty_times_at_once_is_one_row_and_twenty_equal_answers() -> None:
    key = new_session(state={"user:n": 0})
    delta = {"k": "once", "user:n": 1, "app:n": 1}
    results = all_well(at_once([partial(append_one, key, "e1", delta=delta, timestamp=5.5) for _ in range(20)]))

    assert {(result.body, result.seq, result.revision, result.last_update_time) for result in results} == {
        (results[0].body, 1, 1, 5.5)
    }
    assert sorted(result.repeated for result in results) == [False] + [True] * 19
    assert [row.event_id for row in event_rows(key)] == ["", "e1"]
    # One change of the user's scope at creation, one by the event.
    assert (event_rows(key)[1].user_version, event_rows(key)[1].app_version) == (2, 1)
    check_key(key)


def test_of_two_bodies_under_one_id_at_once_one_is_stored_and_the_other_refused() -> None:
    for _ in range(10):
        key = new_session()
        outcomes = at_once([partial(append_one, key, "e1", delta={"k": value}) for value in ("a", "b")])

        [error] = errors_among(outcomes)
        assert isinstance(error, EventConflict)
        winner = "b" if isinstance(outcomes[0], Exception) else "a"
        assert state_of(key) == {"k": winner}
        assert seqs_of(key) == [1]


def test_of_two_writers_with_one_revision_exactly_one_wins_and_the_loser_leaves_nothing() -> None:
    key = new_session()
    for revision in range(30):
        outcomes = at_once(
            [
                partial(
                    append_one, key, f"{revision}-{name}", expected=revision, delta={name: revision, f"app:{name}": 1}
                )
                for name in ("p", "q")
            ]
        )

        [error] = errors_among(outcomes)
        assert isinstance(error, StaleSession)
        assert error.extra["revision"] == revision + 1
        loser = "q" if isinstance(outcomes[1], Exception) else "p"
        assert f"{revision}-{loser}" not in ids_of(key)
        assert state_of(key).get(loser) != revision
        assert view_of(key).revision == revision + 1
    check_key(key)


def test_of_many_writers_with_one_revision_exactly_one_wins() -> None:
    key = new_session()
    outcomes = at_once([partial(append_one, key, f"e{number}", expected=0) for number in range(20)])

    assert [type(error) for error in errors_among(outcomes)] == [StaleSession] * 19
    assert seqs_of(key) == [1]


def test_a_state_patch_during_a_run_leaves_the_run_its_revision() -> None:
    key = new_session()
    append_one(key, "e1", expected=0)
    patch(key, {"ui_theme": "dark"})
    assert (session_row(key).revision, session_row(key).last_seq) == (1, 2)

    result = append_one(key, "e2", expected=1, delta={"step": 2})

    assert (result.revision, result.seq) == (2, 3)
    assert state_of(key) == {"ui_theme": "dark", "step": 2}
    check_key(key)


def test_patches_that_race_a_run_never_make_it_stale_and_lose_no_key() -> None:
    key = new_session()

    def run() -> None:
        for revision in range(15):
            append_one(key, f"e{revision}", expected=revision, delta={f"run{revision}": revision})

    def side_door(name: str) -> None:
        for number in range(10):
            patch(key, {f"{name}{number}": number})

    all_well(at_once([run, partial(side_door, "x"), partial(side_door, "y")]))

    expected = {f"run{number}": number for number in range(15)}
    expected |= {f"{name}{number}": number for name in "xy" for number in range(10)}
    assert state_of(key) == expected
    assert (view_of(key).revision, view_of(key).last_seq) == (15, 35)
    check_key(key)


@pytest.mark.postgres
def test_an_append_does_not_wait_for_an_open_one_to_another_session_of_the_project() -> None:
    project = new_project()
    slow, quick = (new_session(project, session=name) for name in ("slow", "quick"))
    locked, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(durable=True):
            session = service.lock_session(slow)
            service.record_events(session, [draft("held", delta={"k": 1})], "test")
            locked.set()
            may_end.wait(30)

    holder = Background(hold)
    assert locked.wait(10)
    try:
        other = Background(partial(append_one, quick, "e1", delta={"k": 1, "user:k": 1, "app:k": 1}))
        assert other.ended_within(5), "an append waited for another session's transaction"
        other.finish()
        waiting = Background(partial(append_one, slow, "e2"))
        assert not waiting.ended_within(0.3), "an append did not wait for the one before it in its own session"
    finally:
        may_end.set()
        holder.finish()
    waiting.finish()
    assert ids_of(slow) == ["held", "e2"]
    assert json.loads(view_of(quick).state) == {"k": 1, "app:k": 1, "user:k": 1}
