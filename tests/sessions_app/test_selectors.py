"""Reads: windows of events, lists, pages of the log, merged state."""

import json
from collections import Counter

import pytest

from sessions_app.domain.errors import SessionNotFound
from sessions_app.domain.keys import SessionKey, UserKey
from sessions_app.domain.records import EventWindow
from sessions_app.models import Session
from sessions_app.selectors import (
    app_state,
    get_session,
    list_events,
    list_sessions,
    outline_events,
    project_sessions,
    user_state,
    view_page,
)
from tests.sessions_app.services.steps import (
    append,
    append_one,
    draft,
    event_rows,
    events_of,
    ids_of,
    new_project,
    new_session,
    patch,
    session_row,
    state_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def ten() -> SessionKey:
    """A session with ten events, the n-th at second n."""
    key = new_session(state={"k": 1})
    append(key, *[draft(f"e{n}", timestamp=float(n)) for n in range(1, 11)])
    return key


@pytest.mark.parametrize(
    ("last", "after", "expected"),
    [
        (None, None, range(1, 11)),
        (3, None, range(8, 11)),
        (0, None, ()),
        (0, 1.0, ()),
        (11, None, range(1, 11)),
        (10**15, None, range(1, 11)),
        (None, 5.0, range(5, 11)),
        (None, 5.000001, range(6, 11)),
        (3, 5.0, range(8, 11)),
        (3, 9.0, range(9, 11)),
        (None, 0.0, range(1, 11)),
        (None, 99.0, ()),
        (2, 99.0, ()),
    ],
)
def test_a_window_is_the_last_n_of_those_not_older(
    ten: SessionKey, last: int | None, after: float | None, expected: range
) -> None:
    window = EventWindow(last=last, after_timestamp=after)
    assert ids_of(ten, window) == [f"e{n}" for n in expected]
    assert json.loads(get_session(ten, window).state) == {"k": 1}


def test_after_is_a_condition_on_each_event_and_order_is_that_of_the_log() -> None:
    key = new_session()
    append(key, *[draft(f"e{place}", timestamp=moment) for place, moment in enumerate([5.0, 1.0, 6.0, 5.0])])

    assert ids_of(key) == ["e0", "e1", "e2", "e3"]
    assert ids_of(key, EventWindow(after_timestamp=5.0)) == ["e0", "e2", "e3"]
    assert ids_of(key, EventWindow(last=2, after_timestamp=5.0)) == ["e2", "e3"]


def test_the_state_given_at_creation_is_never_shown_as_an_event(ten: SessionKey) -> None:
    assert event_rows(ten)[0].kind == "genesis"
    assert len(events_of(ten)) == 10
    assert [event.seq for event in list_events(ten, 0, 100)[0]] == list(range(1, 11))
    assert [event.seq for event in list_events(ten, -5, 2)[0]] == [1, 2]


def test_pages_of_a_log_join_up_to_the_whole_of_it(ten: SessionKey) -> None:
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        page, after = list_events(ten, after, 3)
        assert 1 <= len(page) <= 3
        seen += [event.seq for event in page]
    assert seen == list(range(1, 11))
    assert list_events(ten, 10, 3) == ([], None)
    assert list_events(ten, 0, 10)[1] is None
    assert list_events(ten, 0, 9)[1] == 9


def test_a_page_of_a_log_may_name_the_kinds(ten: SessionKey) -> None:
    patch(ten, {"k": 2})
    append_one(ten, "back", actions={"rewindBeforeInvocationId": "i1"})

    page, _ = list_events(ten, 0, 100, ["state", "rewind"])
    assert [(event.seq, event.kind, event.recorded_by) for event in page] == [
        (11, "state", "test"),
        (12, "rewind", "test"),
    ]


def test_a_missing_session_is_missing_for_every_read() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    with pytest.raises(SessionNotFound):
        get_session(key)
    with pytest.raises(SessionNotFound):
        list_events(key, 0, 10)
    assert list_sessions(key.user_key) == []
    assert list_sessions(UserKey("no such project", "ana")) == []
    assert user_state(key.user_key) == app_state(key.project) == app_state("no such project") == "{}"


def test_a_list_is_ordered_by_last_update_then_id_and_holds_no_events() -> None:
    project = new_project()
    for name in ("s3", "s1", "s2", "s5", "s4"):
        append_one(new_session(project, session=name), "e1", timestamp=float(9 if name in ("s4", "s5") else name[1]))
    append_one(SessionKey(project, "ana", "s1"), "e2", timestamp=3.5)

    for _ in range(3):
        views = list_sessions(UserKey(project, "ana"))
        assert [view.session_id for view in views] == ["s2", "s3", "s1", "s4", "s5"]
    assert all(view.events == () for view in views)
    assert [view.last_update_time for view in views] == [2.0, 3.0, 3.5, 9.0, 9.0]


def test_a_list_shows_of_each_session_the_state_that_one_read_shows() -> None:
    project = new_project()
    for number in range(3):
        new_session(project, session=f"s{number}", state={"title": number, "user:lang": number, "app:flag": number})
    new_session(project, "bo", state={"title": "bo", "user:lang": "bo"}, labels={"a": "b"}, title="Bo's")

    for user, size in (("ana", 3), ("bo", 1)):
        views = list_sessions(UserKey(project, user))
        assert len(views) == size
        for view in views:
            assert view == get_session(SessionKey(project, user, view.session_id), EventWindow(last=0))
    rows = list(project_sessions(project).order_by("pk"))
    assert [view.user_id for view in view_page(rows)] == ["ana", "ana", "ana", "bo"]
    assert {view.state for view in view_page(rows)} >= {view.state for view in views}


def test_sessions_of_other_users_and_projects_never_mix_into_a_list() -> None:
    project = new_project()
    users = ["u", "u1", "u_1", "u%", "U", "u/1", "ü", "u:1", "u.1", "u\\1"]
    for user in users:
        new_session(project, user, state={"whose": user, "user:whose": user})
    new_session(new_project(), "u", state={"whose": "elsewhere"})

    for user in users:
        [view] = list_sessions(UserKey(project, user))
        assert json.loads(view.state) == {"whose": user, "user:whose": user}
        assert json.loads(user_state(UserKey(project, user))) == {"whose": user}
    assert Counter(project_sessions(project).values_list("user_id", flat=True)) == Counter(users)


def test_scopes_that_spell_one_key_stay_apart() -> None:
    key = new_session(state={"k": 1, "user:k": 2, "app:k": 3, "APP:k": 4, "app:user:k": 5, "app:": 6, "user:": 7})
    assert state_of(key) == {"k": 1, "APP:k": 4, "app:k": 3, "app:user:k": 5, "app:": 6, "user:k": 2, "user:": 7}
    assert json.loads(app_state(key.project)) == {"k": 3, "user:k": 5, "": 6}
    assert json.loads(user_state(key.user_key)) == {"k": 2, "": 7}


def test_keys_and_values_that_a_database_could_not_hold_come_back_as_they_were() -> None:
    state = {
        "nul\x00": "a\x00b",
        "\ud800": "\udfff",
        "\u2028": "\\u0000",
        "user:\x00": [None],
        "big": 2**70,
        "f": 1e308,
    }
    key = new_session(state=state)
    append_one(key, "e1", delta=state)
    assert state_of(key) == state
    assert get_session(key).state.startswith('{"nul\\u0000":"a\\u0000b","\\ud800":"\\udfff"')


def test_an_outline_names_the_latest_entries_and_nothing_that_was_said(ten: SessionKey) -> None:
    outline = outline_events(session_row(ten).pk, 3)
    assert [entry.seq for entry in outline] == [10, 9, 8]
    assert not any("body" in name or "content" in name for name in type(outline[0]).__slots__)


def test_a_window_is_found_without_a_row_being_touched(ten: SessionKey) -> None:
    before = Session.objects.values().get()
    get_session(ten)
    list_events(ten, 0, 5)
    list_sessions(ten.user_key)
    assert Session.objects.values().get() == before
