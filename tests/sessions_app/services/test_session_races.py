"""Creating, opening and deleting one session from many sides at one moment."""

import time
from functools import partial

import pytest

from sessions_app.domain.errors import SessionExists, SessionNotFound
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, Session, SessionState, SharedState
from sessions_app.services.projects import ensure_project
from sessions_app.services.sessions import delete_session, forget_expired
from tests.sessions_app.services.projection import check_key
from tests.sessions_app.services.steps import (
    append_one,
    draft,
    ids_of,
    new_project,
    new_session,
    open_key,
    patch,
    state_of,
)
from tests.sessions_app.services.threads import all_well, at_once, errors_among

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_many_creates_of_one_id_one_succeeds_and_the_others_write_nothing() -> None:
    project = new_project()
    outcomes = at_once(
        [partial(new_session, project, state={"by": number, f"app:k{number}": 1}) for number in range(15)]
    )

    errors = errors_among(outcomes)
    assert [type(error) for error in errors] == [SessionExists] * 14
    [winner] = [number for number, outcome in enumerate(outcomes) if not isinstance(outcome, Exception)]
    key = SessionKey(project, "ana", "s1")
    assert state_of(key) == {"by": winner, f"app:k{winner}": 1}
    assert Session.objects.at(key).count() == 1
    check_key(key)


def test_opening_one_session_from_many_sides_makes_it_once_and_refuses_nobody() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    all_well(at_once([partial(open_key, key, {"by": number}) for number in range(15)]))

    assert list(state_of(key)) == ["by"]
    assert Session.objects.at(key).count() == 1
    check_key(key)


def test_an_open_never_changes_the_state_of_a_session_in_use() -> None:
    key = new_session(state={"mine": 1})
    writers = [partial(append_one, key, f"e{number}", delta={"mine": 2}) for number in range(5)]
    all_well(at_once([*writers, *[partial(open_key, key, {"mine": 9, "app:k": 9}) for _ in range(5)]]))

    assert state_of(key) == {"mine": 2}
    check_key(key)


def test_making_one_project_from_many_sides_makes_it_once() -> None:
    names = all_well(at_once([partial(ensure_project, "made-by-many", "test") for _ in range(12)]))

    assert set(names) == {"made-by-many"}


def test_an_append_that_meets_a_delete_is_stored_and_deleted_or_finds_no_session() -> None:
    project = new_project()
    for number in range(25):
        key = new_session(project, session=f"s{number}")
        append_one(key, "first", delta={"k": 1})
        appends = [partial(append_one, key, f"e{place}", delta={f"k{place}": place}) for place in range(3)]
        outcomes = at_once([*appends, partial(delete_session, key)])

        assert {type(error) for error in errors_among(outcomes)} <= {SessionNotFound}
        assert outcomes[3] is True
        assert not Session.objects.at(key).exists()
    assert _rows_left() == (0, 0)


def test_a_state_patch_that_meets_a_delete_leaves_no_row_behind() -> None:
    project = new_project()
    for number in range(15):
        key = new_session(project, session=f"s{number}")
        calls = [partial(patch, key, {"k": 1}, title="t", labels={"a": "b"}), partial(delete_session, key)]
        outcomes = at_once(calls)

        assert {type(error) for error in errors_among(outcomes)} <= {SessionNotFound}
        assert outcomes[1] is True
    assert _rows_left() == (0, 0)


def test_deletes_at_once_count_one_deletion() -> None:
    for _ in range(10):
        key = new_session()
        assert sorted(all_well(at_once([partial(delete_session, key)] * 4))) == [False, False, False, True]


def test_creates_that_meet_deletes_end_in_a_whole_session_or_none() -> None:
    project = new_project()
    key = SessionKey(project, "ana", "s1")
    for number in range(15):
        calls = [partial(new_session, project, state={"by": number}) for _ in range(3)]
        outcomes = at_once([*calls, *[partial(delete_session, key)] * 3])

        assert {type(error) for error in errors_among(outcomes)} <= {SessionExists}
        if Session.objects.at(key).exists():
            check_key(key)
        delete_session(key)
    assert _rows_left() == (0, 0)


def test_a_sweep_that_meets_appends_at_the_second_of_expiry_leaves_nothing_half_deleted() -> None:
    project = new_project()
    for number in range(8):
        key = new_session(project, session=f"s{number}")
        Session.objects.at(key).update(expires_at=time.time() + 0.05)

        def keep_appending(key: SessionKey = key) -> None:
            while True:
                append_one(key, delta={"k": 1})

        def keep_sweeping() -> None:
            deadline = time.monotonic() + 0.3
            while time.monotonic() < deadline:
                forget_expired()

        outcomes = at_once([keep_appending, keep_appending, keep_sweeping])

        assert [type(outcome) for outcome in outcomes[:2]] == [SessionNotFound] * 2
        assert outcomes[2] is None
    assert _rows_left() == (0, 0)
    assert not Session.objects.filter(project__name=project).exists()


def test_a_session_created_again_after_a_delete_has_nothing_of_the_old_one() -> None:
    key = new_session(state={"old": 1, "app:kept": 1, "user:kept": 1})
    append_one(key, "e1", delta={"older": 1})
    delete_session(key)
    new_session(key.project, state={"new": 1})

    assert state_of(key) == {"new": 1, "app:kept": 1, "user:kept": 1}
    assert ids_of(key) == []
    assert SharedState.objects.count() == 2
    assert append_one(key, draft("e1").event_id).seq == 1


def _rows_left() -> tuple[int, int]:
    return Event.objects.count(), SessionState.objects.count()
