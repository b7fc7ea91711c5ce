"""The life of one session: create, open, facts, delete."""

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.errors import EventConflict, ProjectNotFound, SessionExists, SessionNotFound
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, Session, SessionLabel, SessionState, SharedStateChange
from sessions_app.selectors import app_state, user_state
from sessions_app.services.sessions import create_session, delete_session
from tests.sessions_app.services.projection import check_key
from tests.sessions_app.services.steps import (
    ACTOR,
    append_one,
    draft,
    event_rows,
    genesis,
    ids_of,
    new_project,
    new_session,
    open_key,
    patch,
    state_of,
    view_of,
)

pytestmark = pytest.mark.django_db


def test_a_new_session_holds_the_state_given_split_by_scope_and_no_events() -> None:
    key = new_session(state={"own": 1, "user:u": 2, "app:a": 3, "temp:t": 4})
    view = view_of(key)

    assert state_of(key) == {"own": 1, "user:u": 2, "app:a": 3}
    assert (user_state(key.user_key), app_state(key.project)) == ('{"u":2}', '{"a":3}')
    assert (view.revision, view.last_seq, view.events) == (0, 0, ())
    assert view.create_time == view.last_update_time
    [first] = event_rows(key)
    assert (first.seq, first.kind) == (0, "genesis")
    assert "temp:" not in first.body
    check_key(key)


def test_a_session_may_be_created_with_its_first_events() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    first = [draft("e1", {"k": 1}, timestamp=7.0), draft("e2", {"k": 2}, timestamp=6.0)]
    create_session(key, genesis({"k": 0}), events=first, actor=ACTOR)

    assert ids_of(key) == ["e1", "e2"]
    assert (view_of(key).revision, view_of(key).last_update_time) == (2, 6.0)
    check_key(key)


def test_a_first_event_that_is_given_twice_is_stored_once_and_one_id_with_two_bodies_is_refused() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    with pytest.raises(EventConflict):
        create_session(key, genesis(), events=[draft("e1", text="a"), draft("e1", text="b")], actor=ACTOR)
    assert not Session.objects.exists()
    create_session(key, genesis(), events=[draft("e1"), draft("e1")], actor=ACTOR)
    assert ids_of(key) == ["e1"]
    check_key(key)


def test_a_second_create_is_refused_and_changes_nothing_not_even_shared_state() -> None:
    key = new_session(state={"k": 1})
    with pytest.raises(SessionExists):
        new_session(key.project, state={"k": 2, "user:k": 2, "app:k": 2})
    assert state_of(key) == {"k": 1}
    assert SharedStateChange.objects.count() == 0


def test_one_session_id_stands_for_another_session_under_each_user_and_project() -> None:
    key = new_session(state={"whose": "ana"})
    other_user = new_session(key.project, "bo", state={"whose": "bo"})
    elsewhere = new_session(state={"whose": "ana elsewhere"})
    assert [state_of(each)["whose"] for each in (key, other_user, elsewhere)] == ["ana", "bo", "ana elsewhere"]


def test_a_session_needs_a_project_that_exists() -> None:
    with pytest.raises(ProjectNotFound):
        new_session("no such project")
    with pytest.raises(ProjectNotFound):
        open_key(SessionKey("no such project", "ana", "s1"))


def test_a_failed_create_leaves_no_session_behind(settings) -> None:
    settings.THREEFOLD_MAX_STATE_BYTES = 10
    project = new_project()
    with pytest.raises(Exception, match="bytes"):
        new_session(project, state={"k": "x" * 20, "app:k": 1})
    assert not Session.objects.exists()
    assert not Event.objects.exists()
    assert app_state(project) == "{}"


def test_opening_makes_a_session_once_and_leaves_one_that_exists_as_it_is() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    open_key(key, {"k": 1})
    append_one(key, "e1")
    open_key(key, {"k": 2, "app:k": 2})
    assert (state_of(key), ids_of(key), view_of(key).revision) == ({"k": 1}, ["e1"], 1)


def test_facts_are_kept_beside_the_log_and_change_neither_seq_nor_revision() -> None:
    key = new_session(title="first", labels={"a": "1", "b": "2"}, expires_at=9e9)
    append_one(key, "e1", timestamp=4.0)
    patch(key, title="second", labels={"b": "3", "c": "4"})
    view = view_of(key)

    assert (view.title, view.labels, view.expires_at) == ("second", {"b": "3", "c": "4"}, 9e9)
    assert (view.revision, view.last_seq, view.last_update_time) == (1, 1, 4.0)
    patch(key, title=None, labels={}, expires_at=None)
    assert (view_of(key).title, view_of(key).labels, view_of(key).expires_at) == (None, {}, None)


def test_a_state_patch_is_an_event_that_moves_seq_and_not_revision() -> None:
    key = new_session()
    patch(key, {"k": 1, "user:k": 2, "app:k": 3, "temp:t": 4}, title="t")

    [_, event] = event_rows(key)
    assert (event.kind, event.seq, event.revision, event.author) == ("state", 1, 0, "user")
    assert "temp:" not in event.body
    assert state_of(key) == {"k": 1, "user:k": 2, "app:k": 3}
    assert view_of(key).title == "t"
    check_key(key)


def test_a_patch_of_a_missing_session_is_refused() -> None:
    with pytest.raises(SessionNotFound):
        patch(SessionKey(new_project(), "ana", "s1"), {"app:k": 1})


def test_deleting_removes_log_own_state_and_labels_and_keeps_shared_state() -> None:
    key = new_session(state={"k": 1, "user:k": 2, "app:k": 3}, labels={"a": "b"})
    other = new_session(key.project, session="other", state={"k": 9}, labels={"a": "b"})
    append_one(key, "e1", delta={"k": 2})
    append_one(other, "e1")
    assert delete_session(key) is True

    assert Event.objects.filter(session__session_id="s1").count() == 0
    assert (Event.objects.count(), SessionState.objects.count(), SessionLabel.objects.count()) == (2, 1, 1)
    assert (user_state(key.user_key), app_state(key.project)) == ('{"k":2}', '{"k":3}')
    assert ids_of(other) == ["e1"]
    with pytest.raises(SessionNotFound):
        view_of(key)


def test_deleting_what_is_not_there_says_so_and_touches_nothing() -> None:
    key = new_session()
    assert delete_session(SessionKey(key.project, "bo", "s1")) is False
    assert delete_session(SessionKey(key.project, "ana", "S1")) is False
    assert delete_session(SessionKey("no such project", "ana", "s1")) is False
    assert view_of(key).session_id == "s1"


@pytest.mark.parametrize("parts", [("", "u", "s"), ("p", " ", "s"), ("p", "u", ""), ("p", None, "s"), ("p", "u", "..")])
def test_an_incomplete_key_is_never_looked_up(parts: tuple[str, str, str]) -> None:
    with pytest.raises(Invalid):
        SessionKey(*parts)
    with pytest.raises(ValueError):
        SessionKey(*parts)
