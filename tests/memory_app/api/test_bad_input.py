"""Whatever a request holds that is wrong, the answer names the field, and nothing is written."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.memory_app.person import Person
from tests.memory_app.stored import dump
from tests.sessions_app.http_client import Answer

pytestmark = pytest.mark.django_db

TEXT: Any = {"parts": [{"text": "I like tea"}]}
LONG = "x" * 10_001


@pytest.fixture
def known(ana: Person) -> Iterator[Person]:
    """Someone with a session, a memory and a tombstone; afterwards all rows must be as they were."""
    ana.tell("s1", "I live in Porto.")
    ana.add("gone", key="gone")
    ana.forget(key="gone")
    before = _rows()
    yield ana
    assert _rows() == before


def _rows() -> object:
    return {
        table: [{name: value for name, value in row.items() if name != "last_used_at"} for row in rows]
        for table, rows in dump("sessions_app", "memory_app", "jobs_app").items()
    }


def refuses(answer: Answer, field: str) -> None:
    assert (answer.status, answer.code) == (400, "invalid_request"), answer.text
    assert answer.fields == [field], answer.text
    assert "Traceback" not in answer.text


WRONG = [None, 1, True, [], {}, 1.5]
NO_TEXT: list[Any] = [*WRONG, "", "  ", "\n\t"]

SEARCHES: list[tuple[Any, str]] = [
    *(({"query": value}, "query") for value in [*NO_TEXT, LONG]),
    ({}, "query"),
    ([], "body"),
    ("text", "body"),
    *(({"query": "x", "limit": value}, "limit") for value in [0, -1, 101, 1.5, "10", True, None, [], 1e3, 10**30]),
    *(({"query": "x", "kinds": value}, "kinds") for value in ["FACT", [1], ["fact"], {}, [[]], [{}], [None], True]),
    *(({"query": "x", "standing": value}, "standing") for value in [None, 1, "true", []]),
    *(({"query": "x", "explain": value}, "explain") for value in [None, 0, "false", {}]),
    *(({"query": "x", "forPrompt": value}, "forPrompt") for value in [None, 1, "true"]),
    ({"query": "x", "forPrompt": True, "limit": 5}, "limit"),
    *(({"query": "x", "minSeq": value}, "minSeq") for value in [1, "s1", [], True]),
    ({"query": "x", "minSeq": {}}, "minSeq.sessionId"),
    ({"query": "x", "minSeq": {"sessionId": "s1"}}, "minSeq.seq"),
    ({"query": "x", "minSeq": {"sessionId": "", "seq": 1}}, "minSeq.sessionId"),
    ({"query": "x", "minSeq": {"sessionId": 1, "seq": 1}}, "minSeq.sessionId"),
    ({"query": "x", "minSeq": {"sessionId": "x" * 256, "seq": 1}}, "minSeq.sessionId"),
    *(
        ({"query": "x", "minSeq": {"sessionId": "s1", "seq": value}}, "minSeq.seq")
        for value in [-1, "1", 1.5, None, 2**63]
    ),
    ({"query": "x", "minSeq": {"sessionId": "s1", "seq": 1, "x": 1}}, "minSeq.x"),
    ({"query": "x", "user": "bo"}, "user"),
    ({"query": "x", "queries": []}, "queries"),
]


@pytest.mark.parametrize(("body", "field"), SEARCHES, ids=str)
def test_search(known: Person, body: Any, field: str) -> None:
    refuses(known.api.post(f"{known.path}/memories:search", body), field)


ENTRIES: list[tuple[Any, str]] = [
    *((value, "memories[0]") for value in [None, 1, "text", [], True]),
    ({}, "memories[0].content.parts"),
    *(({"content": value}, "memories[0].content") for value in [1, "text", [], True]),
    *(({"content": {"parts": value}}, "memories[0].content.parts") for value in [*WRONG, "text"]),
    ({"content": {"parts": [{"text": " "}]}}, "memories[0].content.parts"),
    ({"content": {"parts": [{"text": 5}]}}, "memories[0].content.parts"),
    ({"content": {"parts": [{"inlineData": {}}]}}, "memories[0].content.parts"),
    *(({"content": TEXT, "kind": value}, "memories[0].kind") for value in ["fact", "", None, 1, [], {}, ["FACT"]]),
    *(
        ({"content": TEXT, "confidence": value}, "memories[0].confidence")
        for value in ["1", -0.1, 1.1, None, True, [], "NaN"]
    ),
    *(({"content": TEXT, "key": value}, "memories[0].key") for value in [1, [], {}, True, "x" * 256, "a\nb", ".."]),
    *(({"content": TEXT, "id": value}, "memories[0].id") for value in [1, [], {}, True, "x" * 256, "a\x00b"]),
    *(({"content": TEXT, "author": value}, "memories[0].author") for value in [1, [], "x" * 256, "a\nb"]),
    *(
        ({"content": TEXT, "timestamp": value}, "memories[0].timestamp")
        for value in ["", "yesterday", "2026-01-01", "2026-01-01T00:00:00", True, [], {}]
    ),
    *(({"content": TEXT, "customMetadata": value}, "memories[0].customMetadata") for value in [1, "x", [], True]),
    ({"content": TEXT, "ttl": 5}, "memories[0].ttl"),
    ({"content": TEXT, "custom_metadata": {}, "customMetadata": {}}, "memories[0].customMetadata"),
]


@pytest.mark.parametrize(("entry", "field"), ENTRIES, ids=str)
def test_add(known: Person, entry: Any, field: str) -> None:
    refuses(known.api.post(f"{known.path}/memories", {"memories": [entry]}), field)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("name", ["confidence", "timestamp"])
def test_add_knows_finite_numbers_only(known: Person, name: str, number: str) -> None:
    body = f'{{"memories": [{{"content": {{"parts": [{{"text": "x"}}]}}, "{name}": {number}}}]}}'
    answer = known.api.post(f"{known.path}/memories", body)
    assert answer.status == 400 and answer.fields, answer.text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "memories"),
        ({"memories": None}, "memories"),
        ({"memories": {}}, "memories"),
        ({"memories": []}, "memories"),
        ({"memories": [{"content": TEXT}] * 1001}, "memories"),
        ({"memories": [{"content": TEXT}], "customMetadata": 1}, "customMetadata"),
        ({"memories": [{"content": TEXT}], "wait": True}, "wait"),
        ({"memories": [{"content": TEXT}, {"content": {}}]}, "memories[1].content.parts"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_add_as_a_whole(known: Person, body: Any, field: str) -> None:
    refuses(known.api.post(f"{known.path}/memories", body), field)


FORGETS: list[tuple[Any, str]] = [
    ({"key": "gone"}, "reason"),
    *(({"key": "gone", "reason": value}, "reason") for value in [*NO_TEXT, "x" * 1001]),
    *(({"ids": value, "reason": "x"}, "ids") for value in [[], "x", {}, [1], [None], True, 5]),
    ({"ids": ["1"], "reason": "x"}, "ids[0]"),
    ({"ids": ["0189c0de-0000-7000-8000-000000000000", "x"], "reason": "x"}, "ids[1]"),
    ({"ids": ["0189c0de-0000-7000-8000-000000000000"] * 1001, "reason": "x"}, "ids"),
    *(({"key": value, "reason": "x"}, "key") for value in [1, [], {}, True, "", "x" * 256]),
    *(({"query": value, "reason": "x"}, "query") for value in [1, [], {}, True, "", LONG]),
    *(({"sessionId": value, "reason": "x"}, "sessionId") for value in [1, [], {}, True, "", "x" * 256]),
    *(({"kinds": value, "reason": "x"}, "kinds") for value in ["FACT", [], ["x"], [1], {}, True]),
    *(({"before": value, "reason": "x"}, "before") for value in ["", "x", [], {}, True]),
    *(({"key": "gone", "reason": "x", "dryRun": value}, "dryRun") for value in [None, 1, "true", []]),
    ({"key": "gone", "reason": "x", "dry": True}, "dry"),
]


@pytest.mark.parametrize(("body", "field"), FORGETS, ids=lambda value: str(value)[:60])
def test_forget(known: Person, body: Any, field: str) -> None:
    refuses(known.api.post(f"{known.path}/memories:forget", body), field)


EVENT: Any = {"author": "user", "content": {"parts": [{"text": "hello"}]}}
INGESTIONS: list[tuple[Any, str]] = [
    *(({"events": value}, "events") for value in [1, "x", {}, True]),
    ({"events": [EVENT] * 1001}, "events"),
    *(({"events": [value]}, "events[0]") for value in [None, 1, "x", [], True]),
    ({"events": [EVENT], "customMetadata": []}, "customMetadata"),
    ({"events": [EVENT], "through": 5}, "through"),
    ({"events": [{**EVENT, "id": 5}]}, "events[0].id"),
    ({"events": [{**EVENT, "timestamp": "now"}]}, "events[0].timestamp"),
]


@pytest.mark.parametrize(("body", "field"), INGESTIONS, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("route", ["memory/events", "sessions/s1/ingest"])
def test_ingest(known: Person, route: str, body: Any, field: str) -> None:
    refuses(known.api.post(f"{known.path}/{route}", body), field)


@pytest.mark.parametrize("value", [1, [], {}, True, "x" * 256, "a\nb"])
def test_ingest_into_a_session_that_cannot_be(known: Person, value: Any) -> None:
    refuses(known.api.post(f"{known.path}/memory/events", {"events": [EVENT], "sessionId": value}), "sessionId")
    refuses(known.api.patch(f"{known.path}/memory", {"sessionId": value}), "sessionId")
    refuses(known.api.patch(f"{known.path}/memory", {"session_id": value}), "sessionId")


@pytest.mark.parametrize("route", ["sessions/s1/ingest", "memory/events"])
@pytest.mark.parametrize(("query", "field"), [("wait=yes", "wait"), ("wait=", "wait"), ("waits=true", "waits")])
def test_ingest_waits_by_one_name_only(known: Person, route: str, query: str, field: str) -> None:
    """The job must not be there when the answer says that nothing was done."""
    refuses(known.api.post(f"{known.path}/{route}?{query}", {"events": [EVENT]}), field)


@pytest.mark.parametrize("memory", ["x", "1", "0189c0de", "%20", "0189c0de-0000-7000-8000-00000000000g"])
def test_an_id_that_is_none(known: Person, memory: str) -> None:
    field = "memoryId"
    for answer in (
        known.api.get(f"{known.path}/memories/{memory}"),
        known.api.get(f"{known.path}/memories/{memory}/history"),
        known.api.delete(f"{known.path}/memories/{memory}?reason=x"),
    ):
        refuses(answer, field)
    refuses(known.api.post(f"{known.path}/tombstones/{memory}/lift", {"reason": "x"}), "tombstoneId")
    refuses(known.api.get(f"/operations/{memory}"), "operationId")


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": 5}, {"reason": None}, {"reason": "x" * 1001}])
def test_lift(known: Person, body: Any) -> None:
    [tombstone, *_] = known.tombstones()
    refuses(known.api.post(f"{known.path}/tombstones/{tombstone['id']}/lift", body), "reason")


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ("memories?kind=fact", "kind"),
        ("memories?kind=", "kind"),
        ("memories?status=forgotten", "status"),
        ("memories?limit=0", "limit"),
        ("memories?limit=x", "limit"),
        ("memories?limit=1000", "limit"),
        ("memories?cursor=x", "cursor"),
        ("memories?sessionId=", "sessionId"),
        ("memories?key=", "key"),
        ("memories?key=a&key=b", "key"),
        ("memories?query=tea", "query"),
        ("tombstones?limit=-1", "limit"),
        ("tombstones?cursor=x", "cursor"),
        ("tombstones?status=any", "status"),
    ],
)
def test_lists(known: Person, target: str, field: str) -> None:
    refuses(known.api.get(f"{known.path}/{target}"), field)


def test_routes_without_parameters_take_none(known: Person) -> None:
    [memory, *_] = known.memories()
    for target in (
        f"{known.path}/memories/{memory['id']}?explain=true",
        f"{known.path}/memories/{memory['id']}/history?limit=5",
        f"/apps/{known.project}/memory/policy?user=ana",
    ):
        assert known.api.get(target).status == 400, target
    for target in (
        "memories:search?limit=5",
        "memories:forget?dryRun=true",
        "memories?wait=true",
        "memory?sessionId=s1",
    ):
        method = "PATCH" if target.startswith("memory?") else "POST"
        bodies = {"memories:search": {"query": "x"}, "memories:forget": {"key": "nothing", "reason": "x"}}
        bodies |= {"memories": {"memories": [{"content": TEXT}]}, "memory": {"sessionId": "s1"}}
        answer = known.api(method, f"{known.path}/{target}", bodies[target.partition("?")[0]])
        assert answer.status == 400, target
    [tombstone, *_] = known.tombstones()
    answer = known.api.post(f"{known.path}/tombstones/{tombstone['id']}/lift?force=1", {"reason": "x"})
    assert answer.status == 400


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"query": "a", "query": "b"}', b"[" * 200, b'"x"', b"null"])
def test_bodies_that_are_no_json(known: Person, body: bytes) -> None:
    for target in ("memories:search", "memories:forget", "memories"):
        answer = known.api.post(f"{known.path}/{target}", body)
        assert (answer.status, answer.code) == (400, "invalid_request"), answer.text
        assert len(answer.fields) == 1
