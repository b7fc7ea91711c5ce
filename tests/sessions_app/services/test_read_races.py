"""Reading a session while others write to it: whatever is read was true at one moment."""

import json
import threading
from functools import partial
from typing import Any

import pytest

from adk_project.shared.transactions import write_transaction
from sessions_app.domain.keys import SessionKey
from sessions_app.selectors import get_session, list_events, list_sessions
from sessions_app.services.events import lock_session, record_events
from tests.sessions_app.services.steps import append, append_one, draft, new_session, patch, view_of
from tests.sessions_app.services.threads import Background

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 25


def test_a_reader_always_sees_the_state_that_the_events_it_sees_add_up_to() -> None:
    key = new_session(state={"given": 1})
    done = threading.Event()
    readers = [Background(partial(_read_until, done, partial(_check_one_moment, key))) for _ in range(3)]
    try:
        for step in range(ROUNDS):
            append_one(key, f"e{step}", delta={"step": step, f"k{step}": step, "app:step": step, "user:step": step})
            append(key, *[draft(f"b{step}-{place}", delta={"place": place}) for place in range(3)])
            patch(key, {"patched": step}, removed=[f"k{step}", "user:step"])
    finally:
        done.set()
    for reader in readers:
        reader.finish()
    assert view_of(key).last_seq == ROUNDS * 5


def test_a_reader_never_sees_a_part_of_a_batch() -> None:
    key = new_session()
    done = threading.Event()

    def check() -> None:
        assert len(get_session(key).events) % 10 == 0
        assert len(list_events(key, 0, 1000)[0]) % 10 == 0
        state = json.loads(view_of(key).state)
        assert len(set(state.values())) <= 1

    readers = [Background(partial(_read_until, done, check)) for _ in range(2)]
    try:
        for step in range(ROUNDS):
            append(key, *[draft(delta={f"k{place}": step}) for place in range(10)])
    finally:
        done.set()
    for reader in readers:
        reader.finish()


def test_a_list_never_mixes_two_moments_of_one_session() -> None:
    key = new_session(state={"user:n": 0, "own": 0})
    done = threading.Event()

    def check() -> None:
        [view] = list_sessions(key.user_key)
        state = json.loads(view.state)
        assert state["own"] == state["user:n"] == state.get("app:n", 0) == view.revision

    readers = [Background(partial(_read_until, done, check)) for _ in range(3)]
    try:
        for step in range(1, 3 * ROUNDS):
            append_one(key, f"e{step}", delta={"own": step, "user:n": step, "app:n": step})
    finally:
        done.set()
    for reader in readers:
        reader.finish()


def test_readers_do_not_wait_for_a_writer_that_takes_its_time() -> None:
    key = new_session(state={"k": "before"})
    locked, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with write_transaction():
            record_events(lock_session(key), [draft("held", delta={"k": "after"})], "test")
            locked.set()
            may_end.wait(30)

    writer = Background(hold)
    assert locked.wait(10)
    try:
        seen: list[Any] = []
        reader = Background(lambda: seen.append(view_of(key)))
        assert reader.ended_within(5), "a reader waited for a writer"
        reader.finish()
        assert (seen[0].state, seen[0].last_seq) == ('{"k":"before"}', 0)
    finally:
        may_end.set()
        writer.finish()
    assert view_of(key).state == '{"k":"after"}'


def _read_until(done: threading.Event, check: partial[None]) -> None:
    while not done.is_set():
        check()
    check()


def _check_one_moment(key: SessionKey) -> None:
    view = get_session(key)
    expected: dict[str, Any] = {"given": 1}
    for body in view.events:
        event = json.loads(body)
        expected |= event["actions"]["stateDelta"]
        for name in event.get("removedKeys", ()):
            del expected[name]
    assert json.loads(view.state) == expected
    assert len(view.events) == view.last_seq
    patches = sum("removedKeys" in body for body in view.events)
    assert view.revision == view.last_seq - patches
