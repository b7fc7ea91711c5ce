"""A session that has expired is gone at that very second, whether it was swept yet or not."""

import time
from collections.abc import Iterator

import pytest

from sessions_app.domain.errors import SessionExists, SessionNotFound
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, Session
from sessions_app.selectors import get_session, list_events, list_sessions, project_sessions
from sessions_app.services.sessions import delete_session, forget_expired
from sessions_app.tasks import sweep_expired_sessions
from tests.sessions_app.services.steps import append_one, ids_of, new_project, new_session, open_key, patch, state_of

pytestmark = pytest.mark.django_db


class Clock:
    """The server's clock, which the test moves."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr("time.time", clock)
    yield clock


@pytest.fixture
def key(clock: Clock) -> SessionKey:
    """A session with one event that has ten seconds to live."""
    key = new_session(state={"k": 1, "app:kept": 1}, expires_at=clock.now + 10)
    append_one(key, "e1", timestamp=1.0)
    return key


def test_until_its_last_moment_a_session_lives(key: SessionKey, clock: Clock) -> None:
    clock.now += 9.999
    assert ids_of(key) == ["e1"]
    assert [view.session_id for view in list_sessions(key.user_key)] == ["s1"]
    assert project_sessions(key.project).count() == 1
    assert append_one(key, "e2").seq == 2
    assert forget_expired() == 0


def test_at_the_second_of_its_expiry_no_read_shows_it(key: SessionKey, clock: Clock) -> None:
    clock.now += 10
    with pytest.raises(SessionNotFound):
        get_session(key)
    with pytest.raises(SessionNotFound):
        list_events(key, 0, 10)
    assert list_sessions(key.user_key) == []
    assert project_sessions(key.project).count() == 0


def test_at_the_second_of_its_expiry_no_write_reaches_it(key: SessionKey, clock: Clock) -> None:
    clock.now += 10
    with pytest.raises(SessionNotFound):
        append_one(key, "e1", timestamp=1.0)
    with pytest.raises(SessionNotFound):
        patch(key, {"k": 2})
    with pytest.raises(SessionNotFound):
        patch(key, expires_at=clock.now + 100)
    assert Event.objects.count() == 2


def test_its_id_is_free_at_once_and_the_new_session_has_nothing_of_it(key: SessionKey, clock: Clock) -> None:
    clock.now += 10
    new_session(key.project, state={"new": 1})
    assert state_of(key) == {"new": 1, "app:kept": 1}
    assert ids_of(key) == []
    with pytest.raises(SessionExists):
        new_session(key.project)


def test_opening_an_expired_one_makes_a_new_one(key: SessionKey, clock: Clock) -> None:
    clock.now += 10
    open_key(key, {"new": 1})
    assert state_of(key) == {"new": 1, "app:kept": 1}
    assert Session.objects.count() == 1


def test_an_expiry_that_was_lifted_in_time_is_void(key: SessionKey, clock: Clock) -> None:
    patch(key, expires_at=None)
    clock.now += 1000
    assert forget_expired() == 0
    assert ids_of(key) == ["e1"]


def test_an_expired_session_can_still_be_deleted(key: SessionKey, clock: Clock) -> None:
    clock.now += 10
    assert delete_session(key) is True
    assert Event.objects.count() == 0


def test_the_sweep_deletes_what_has_expired_and_nothing_else_and_may_run_twice(key: SessionKey, clock: Clock) -> None:
    living = new_session(key.project, session="living", expires_at=clock.now + 11)
    forever = new_session(key.project, session="forever")
    clock.now += 10

    assert sweep_expired_sessions.apply().get() == 1
    assert sweep_expired_sessions.apply().get() == 0
    assert set(Session.objects.values_list("session_id", flat=True)) == {living.session_id, forever.session_id}
    assert Event.objects.filter(kind="conversation").count() == 0


def test_the_sweep_is_the_task_that_the_schedule_names(settings) -> None:
    names = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert sweep_expired_sessions.name in names


def test_a_sweep_takes_no_more_than_its_portion(clock: Clock) -> None:
    project = new_project()
    for number in range(5):
        new_session(project, session=f"s{number}", expires_at=clock.now + 1)
    clock.now += 1
    assert [forget_expired(limit=2) for _ in range(4)] == [2, 2, 1, 0]


def test_one_sweep_deletes_more_than_one_portion(clock: Clock) -> None:
    project = new_project()
    for number in range(120):
        new_session(project, session=f"s{number}", expires_at=clock.now + 1)
    clock.now += 1
    assert sweep_expired_sessions.apply().get() == 120
    assert not Session.objects.exists()
