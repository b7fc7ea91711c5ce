"""Appending: order, repeats, revisions, whole batches, and what is refused."""

import json
import time

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.errors import EventConflict, SessionNotFound, StaleSession, StateTooLarge
from sessions_app.domain.event_body import PartialEvent
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, SharedStateChange, StateScope
from tests.sessions_app.services.projection import check_project
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
    view_of,
)

pytestmark = pytest.mark.django_db


def test_an_append_answers_with_the_event_as_stored_and_the_new_head() -> None:
    key = new_session()
    result = append_one(key, "e1", timestamp=12.125, text="hi", delta={"temp:t": 1, "k": 2})

    assert (result.seq, result.revision, result.last_update_time, result.repeated) == (1, 1, 12.125, False)
    body = json.loads(result.body)
    assert (body["id"], body["timestamp"], body["actions"]) == ("e1", 12.125, {"stateDelta": {"k": 2}})
    assert events_of(key) == [body]
    row = session_row(key)
    assert (row.last_seq, row.revision, row.last_update_time) == (1, 1, 12.125)


def test_a_row_knows_who_recorded_it_and_when() -> None:
    before = time.time()
    key = new_session()
    append_one(key, "e1", timestamp=5.0, invocationId="inv", author="bot", branch="a.b")

    genesis, row = event_rows(key)
    assert (genesis.kind, genesis.seq, genesis.event_id) == ("genesis", 0, "")
    assert (row.kind, row.invocation_id, row.author, row.branch) == ("conversation", "inv", "bot", "a.b")
    assert row.recorded_by == "test"
    assert before - 1 <= row.recorded_at.timestamp() <= time.time() + 1
    assert row.project_id == session_row(key).project_id


@pytest.mark.parametrize(
    ("actions", "kind"),
    [
        ({}, "conversation"),
        ({"rewindBeforeInvocationId": "i1"}, "rewind"),
        ({"compaction": {"startTimestamp": 1.0, "endTimestamp": 2.0, "compactedContent": {"parts": []}}}, "compaction"),
    ],
)
def test_every_kind_that_comes_through_append_moves_seq_and_revision(actions: dict, kind: str) -> None:
    key = new_session()
    result = append_one(key, "e1", actions=actions)

    assert event_rows(key)[1].kind == kind
    assert (result.seq, result.revision) == (1, 1)


def test_a_repeated_event_is_answered_as_the_first_time_however_far_the_session_went_on() -> None:
    key = new_session()
    first = append_one(key, "e1", delta={"k": "first"}, timestamp=5.0)
    append_one(key, "e2", delta={"k": "second"}, timestamp=6.0)
    again = append_one(key, "e1", delta={"k": "first"}, timestamp=5.0, expected=0)

    assert (again.body, again.seq, again.revision, again.last_update_time) == (first.body, 1, 1, 5.0)
    assert again.repeated
    assert state_of(key) == {"k": "second"}
    assert view_of(key).revision == 2


def test_a_repeated_event_without_a_timestamp_of_its_own_is_still_the_same() -> None:
    key = new_session()
    first = append_one(key, "e1", text="hi")
    time.sleep(0.01)
    assert append_one(key, "e1", text="hi").last_update_time == first.last_update_time


def test_a_stale_revision_is_refused_with_the_current_one_and_writes_nothing() -> None:
    key = new_session()
    append_one(key, "e1", delta={"k": 1})
    for expected in (0, 2, 10**12):
        with pytest.raises(StaleSession) as refusal:
            append_one(key, "late", expected=expected, delta={"k": 9, "user:k": 9, "app:k": 9})
        assert refusal.value.extra == {"revision": 1}
    assert ids_of(key) == ["e1"]
    assert state_of(key) == {"k": 1}
    assert StateScope.objects.count() == 0


def test_an_id_with_another_body_is_refused_before_its_revision_is_looked_at() -> None:
    key = new_session()
    append_one(key, "e1", text="a")
    with pytest.raises(EventConflict):
        append_one(key, "e1", text="b", expected=0, delta={"k": 1})
    assert state_of(key) == {}
    assert ids_of(key) == ["e1"]


def test_one_event_id_may_stand_in_two_sessions() -> None:
    project = new_project()
    one, two = (new_session(project, session=name) for name in ("one", "two"))
    assert not append_one(one, "e1", text="a").repeated
    assert not append_one(two, "e1", text="b").repeated


def test_a_batch_is_stored_in_its_order_with_one_expected_revision() -> None:
    key = new_session()
    results = append(key, *[draft(f"e{place}", {"k": place}) for place in range(4)], expected=0)

    assert [(result.seq, result.revision) for result in results] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert ids_of(key) == ["e0", "e1", "e2", "e3"]
    assert state_of(key) == {"k": 3}


def test_a_batch_with_one_bad_event_stores_none_of_it() -> None:
    key = new_session()
    append_one(key, "known", text="a")
    with pytest.raises(EventConflict):
        append(key, draft("e1", {"k": 1, "app:k": 1}), draft("known", text="b"))
    with pytest.raises(EventConflict):
        append(key, draft("twice", text="a"), draft("twice", text="b"))
    with pytest.raises(StaleSession):
        append(key, draft("known", text="a"), draft("e1", {"k": 1}), expected=0)
    assert ids_of(key) == ["known"]
    assert state_of(key) == {}


def test_a_batch_may_repeat_what_is_stored_and_what_it_holds_itself() -> None:
    key = new_session()
    append_one(key, "e1", text="a")
    results = append(key, draft("e2"), draft("e1", text="a"), draft("e2"), expected=1)

    assert [(result.seq, result.revision) for result in results] == [(2, 2), (1, 1), (2, 2)]
    assert [result.repeated for result in results] == [False, True, False]
    assert ids_of(key) == ["e1", "e2"]


def test_a_batch_of_repeats_alone_is_never_stale() -> None:
    key = new_session()
    batch = [draft("e1", {"k": 1}), draft("e2", {"k": 2})]
    first = append(key, *batch, expected=0)
    again = append(key, *batch, expected=0)
    assert [(each.body, each.seq, each.revision) for each in again] == [
        (each.body, each.seq, each.revision) for each in first
    ]
    assert all(each.repeated for each in again)


def test_a_large_batch_with_more_keys_than_a_statement_has_parameters_is_stored_whole() -> None:
    key = new_session()
    drafts = [draft(f"e{n}", {f"k{n}-{place}": place for place in range(3)} | {f"app:{n}": n}) for n in range(1000)]
    append(key, *drafts)
    assert view_of(key).last_seq == 1000
    assert len(state_of(key)) == 4000
    check_project(key.project)


def test_an_append_to_a_missing_session_is_refused_and_makes_nothing() -> None:
    key = SessionKey(new_project(), "ana", "s1")
    with pytest.raises(SessionNotFound):
        append_one(key, "e1", delta={"app:k": 1, "user:k": 1})
    with pytest.raises(SessionNotFound):
        append_one(SessionKey("no such project", "ana", "s1"), "e1")
    assert Event.objects.count() == 0
    assert StateScope.objects.count() == 0


def test_a_whole_value_is_replaced_and_null_is_a_value() -> None:
    key = new_session(state={"d": {"x": 1, "y": 1}, "user:d": 1})
    append_one(key, "e1", delta={"d": {"x": 9}, "user:d": None, "app:d": None})
    assert state_of(key) == {"d": {"x": 9}, "user:d": None, "app:d": None}


def test_a_shared_key_is_seen_by_the_other_sessions_and_not_by_other_users_or_projects() -> None:
    project = new_project()
    one, other_session = (new_session(project, session=name) for name in ("one", "two"))
    other_user = new_session(project, "bo")
    elsewhere = new_session()
    append_one(one, "e1", delta={"user:k": 1, "app:k": 2, "k": 3})

    assert state_of(other_session) == {"user:k": 1, "app:k": 2}
    assert state_of(other_user) == {"app:k": 2}
    assert state_of(elsewhere) == {}


def test_a_removed_key_is_gone_from_each_scope_and_may_be_set_again() -> None:
    key = new_session(state={"k": 1, "user:k": 1, "app:k": 1, "kept": 1})
    patch(key, {"kept": 2}, removed=["k", "user:k", "app:k", "never there"])
    assert state_of(key) == {"kept": 2}
    assert SharedStateChange.objects.filter(value=None).count() == 2

    append_one(key, "e1", delta={"k": 2, "user:k": 2, "app:k": 2})
    assert state_of(key) == {"kept": 2, "k": 2, "user:k": 2, "app:k": 2}
    check_project(key.project)


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
def test_a_state_that_would_grow_too_large_is_refused_whole(prefix: str, settings) -> None:
    settings.THREEFOLD_MAX_STATE_BYTES = 100
    key = new_session(state={f"{prefix}k": "x" * 50})
    with pytest.raises(StateTooLarge) as refusal:
        append(key, draft("e1", {"small": 1}), draft("e2", {f"{prefix}more": "x" * 60}))
    assert refusal.value.extra["limit"] == 100
    assert state_of(key) == {f"{prefix}k": "x" * 50}
    assert ids_of(key) == []

    append_one(key, "e3", delta={f"{prefix}k": "y"})
    append_one(key, "e4", delta={f"{prefix}more": "x" * 60})
    check_project(key.project)


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
def test_a_state_above_a_limit_that_was_lowered_can_be_made_smaller(prefix: str, settings) -> None:
    key = new_session(state={f"{prefix}k": "x" * 500, f"{prefix}small": 1})
    settings.THREEFOLD_MAX_STATE_BYTES = 100
    append_one(key, "e1", delta={f"{prefix}k": "x" * 400})
    patch(key, removed=[f"{prefix}small"])
    with pytest.raises(StateTooLarge):
        append_one(key, "e2", delta={f"{prefix}small": 1})
    patch(key, {f"{prefix}k": "x"})
    append_one(key, "e3", delta={f"{prefix}small": 1})
    assert state_of(key) == {f"{prefix}k": "x", f"{prefix}small": 1}
    check_project(key.project)


def test_a_partial_event_never_becomes_a_draft() -> None:
    with pytest.raises(PartialEvent):
        draft("e1", partial=True)
    with pytest.raises(Invalid):
        draft("e1", partial="true")
