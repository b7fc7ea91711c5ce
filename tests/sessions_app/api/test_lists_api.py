"""Lists of sessions over REST: ADK's own, and the pages of a whole project with filters, orders and cursors."""

from typing import Any

import pytest

from tests.sessions_app.http_client import Api, segment, session_path, user_path

pytestmark = pytest.mark.django_db(transaction=True)


def ids(answer: Any) -> list[str]:
    return [row["id"] for row in answer.json["sessions"]]


def make(api: Api, project: str, user: str, session: str, **body: Any) -> str:
    path = session_path(project, user, session)
    assert api.put(path, body).status == 200
    return path


def walk(api: Api, target: str, limit: int) -> list[list[str]]:
    """The ids of all pages."""
    pages, cursor = [], ""
    while cursor is not None:
        answer = api.get(f"{target}&limit={limit}{cursor and f'&cursor={cursor}'}")
        pages.append(ids(answer))
        cursor = answer.json.get("next")
    return pages


# ADK's list.


def test_adks_list_has_no_events_full_state_and_adks_order(api: Api, project: str) -> None:
    """D7, C3: the least recently updated first, then by id."""
    for session, timestamp in (("b", 5), ("a", 5), ("new", 9), ("old", 1)):
        make(
            api,
            project,
            "ana",
            session,
            state={"own": session},
            events=[{"timestamp": timestamp}],
            title=f"T {session}",
        )
    make(api, project, "bo", "x", state={"app:flag": True, "user:lang": "de"})
    make(api, project, "ana", "e", state={"user:lang": "fr"}, events=[{"timestamp": 7}])
    rows = api.get(f"{user_path(project, 'ana')}/sessions").json
    assert [row["id"] for row in rows] == ["old", "a", "b", "e", "new"]
    assert {row["userId"] for row in rows} == {"ana"} and all(row["events"] == [] for row in rows)
    assert rows[0]["state"] == {"own": "old", "user:lang": "fr", "app:flag": True} and rows[0]["title"] == "T old"
    for row in rows:
        one = api.get(f"{session_path(project, 'ana', row['id'])}?numRecentEvents=0").json
        assert one == row


def test_adks_list_is_never_cut(api: Api, project: str) -> None:
    """G3."""
    for number in range(230):
        make(api, project, "ana", f"{number:03}")
    assert len(api.get(f"{user_path(project, 'ana')}/sessions").json) == 230
    assert sum(map(len, walk(api, f"/apps/{project}/sessions?user=ana", 200))) == 230
    first = api.get(f"/apps/{project}/sessions").json
    assert len(first["sessions"]) == 50 and first["next"], "a default page says that there is more"


# Pages of a project.


@pytest.fixture
def many(api: Api, project: str) -> str:
    """Seven sessions of three users, s0 the oldest in both senses; three of them share one update time."""
    for number, timestamp in enumerate([10, 20, 30, 30, 30, 40, 50]):
        user = ("ana", "bo", "O'Brien")[number % 3]
        labels = {"team": "red" if number % 2 else "blue", "n": str(number)}
        make(api, project, user, f"s{number}", title=f"Talk {number}", labels=labels, events=[{"timestamp": timestamp}])
    return f"/apps/{project}/sessions"


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 200])
@pytest.mark.parametrize("order", ["-updated", "updated", "-created", "created"])
def test_every_page_size_and_order_shows_each_session_once(order: str, limit: int, api: Api, many: str) -> None:
    pages = walk(api, f"{many}?order={order}", limit)
    rows = [row for page in pages for row in page]
    expected = [f"s{number}" for number in range(7)]
    assert rows == (expected[::-1] if order.startswith("-") else expected)
    assert all(len(page) == limit for page in pages[:-1]) and 0 < len(pages[-1]) <= limit


def test_the_default_order_is_the_latest_update_first(api: Api, many: str) -> None:
    assert ids(api.get(many)) == ids(api.get(f"{many}?order=-updated")) == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("user=ana", "036"),
        ("user=O%27Brien", "25"),
        ("user=Ana", ""),
        ("title=talk", "0123456"),
        ("title=TALK%205", "5"),
        ("title=%204", "4"),
        ("label=team:red", "135"),
        ("label=team:red&label=n:3", "3"),
        ("label=team:red&label=team:blue", ""),
        ("label=team:re", ""),
        ("label=n:", ""),
        ("updatedAfter=30", "23456"),
        ("updatedBefore=30", "01234"),
        ("updated_after=20&updated_before=30", "1234"),
        ("updatedAfter=1970-01-01T00:00:40Z", "56"),
        ("updatedAfter=50.000001", ""),
        ("user=bo&label=team:red&updatedAfter=11&title=Talk", "1"),
    ],
)
def test_filters_narrow_the_list_together(query: str, expected: str, api: Api, many: str) -> None:
    for limit in (2, 200):
        rows = [row for page in walk(api, f"{many}?order=created&{query}", limit) for row in page]
        assert rows == [f"s{number}" for number in expected]


def test_a_label_may_hold_colons_and_sixty_four_may_be_asked_for(api: Api, project: str) -> None:
    labels = {f"k{number}": f"v:{number}" for number in range(64)}
    make(api, project, "ana", "s", labels=labels)
    query = "&".join(f"label={segment(f'{key}:{value}')}" for key, value in labels.items())
    assert ids(api.get(f"/apps/{project}/sessions?{query}")) == ["s"]


def test_titles_are_found_by_any_part_whatever_it_is(api: Api, project: str) -> None:
    titles = ["100%", "a_b", "back\\slash", "用户的问题", "Naïve café", "[x]*?", "tail "]
    for number, title in enumerate(titles):
        make(api, project, "ana", f"s{number}", title=title)
    for part, expected in (
        ("%", "0"),
        ("_", "1"),
        ("\\", "2"),
        ("的问", "3"),
        ("ïve CAF", "4"),
        ("[x]*", "5"),
        ("TAIL", "6"),
    ):
        assert ids(api.get(f"/apps/{project}/sessions?title={segment(part)}")) == [f"s{expected}"], part


def test_a_row_of_a_page_is_the_session_without_its_events(api: Api, many: str, project: str) -> None:
    api.patch(session_path(project, "ana", "s0"), {"stateDelta": {"a": 1, "user:b": 2, "app:c": 3}})
    for row in api.get(many).json["sessions"]:
        path = session_path(project, row["userId"], row["id"])
        assert row == api.get(f"{path}?numRecentEvents=0").json and row["events"] == []


@pytest.mark.parametrize("order", ["created", "-created"])
def test_pages_by_creation_neither_miss_nor_repeat_while_sessions_change(
    order: str, api: Api, many: str, project: str
) -> None:
    """G3: updates, deletions behind the cursor and new sessions move nothing."""
    seen, cursor, step = [], "", 0
    while cursor is not None:
        answer = api.get(f"{many}?order={order}&limit=2{cursor and f'&cursor={cursor}'}")
        seen += ids(answer)
        for number in range(7):
            owner = ("ana", "bo", "O'Brien")[number % 3]
            path = session_path(project, owner, f"s{number}")
            if api.get(path).status == 200:
                assert api.post(f"{path}/events", {"event": {"timestamp": 1000 - 100 * step + number}}).status == 200
        api.delete(session_path(project, ("ana", "bo", "O'Brien")[int(seen[0][1:]) % 3], seen[0]))
        cursor, step = answer.json.get("next"), step + 1
    expected = [f"s{number}" for number in range(7)]
    assert seen == (expected if order == "created" else expected[::-1])


def test_a_cursor_goes_on_after_its_session_is_gone(api: Api, many: str, project: str) -> None:
    first = api.get(f"{many}?order=created&limit=1").json
    api.delete(session_path(project, "ana", "s0"))
    api.delete(session_path(project, "bo", "s1"))
    assert ids(api.get(f"{many}?order=created&limit=2&cursor={first['next']}")) == ["s2", "s3"]


def test_equal_and_odd_update_times_are_paged_exactly(api: Api, project: str) -> None:
    times = [0.1 + 0.2, 0.3, 0.30000000000000004, 1e308, -1e308, -0.0, 0.0, 5e-324, 1700000000.1234567]
    for number, timestamp in enumerate(times):
        make(api, project, "ana", f"s{number}", events=[{"timestamp": timestamp}])
    for order in ("updated", "-updated"):
        rows = [row for page in walk(api, f"/apps/{project}/sessions?order={order}", 1) for row in page]
        assert sorted(rows) == [f"s{number}" for number in range(len(times))]
        shown = [times[int(row[1:])] for row in rows]
        assert shown == sorted(times, reverse=order == "-updated")


def test_an_empty_list_is_empty(api: Api, project: str) -> None:
    assert api.get(f"/apps/{project}/sessions").text == '{"sessions":[]}'
    assert api.get(f"{user_path(project, 'nobody')}/sessions").text == "[]"
