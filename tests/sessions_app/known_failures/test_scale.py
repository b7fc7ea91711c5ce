"""Group G: scale and paging. What a read costs is in tests/sessions_app/test_selectors_statements.py."""

import time
from collections.abc import Iterator

import pytest

from sessions_app.domain.keys import SessionKey
from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.services.bulk import grow_log, make_sessions

pytestmark = pytest.mark.django_db


def pages(api: Api, target: str, query: str, items: str = "sessions") -> Iterator[list[dict]]:
    cursor = ""
    while cursor is not None:
        answer = api.get(f"{target}?{query}{cursor}").json
        yield answer[items]
        following = answer.get("next")
        cursor = None if following is None else f"&cursor={following}"


def test_g1_the_first_page_of_ten_thousand_sessions_is_there_at_once(api: Api, project: str) -> None:
    """Users saw: 74 seconds for one sidebar of ten thousand sessions."""
    make_sessions(project, "ana", 10_000)
    api.get("/list-apps")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        page = api.get(f"/apps/{project}/sessions").json
        times.append(time.perf_counter() - start)
        assert len(page["sessions"]) == 50
        assert page["next"]
    assert min(times) < 0.3


@pytest.mark.parametrize("order", ["created", "-created"])
def test_g1_a_walk_brings_every_session_once_while_they_are_being_updated(api: Api, project: str, order: str) -> None:
    """Users saw: sessions twice or never, since each update moved them between the pages."""
    make_sessions(project, "ana", 45)
    seen = []
    for number, page in enumerate(pages(api, f"/apps/{project}/sessions", f"limit=10&order={order}")):
        seen += [each["id"] for each in page]
        for moved in (0, 20, 44 - number):
            api.post(f"{session_path(project, 'ana', f's{moved:06}')}/events", {"event": {}})
    assert sorted(seen) == [f"s{number:06}" for number in range(45)]


@pytest.mark.parametrize("order", ["updated", "-updated"])
def test_g1_a_walk_by_last_update_brings_ties_once(api: Api, project: str, order: str) -> None:
    """Users saw: rows of one and the same time skipped or repeated at the border of a page."""
    for number in range(12):
        path = session_path(project, "ana", f"s{number}")
        api.put(path, {"events": [{"timestamp": float(number // 5)}]})
    listed = list(pages(api, f"/apps/{project}/sessions", f"limit=5&order={order}"))
    assert [len(page) for page in listed] == [5, 5, 2]
    seen = [each for page in listed for each in page]
    assert len({each["id"] for each in seen}) == 12
    times = [each["lastUpdateTime"] for each in seen]
    assert times == sorted(times, reverse=order.startswith("-"))


def test_g2_pages_forward_and_a_window_in_the_middle_bring_what_was_asked_for(api: Api, project: str) -> None:
    """Users saw: page 100 to 120 only by way of reading everything."""
    path = session_path(project, "ana", "s1")
    api.put(path, {})
    grow_log(SessionKey(project, "ana", "s1"), 300)

    middle = api.get(f"{path}/events?afterSeq=100&limit=20").json
    assert [event["seq"] for event in middle["events"]] == list(range(101, 121))
    assert middle["next"] == 120
    assert [event["id"] for event in api.get(f"{path}?numRecentEvents=3").json["events"]] == ["e298", "e299", "e300"]
    assert api.get(f"{path}?numRecentEvents=0").json["events"] == []
    assert "next" not in api.get(f"{path}/events?afterSeq=290&limit=10").json


def test_g3_a_walk_of_450_brings_450(api: Api, project: str) -> None:
    """Users saw: limit 300 returns 100, page 2 equals page 1, and an export of 38 % of the store."""
    make_sessions(project, "ana", 450)
    walked = list(pages(api, f"/apps/{project}/sessions", "limit=200"))
    assert [len(page) for page in walked] == [200, 200, 50]
    assert len({each["id"] for page in walked for each in page}) == 450
    assert len(api.get(f"{user_path(project, 'ana')}/sessions").json) == 450

    path = session_path(project, "ana", "s000001")
    grow_log(SessionKey(project, "ana", "s000001"), 1050)
    assert len(api.get(path).json["events"]) == 1050
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        page = api.get(f"{path}/events?afterSeq={after}").json
        seen += [event["seq"] for event in page["events"]]
        after = page.get("next")
    assert seen == list(range(1, 1051))


@pytest.mark.parametrize("limit", ["0", "-1", "abc", "201", "1000", "1e2", "", "99999999999999999999", "٣", "1.0"])
def test_g3_a_limit_that_cannot_be_kept_is_refused_and_never_cut(api: Api, project: str, limit: str) -> None:
    """Users saw: a limit that was clamped without a word."""
    answer = api.get(f"/apps/{project}/sessions?limit={limit}")
    assert (answer.status, answer.fields) == (400, ["limit"])
    if limit not in ("201", "1000"):
        answer = api.get(f"{session_path(project, 'ana', 's')}/events?limit={limit}")
        assert (answer.status, answer.fields) == (400, ["limit"])


@pytest.mark.parametrize("query", ["offset=10", "page=2", "Limit=5", "limit=5&limit=6", "cursor=abc", "cursor="])
def test_g3_a_parameter_that_would_be_ignored_is_refused(api: Api, project: str, query: str) -> None:
    """Users saw: an unknown parameter ignored, so that a loop over the pages never ended."""
    make_sessions(project, "ana", 3)
    assert api.get(f"/apps/{project}/sessions?{query}").status == 400


def test_g3_a_cursor_belongs_to_its_list(api: Api, project: str) -> None:
    """Users saw: a cursor of one list quietly used in another."""
    make_sessions(project, "ana", 5)
    cursor = api.get(f"/apps/{project}/sessions?limit=2").json["next"]
    assert api.get(f"/apps/{project}/sessions?limit=4&cursor={cursor}").status == 200
    for other in ("order=created", "user=ana", "title=x"):
        answer = api.get(f"/apps/{project}/sessions?limit=2&{other}&cursor={cursor}")
        assert (answer.status, answer.fields) == (400, ["cursor"])
    assert api.get(f"/apps/{project}/sessions?cursor={cursor[:-1]}x").status == 400


def test_s19_a_list_of_many_sessions_carries_their_state_and_no_events(api: Api, project: str) -> None:
    """Users saw: a list without an end that carried whole sessions."""
    make_sessions(project, "ana", 60)
    grow_log(SessionKey(project, "ana", "s000005"), 50)
    page = api.get(f"/apps/{project}/sessions?order=created&limit=60").json
    assert [each["state"]["title"] for each in page["sessions"]] == [f"s{number:06}" for number in range(60)]
    assert all(each["events"] == [] for each in page["sessions"])
    assert "next" not in page
