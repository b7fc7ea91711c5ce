"""Forgetting beside ingestion, erasure and sweeping, on real connections of their own."""

import threading
from collections.abc import Callable

import pytest
from django.db import connections

from jobs_app.services.drain import drain
from memory_app.domain.forgetting import Selection
from memory_app.services.erasing import sweep_expired
from memory_app.services.erasing_user import erase_user
from memory_app.services.forgetting import forget
from tests.memory_app.person import Person
from tests.memory_app.stored import rows_holding, statistics

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "I am allergic to peanuts."


def side_by_side(*tasks: Callable[[], object]) -> None:
    """Run all at once, each on a thread with a connection of its own; the first failure is raised."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(tasks))

    def run(task: Callable[[], object]) -> None:
        try:
            start.wait(10)
            task()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("selection", [Selection(session_id="s1"), Selection(everything=True)], ids=["session", "all"])
def test_i10_whoever_comes_first_nothing_is_left(ana: Person, selection: Selection) -> None:
    for number in range(4):
        ana.say("s1", SECRET, f"peanuts again {number}")
        ana.request("s1")
        side_by_side(
            drain,
            drain,
            lambda: forget(ana.key, selection, "asked", "test"),
            lambda: forget(ana.key, selection, "asked", "test"),
            sweep_expired,
        )
        drain()
        assert rows_holding("peanuts", "memory_app") == []
    assert statistics() == {"scopes": [], "terms": [], "postings": []}


def test_an_erasure_beside_workers_and_forgetting_ends_with_nothing_left(ana: Person) -> None:
    for _ in range(4):
        ana.sessions.clear()
        ana.say("s1", SECRET, "peanuts again")
        ana.request("s1")
        ana.request_events({"id": "x", "author": "user", "content": {"parts": [{"text": SECRET}]}})
        side_by_side(
            drain,
            drain,
            lambda: erase_user(ana.key, "test"),
            lambda: erase_user(ana.key, "test"),
            lambda: forget(ana.key, Selection(everything=True), "asked", "test"),
        )
        drain()
        assert rows_holding("peanuts", "memory_app", "jobs_app", "sessions_app") == []


def test_ingestions_of_one_user_at_once_store_each_statement_once(ana: Person) -> None:
    for number in range(6):
        ana.say(f"s{number}", "I live in Porto.", f"remark {number}")
        ana.request(f"s{number}")
    side_by_side(drain, drain, drain, drain)
    drain()
    assert ana.texts(kind="FACT") == ["I live in Porto."]
    assert len(ana.texts(kind="EXCERPT")) == 12
