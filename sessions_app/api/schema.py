"""What the OpenAPI document says of each route. The shapes are ADK's; the examples are the contract in small."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

JsonSchema = dict[str, Any]

TEXT: JsonSchema = {"type": "string"}
SECONDS: JsonSchema = {"type": "number", "format": "double", "description": "Epoch seconds."}
COUNT: JsonSchema = {"type": "integer", "minimum": 0}
FREE: JsonSchema = {"type": "object", "additionalProperties": True}
LABELS: JsonSchema = {"type": "object", "additionalProperties": TEXT}
EVENT: JsonSchema = FREE | {
    "title": "Event",
    "description": "ADK's Event. It comes back as it was sent, unknown fields included.",
}


def shape(required: tuple[str, ...] = (), /, **properties: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def named(title: str, schema: JsonSchema) -> JsonSchema:
    """A schema that generated clients know by name (see ``shared/openapi.py``)."""
    return {**schema, "title": title}


def list_of(item: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": item}


SESSION = named(
    "Session",
    shape(
        ("id", "appName", "userId", "state", "events", "lastUpdateTime", "revision", "lastSeq"),
        id=TEXT,
        appName=TEXT,
        userId=TEXT,
        state=FREE,
        events=list_of(EVENT),
        lastUpdateTime=SECONDS,
        createTime=SECONDS,
        revision=COUNT,
        lastSeq=COUNT,
        title=TEXT,
        labels=LABELS,
        expiresAt=SECONDS,
    ),
)
_FACTS = {
    "title": TEXT | {"maxLength": 255, "nullable": True},
    "labels": LABELS,
    "expiresAt": SECONDS | {"nullable": True},
}
_BEGINNING = {"state": FREE, "events": list_of(EVENT), **_FACTS}
APPENDED = named(
    "AppendedEvent",
    shape(
        ("event", "seq", "revision", "lastUpdateTime", "repeated"),
        event=EVENT,
        seq=COUNT,
        revision=COUNT,
        lastUpdateTime=SECONDS,
        repeated={"type": "boolean", "description": "It had been stored before this request."},
    ),
)
PROBLEM = named(
    "Problem",
    shape(
        ("type", "title", "status", "code", "detail"),
        type=TEXT,
        title=TEXT,
        status={"type": "integer"},
        code=TEXT | {"description": "Stable; the word to test for."},
        detail=TEXT,
        errors=list_of(shape(("field", "rule"), field=TEXT, rule=TEXT)),
        requestId=TEXT,
        revision=COUNT | {"description": "With stale_session: the current one."},
        limit=COUNT | {"description": "With 413: the limit in bytes."},
    ),
)

_PROBLEMS = {
    400: "invalid_request: malformed JSON, or a field that breaks the rule which `errors` names; partial_event.",
    401: "unauthenticated: no API key, or one that is unknown, expired or revoked.",
    403: "scope_missing, user_bound_key, app_state_forbidden: the key may not do this anywhere.",
    404: "project_not_found, session_not_found, not_found: missing, or of another project or user.",
    405: "method_not_allowed.",
    409: "session_exists, stale_session, event_conflict.",
    413: "payload_too_large, event_too_large, state_too_large; `limit` has the bytes accepted.",
    415: "unsupported_media_type: the body is not application/json.",
    429: "rate_limited; Retry-After has the seconds to wait.",
    500: "internal_error: a fault of the server, logged under the request id.",
    503: "unavailable: the database does not answer; safe to try again.",
}
_ALWAYS = (400, 401, 403, 404, 405, 429, 500, 503)


def describe(
    operation: str,
    answer: JsonSchema,
    *,
    body: JsonSchema | None = None,
    query: tuple[OpenApiParameter, ...] = (),
    also: tuple[int, ...] = (),
    status: int = 200,
    tag: str = "sessions",
) -> Callable:
    """Documents one method of a view: its answer, its body and query, and every problem it can come back with."""
    statuses = sorted({*_ALWAYS, *also, *((413, 415) if body else ())})
    problems = {
        (status, "application/problem+json"): OpenApiResponse(PROBLEM, _PROBLEMS[status]) for status in statuses
    }
    return extend_schema(
        operation_id=operation,
        tags=[tag],
        request={"application/json": body} if body else None,
        parameters=list(query),
        responses={(status, "application/json"): OpenApiResponse(answer), **problems},
    )


def query(name: str, kind: type, description: str, **options: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, **options)


_WINDOW = (
    query("numRecentEvents", int, "Only the last so many events; 0 for none. The state is full in any case."),
    query("afterTimestamp", float, "Only events not older than this, in epoch seconds."),
)
_LIMIT = query("limit", int, "The page size; more than the largest is refused, not cut.")

list_apps = describe("listApps", list_of(TEXT))
page_sessions = describe(
    "pageSessions",
    shape(("sessions",), sessions=list_of(SESSION), next=TEXT | {"description": "The next page's cursor, if any."}),
    query=(
        query("user", str, "One user's sessions."),
        query("title", str, "Part of the title, whatever its case."),
        query("label", str, "`key:value`; may be repeated, all must be there.", many=True),
        query("updatedAfter", str, "Inclusive: epoch seconds, or ISO 8601 with a zone."),
        query("updatedBefore", str, "Inclusive: epoch seconds, or ISO 8601 with a zone."),
        query("order", str, "Default -updated.", enum=["-updated", "updated", "-created", "created"]),
        _LIMIT,
        query("cursor", str, "`next` of the page before."),
    ),
)
read_app_state = describe("readAppState", FREE)
read_user_state = describe("readUserState", FREE)
list_sessions = describe("listSessions", list_of(SESSION))
create_session = describe("createSession", SESSION, body=shape((), sessionId=TEXT, **_BEGINNING), also=(409,))
get_session = describe("getSession", SESSION, query=_WINDOW)
open_session = describe("openSession", SESSION, body=shape((), **_BEGINNING), query=_WINDOW, also=(409,))
create_session_with_id = describe("createSessionWithId", SESSION, body=FREE, also=(409,))
patch_session = describe(
    "patchSession", SESSION, body=shape((), stateDelta=FREE, removeKeys=list_of(TEXT), **_FACTS), query=_WINDOW
)
delete_session = describe(
    "deleteSession",
    {"nullable": True, "description": "null"},
    query=(query("forget", bool, "Forget the memories that came from it too; else they stay, as ADK's do."),),
)
read_session_state = describe("readSessionState", FREE)
list_events = describe(
    "listEvents",
    shape(("events",), events=list_of(EVENT), next=COUNT | {"description": "afterSeq of the next page, if any."}),
    query=(
        query("afterSeq", int, "Only events after this seq."),
        _LIMIT,
        query("kind", str, "Only this kind; may be repeated.", many=True),
    ),
)
_EXPECTED = COUNT | {"description": "Refuse with stale_session unless this is the current revision."}
append_event = describe(
    "appendEvent", APPENDED, body=shape(("event",), event=EVENT, expectedRevision=_EXPECTED), also=(409,)
)
append_batch = describe(
    "appendEvents",
    shape(("events", "revision", "lastUpdateTime"), events=list_of(APPENDED), revision=COUNT, lastUpdateTime=SECONDS),
    body=shape(("events",), events=list_of(EVENT), expectedRevision=_EXPECTED),
    also=(409,),
)
