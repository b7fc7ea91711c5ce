"""Whatever the body, an answer is 2xx or a problem below 500, and what is refused has written nothing."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sessions_app.api.routes import Call, every_call
from tests.sessions_app.http_client import Answer, Api
from tests.sessions_app.tables import dump_tables

pytestmark = pytest.mark.django_db

WRITES = pytest.mark.parametrize("call", [call for call in every_call() if call.body is not None], ids=str)
FUZZ = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

# Half characters and control characters included.
texts = st.text(st.characters(codec=None), max_size=12)
KEYS = [
    *("sessionId", "session_id", "state", "events", "title", "labels", "expiresAt", "stateDelta", "state_delta"),
    *(
        "removeKeys",
        "event",
        "expectedRevision",
        "id",
        "author",
        "invocationId",
        "invocation_id",
        "timestamp",
        "branch",
    ),
    *("actions", "content", "parts", "functionCall", "function_call", "args", "partial", "longRunningToolIds"),
    *("artifactDelta", "customMetadata", "compaction", "rewindBeforeInvocationId", "requestedAuthConfigs", "nodeInfo"),
    *("usageMetadata", "groundingMetadata", "message", "route", "seq", "user:x", "app:x", "temp:x", "app:", "", "x"),
]
keys = st.sampled_from(KEYS) | texts
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(["e-1", 2**70, -0.0, "nan"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(keys, values, max_size=5)


@st.composite
def near_bodies(draw: st.DrawFn, call: Call) -> Any:
    """The route's good body with some of its values replaced and some members added."""
    return _mutate(draw, json.loads(json.dumps(call.body)))


def _mutate(draw: st.DrawFn, value: Any) -> Any:
    if draw(st.integers(0, 5)) == 0:
        return draw(values)
    if isinstance(value, dict):
        changed = {key: _mutate(draw, item) for key, item in value.items()}
        return {**changed, **draw(st.dictionaries(keys, values, max_size=1))} if draw(st.booleans()) else changed
    if isinstance(value, list):
        return [_mutate(draw, item) for item in value]
    return value


def check(answer: Answer, before: Any) -> None:
    assert answer.status < 500, answer.text
    if answer.status >= 400:
        assert answer.code and answer.headers["content-type"] == "application/problem+json"
        assert dump_tables() == before
    else:
        json.loads(answer.text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def call_once(call: Call, api: Api, session: str, body: Any) -> None:
    project = session.split("/")[2]
    before = dump_tables()
    name = "s2" if call.key == ("session", "POST") else "s1"
    check(api(call.method, call.target(app=project, user="ana", session=name), body), before)
    # Whatever was written can be read again, and by every route.
    for path in (session, f"{session}/events", f"{session}/state", session[: -len("/s1")], f"/apps/{project}/sessions"):
        assert api.get(path).status == 200
    api.delete(f"{session[:-2]}s2")


@WRITES
@FUZZ
@given(data=st.data())
def test_no_body_near_a_good_one_is_a_crash(call: Call, api: Api, session: str, data: st.DataObject) -> None:
    call_once(call, api, session, data.draw(near_bodies(call)))


@WRITES
@FUZZ
@given(body=objects | values)
def test_no_json_is_a_crash(call: Call, api: Api, session: str, body: Any) -> None:
    call_once(call, api, session, json.dumps(body))


@WRITES
@FUZZ
@given(body=st.binary(max_size=60) | st.text('[]{}":,0123456789eE.-\\ntrufalsu \x00\ud800', max_size=40))
def test_no_bytes_are_a_crash(call: Call, api: Api, session: str, body: str | bytes) -> None:
    call_once(call, api, session, body)


PARAMETERS = ["user", "title", "label", "updatedAfter", "updatedBefore", "order", "limit", "cursor"]
PARAMETERS += ["afterSeq", "kind", "numRecentEvents", "afterTimestamp", "x"]
queries = st.lists(
    st.tuples(
        st.sampled_from(PARAMETERS),
        st.binary(max_size=8) | st.sampled_from([b"1", b"-1", b"a:b", b"created", b"state", b"2027-01-31T12:00:00Z"]),
    ),
    max_size=3,
)


@pytest.mark.parametrize("path", ["", "/events", "/state", "/..", "/list"], ids=str)
@FUZZ
@given(query=queries)
def test_no_query_is_a_crash(path: str, api: Api, session: str, project: str, query: list[tuple[str, bytes]]) -> None:
    targets = {"/..": session[: -len("/s1")], "/list": f"/apps/{project}/sessions"}
    target = targets.get(path, session + path)
    text = "&".join(f"{name}={''.join(f'%{byte:02X}' for byte in value)}" for name, value in query)
    before = dump_tables()
    check(api.get(f"{target}?{text}"), before)
