"""What reads and appends cost does not grow with the length of a log or with the number of sessions."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection

from sessions_app.domain.keys import SessionKey, UserKey
from sessions_app.domain.records import EventWindow
from sessions_app.models import Event
from sessions_app.selectors import get_session, list_events, list_sessions
from sessions_app.services.sessions import delete_session
from tests.sessions_app.http_client import Api
from tests.sessions_app.services.bulk import grow_log, make_sessions
from tests.sessions_app.services.statements import Cost, measure, plan_of
from tests.sessions_app.services.steps import append, append_one, draft, new_session, patch

pytestmark = pytest.mark.django_db

SMALL, LARGE = 10, 10_000
EVENTS = "sessions_app_event"
DELTA = {"k": 1, "user:k": 1, "app:k": 1}


def cost_of(call: Callable[[], object]) -> Cost:
    with measure() as cost:
        call()
    return cost


def test_g2_an_append_and_every_read_of_a_window_cost_the_same_at_10_and_10_000_events() -> None:
    """Users saw: eight seconds for each turn of a long chat, since every event was read for a few."""
    key = new_session(state=DELTA)
    calls: dict[str, Callable[[], object]] = {
        "window": partial(get_session, key, EventWindow(last=5)),
        "state": partial(get_session, key, EventWindow(last=0)),
        "page": partial(list_events, key, 4, 5),
        "append": lambda: append_one(key, delta=DELTA),
        "plain append": lambda: append_one(key, text="hi"),
        "batch": lambda: append(key, *[draft(delta=DELTA) for _ in range(20)]),
        "patch": lambda: patch(key, DELTA),
    }
    grow_log(key, SMALL)
    small = {name: cost_of(call) for name, call in calls.items()}
    grow_log(key, LARGE)
    large = {name: cost_of(call) for name, call in calls.items()}

    assert {name: cost.count for name, cost in large.items()} == {name: cost.count for name, cost in small.items()}
    assert {name: cost.rows for name, cost in large.items()} == {name: cost.rows for name, cost in small.items()}
    _check_window_of_20(key)
    assert large["plain append"].count <= 8
    assert large["append"].count <= 20
    assert large["batch"].count == large["append"].count


def _check_window_of_20(key: SessionKey) -> None:
    state_keys = 3
    window = cost_of(lambda: get_session(key, EventWindow(last=20)))
    [sql] = window.reading(EVENTS)
    assert sql.endswith("LIMIT 20")
    assert window.rows == 1 + state_keys + 20

    state = cost_of(lambda: get_session(key, EventWindow(last=0)))
    assert state.reading(EVENTS) == []
    assert state.rows == 1 + state_keys

    page = cost_of(lambda: list_events(key, 100, 20))
    [sql] = page.reading(EVENTS)
    assert sql.endswith("LIMIT 21")
    assert page.rows <= 1 + 21


def test_deleting_a_long_session_reads_none_of_its_events() -> None:
    costs = []
    for length in (SMALL, 2000):
        key = new_session(state=DELTA, session=f"s{length}")
        grow_log(key, length)
        costs.append(cost_of(partial(delete_session, key)))
    assert costs[0].count == costs[1].count <= 10
    assert costs[0].rows == costs[1].rows <= 2
    assert Event.objects.count() == 0


def test_g2_no_read_or_append_scans_or_sorts_the_log() -> None:
    """Users saw: the time of one turn grow with the age of the chat."""
    key = new_session()
    grow_log(new_session(key.project, session="another"), 1500)
    grow_log(key, 1500)
    costs = [
        cost_of(lambda: get_session(key, EventWindow(last=20))),
        cost_of(lambda: list_events(key, 700, 20)),
        cost_of(lambda: append_one(key, "e-new", delta=DELTA)),
    ]
    selects = [sql.removesuffix(" FOR NO KEY UPDATE") for cost in costs for sql in cost.reading(EVENTS)]
    assert len(selects) == 3
    for sql in selects:
        plan = plan_of(sql)
        assert _uses_an_index_without_sorting(plan), f"{sql}\n{plan}"


def test_g1_a_list_and_a_page_cost_as_many_statements_at_10_and_10_000_sessions(api: Api, project: str) -> None:
    """Users saw: 74 seconds for one sidebar."""
    numbers = iter(range(100))
    calls: dict[str, Callable[[], object]] = {
        "list": partial(list_sessions, UserKey(project, "ana")),
        "page": lambda: api.get(f"/apps/{project}/sessions?limit=5"),
        "filtered": lambda: api.get(f"/apps/{project}/sessions?limit=5&user=ana&updatedAfter=2&order=created"),
        "one": partial(get_session, SessionKey(project, "ana", "s000001"), EventWindow(last=20)),
        "create": lambda: new_session(project, "ana", f"new{next(numbers)}"),
    }
    make_sessions(project, "ana", SMALL)
    api.get("/list-apps")
    small = {name: cost_of(call) for name, call in calls.items()}
    make_sessions(project, "ana", LARGE, prefix="more")
    large = {name: cost_of(call) for name, call in calls.items()}

    assert {name: cost.count for name, cost in large.items()} == {name: cost.count for name, cost in small.items()}
    # The key, its project, six sessions, and a title for each that is shown.
    assert max(cost["page"].rows for cost in (small, large)) <= 2 + 6 + 5
    assert max(cost["filtered"].rows for cost in (small, large)) <= 2 + 6 + 5
    assert large["list"].count <= 6
    for name in ("list", "page", "filtered"):
        assert large[name].reading(EVENTS) == []


def test_g1_a_page_of_many_users_reads_their_shared_state_in_one_statement(api: Api, project: str) -> None:
    """Users saw: one query for each row of a list."""
    for number in range(12):
        new_session(project, f"user{number}", state={"user:lang": number, "app:flag": 1, "title": number})
    api.get("/list-apps")
    three = cost_of(lambda: api.get(f"/apps/{project}/sessions?limit=3"))
    twelve = cost_of(lambda: api.get(f"/apps/{project}/sessions?limit=12"))
    assert three.count == twelve.count


def _uses_an_index_without_sorting(plan: str) -> bool:
    if connection.vendor == "postgresql":
        # A sort of a bounded number of rows below a limit would also be named Sort.
        return "Index" in plan and "Seq Scan on sessions_app_event" not in plan and "Sort" not in plan
    return "USING INDEX" in plan and "SCAN sessions_app_event" not in plan and "TEMP B-TREE" not in plan
