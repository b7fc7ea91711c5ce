"""Query parameters: what is unknown, doubled, malformed or too large is refused, and never means "no filter".

Known failures E7, E13, E15, G3, C4.
"""

from urllib.parse import quote

import pytest

from adk_project.shared.pagination import encode_cursor
from tests.sessions_app.api.routes import Call, every_call
from tests.sessions_app.http_client import Api, user_path
from tests.sessions_app.refusals import refuses
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db

INJECTIONS = [
    "x' OR '1'='1' --",
    '"',
    ")",
    "->",
    "user__id",
    "user_id",
    "project",
    "project__name",
    "pk",
    "id",
    "expires_at",
]
INJECTIONS += [
    "labels__key",
    ";",
    "$ne",
    "k" * 10_000,
    "\U0001f600",
    "title__icontains",
    "user__isnull",
    "a\0b",
    "label[]",
]


@pytest.fixture
def page(project: str, api: Api) -> str:
    """The list of all sessions of a project that has some."""
    for user in ("ana", "O'Brien", "0"):
        assert (
            api.post(f"{user_path(project, user)}/sessions", {"sessionId": "s", "title": "Tom's 100% _x_"}).status
            == 200
        )
    return f"/apps/{project}/sessions"


@pytest.mark.parametrize("name", ["bogus", "offset", "userId", "user_id", "Limit", "key", "atSeq2", "limit ", ""])
@pytest.mark.parametrize("call", [call for call in every_call() if call.name != "list-apps"], ids=str)
def test_an_unknown_parameter_is_refused_before_anything_is_done(
    call: Call, name: str, api: Api, project: str, session: str
) -> None:
    """E13, G3: a misspelt parameter must not be taken for its absence."""
    target = call.target(app=project, user="ana", session="s2" if call.key == ("session", "POST") else "s1")
    if call.method == "HEAD":
        assert api("HEAD", f"{target}?{quote(name)}=1").status == 400
    else:
        refuses(api, call.method, f"{target}?{quote(name)}=1", call.body, field=name)


@pytest.mark.parametrize("name", INJECTIONS, ids=lambda name: ascii(name[:20]))
def test_a_filter_that_is_not_declared_is_refused(name: str, api: Api, page: str) -> None:
    """E7: no name from a caller reaches a statement."""
    refuses(api, "GET", f"{page}?{quote(name)}=z", field=name[:64])


@pytest.mark.parametrize("order", INJECTIONS, ids=lambda name: ascii(name[:20]))
def test_an_order_that_is_not_declared_is_refused(order: str, api: Api, page: str) -> None:
    refuses(api, "GET", f"{page}?order={quote(order)}", field="order")
    for odd in ("", "--created", "+created", "-created,updated", "Created", "?", "last_update_time"):
        refuses(api, "GET", f"{page}?order={quote(odd)}", field="order")


def test_values_are_literal_text(api: Api, page: str) -> None:
    def users(query: str) -> set[str]:
        return {row["userId"] for row in api.get(f"{page}?{query}").json["sessions"]}

    everyone = {"ana", "O'Brien", "0"}
    assert users("user=O%27Brien") == {"O'Brien"}
    assert users("user=0") == {"0"}, "E15: the text 0 is a real user"
    assert users("user=%25") == users("user=_") == users("user=O%27Brie_") == users("user=ANA") == set()
    assert users("title=TOM%27S") == users("title=100%25") == users("title=_x_") == everyone
    assert users("title=%25x") == users("title=%5C") == users("title=' OR 1=1 --") == set()
    assert users("label=a:b' OR '1'='1") == users("label=a:%25") == set()


@pytest.mark.parametrize("name", ["user", "title", "updatedAfter", "updatedBefore"])
def test_a_filter_for_nothing_is_refused(name: str, api: Api, page: str) -> None:
    """E15: an empty filter is no filter in one place and all in another; here it is neither."""
    for blank in ("", "%20", "%09%0A"):
        refuses(api, "GET", f"{page}?{name}={blank}", field=name)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("user=a%00b", "user"),
        ("user=..", "user"),
        (f"user={'x' * 256}", "user"),
        ("title=a%00b", "title"),
        (f"title={'x' * 256}", "title"),
        (f"title={'%25' * 60_000}", "title"),
        ("label=", "label"),
        ("label=a", "label"),
        ("label=:b", "label"),
        ("label=a%00:b", "label"),
        ("&".join(["label=a:b"] * 65), "label"),
        ("user=a&user=b", "user"),
        ("limit=1&limit=1", "limit"),
        ("updatedAfter=1&updated_after=1", "updated_after"),
        ("updatedAfter=yesterday", "updatedAfter"),
        ("updatedAfter=nan", "updatedAfter"),
        ("updatedBefore=Infinity", "updatedBefore"),
        ("updatedBefore=1e400", "updatedBefore"),
        ("updatedBefore=1_000", "updatedBefore"),
        ("updatedBefore=%D9%A1", "updatedBefore"),
        # C4: a time without a zone is no moment.
        ("updatedAfter=2027-01-31T12:00:00", "updatedAfter"),
        ("updatedAfter=2027-01-31", "updatedAfter"),
        ("updatedAfter=2027-02-30T12:00:00Z", "updatedAfter"),
        ("updatedAfter=2027-01-31T12:00:00%2B99:00", "updatedAfter"),
    ],
    ids=lambda value: value[:30],
)
def test_a_filter_that_breaks_its_rule_is_refused(query: str, field: str, api: Api, page: str) -> None:
    refuses(api, "GET", f"{page}?{query}", field=field)


@pytest.mark.parametrize(
    "moment",
    ["1e3", "-1", "0.5", "1e308", "-1e308", "1e-320", "0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59"],
)
def test_any_moment_is_a_filter(moment: str, api: Api, page: str) -> None:
    found = [len(api.get(f"{page}?{name}={moment}").json["sessions"]) for name in ("updatedAfter", "updatedBefore")]
    assert sorted(found) == [0, 3]


def test_one_moment_in_its_spellings_is_one_moment(api: Api, project: str) -> None:
    """C4."""
    path = f"/apps/{project}/users/ana/sessions/s"
    assert api.put(path, {"events": [{"timestamp": 1800000000.25}]}).status == 200
    spellings = ["1800000000.25", "2027-01-15T08:00:00.250Z", "2027-01-15T08:00:00.25%2B00:00"]
    # A plus that was not escaped reaches the server as a blank.
    spellings += ["2027-01-15T13:30:00.25+05:30", "2027-01-14T20:00:00.250-12:00"]
    for spelling in spellings:
        for name in ("updatedAfter", "updatedBefore"):
            assert len(api.get(f"/apps/{project}/sessions?{name}={spelling}").json["sessions"]) == 1, (name, spelling)
    assert api.get(f"/apps/{project}/sessions?updatedAfter=2027-01-15T08:00:00.251Z").json["sessions"] == []


@pytest.mark.parametrize(
    "value", ["0", "-1", "abc", "1.5", "1e2", "", " ", "+1", "%D9%A1", "201", "1001", "9" * 5000, "0x1"]
)
def test_a_page_size_out_of_its_bounds_is_refused_and_never_cut(value: str, api: Api, page: str, session: str) -> None:
    """G3."""
    refuses(api, "GET", f"{page}?limit={value}", field="limit")
    if value != "201":
        refuses(api, "GET", f"{session}/events?limit={value}", field="limit")


@pytest.mark.parametrize("value", ["-1", "abc", "1.5", "1e2", "", "+1", "%D9%A1", "9" * 19, "9" * 5000, "%00"])
def test_a_count_that_is_none_is_refused(value: str, api: Api, session: str) -> None:
    """C6: also a negative one."""
    for method, body in (("GET", None), ("PUT", {}), ("PATCH", {"title": "T"})):
        refuses(api, method, f"{session}?numRecentEvents={value}", body, field="numRecentEvents")
    refuses(api, "GET", f"{session}/events?afterSeq={value}", field="afterSeq")


@pytest.mark.parametrize("value", ["nan", "inf", "Infinity", "1e400", "", "abc", "2027-01-31T12:00:00Z", "1_0", "0x1"])
def test_a_timestamp_that_is_none_is_refused(value: str, api: Api, session: str) -> None:
    for method, body in (("GET", None), ("PUT", {}), ("PATCH", {"title": "T"})):
        refuses(api, method, f"{session}?afterTimestamp={value}", body, field="afterTimestamp")


@pytest.mark.parametrize("kind", ["", "genesis", "Conversation", "message", "conversation,state", "a%00"])
def test_an_unknown_kind_of_event_is_refused(kind: str, api: Api, session: str) -> None:
    refuses(api, "GET", f"{session}/events?kind=state&kind={kind}", field="kind")


def test_a_cursor_serves_the_list_that_gave_it_only(api: Api, page: str, project: str, make_project, make_key) -> None:
    cursor = api.get(f"{page}?limit=1&order=created").json["next"]
    assert len(api.get(f"{page}?limit=2&order=created&cursor={cursor}").json["sessions"]) == 2
    other = make_project()
    refuses(Api(make_key(other)), "GET", f"/apps/{other}/sessions?order=created&cursor={cursor}", field="cursor")
    for query in ("order=-created", "", "order=created&user=ana", "order=created&label=a:b", "order=created&title=T"):
        refuses(api, "GET", f"{page}?{query}&cursor={cursor}", field="cursor")


def test_a_cursor_that_this_server_did_not_give_is_refused(api: Api, page: str) -> None:
    cursor = api.get(f"{page}?limit=1&order=created").json["next"]
    head, _, signature = cursor.partition(":")
    forged = [
        head,
        f"{head}:{signature[:-1]}",
        f"{head[:-1]}:{signature}",
        f":{signature}",
        cursor.swapcase(),
        cursor + "x",
    ]
    other = encode_cursor([10**30], {"anything": 1})
    for bad in [*forged, other, "", "1", "x", "%00", "%F0%9F%98%80", "a:b:c", "..", "' OR 1=1", "x" * 100_000]:
        refuses(api, "GET", f"{page}?order=created&cursor={bad}", field="cursor")


def test_too_many_parameters_are_a_problem_too(api: Api, page: str) -> None:
    with nothing_changes():
        answer = api.get(f"{page}?" + "&".join(f"p{number}=1" for number in range(1001)))
    assert answer.status == 400 and answer.code == "invalid_request"
    assert "too many parameters" in answer.text


def test_a_host_that_is_not_allowed_is_a_problem(api: Api, page: str) -> None:
    answer = refuses(api, "GET", page, field=None, HTTP_HOST="evil.example")
    assert "THREEFOLD_ALLOWED_HOSTS" in answer.json["detail"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST", "OPTIONS", "TRACE", "PROPFIND"])
def test_a_method_that_a_route_does_not_have_is_refused(method: str, api: Api, page: str) -> None:
    answer = refuses(api, method, page, {}, field=None, status=405, code="method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_an_unknown_path_is_a_problem(api: Api, page: str, session: str) -> None:
    for target in (
        f"{page}/",
        f"{session}/bogus",
        f"{session}/events/1",
        "/apps",
        "/api/v1",
        "/api/v2/list-apps",
        "/%00",
    ):
        refuses(api, "GET", target, field=None, status=404, code="route_not_found")
