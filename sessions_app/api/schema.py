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


def _object(required: tuple[str, ...] = (), /, **properties: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def _named(title: str, schema: JsonSchema) -> JsonSchema:
    """A schema that generated clients know by name (see ``shared/openapi.py``)."""
    return {**schema, "title": title}


def _list_of(item: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": item}


SESSION = _named(
    "Session",
    _object(
        ("id", "appName", "userId", "state", "events", "lastUpdateTime", "revision", "lastSeq"),
        id=TEXT,
        appName=TEXT,
        userId=TEXT,
        state=FREE,
        events=_list_of(EVENT),
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
_BEGINNING = {"state": FREE, "events": _list_of(EVENT), **_FACTS}
APPENDED = _named(
    "AppendedEvent",
    _object(
        ("event", "seq", "revision", "lastUpdateTime", "repeated"),
        event=EVENT,
        seq=COUNT,
        revision=COUNT,
        lastUpdateTime=SECONDS,
        repeated={"type": "boolean", "description": "It had been stored before this request."},
    ),
)
PROBLEM = _named(
    "Problem",
    _object(
        ("type", "title", "status", "code", "detail"),
        type=TEXT,
        title=TEXT,
        status={"type": "integer"},
        code=TEXT | {"description": "Stable; the word to test for."},
        detail=TEXT,
        errors=_list_of(_object(("field", "rule"), field=TEXT, rule=TEXT)),
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


def _describe(
    operation: str, answer: JsonSchema, *, body: JsonSchema | None = None, query: tuple = (), also: tuple[int, ...] = ()
) -> Callable:
    statuses = sorted({*_ALWAYS, *also, *((413, 415) if body else ())})
    problems = {
        (status, "application/problem+json"): OpenApiResponse(PROBLEM, _PROBLEMS[status]) for status in statuses
    }
    return extend_schema(
        operation_id=operation,
        tags=["sessions"],
        request={"application/json": body} if body else None,
        parameters=list(query),
        responses={(200, "application/json"): OpenApiResponse(answer), **problems},
    )


def _query(name: str, kind: type, description: str, **options: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, **options)


_WINDOW = (
    _query("numRecentEvents", int, "Only the last so many events; 0 for none. The state is full in any case."),
    _query("afterTimestamp", float, "Only events not older than this, in epoch seconds."),
)
_LIMIT = _query("limit", int, "The page size; more than the largest is refused, not cut.")

list_apps = _describe("listApps", _list_of(TEXT))
page_sessions = _describe(
    "pageSessions",
    _object(("sessions",), sessions=_list_of(SESSION), next=TEXT | {"description": "The next page's cursor, if any."}),
    query=(
        _query("user", str, "One user's sessions."),
        _query("title", str, "Part of the title, whatever its case."),
        _query("label", str, "`key:value`; may be repeated, all must be there.", many=True),
        _query("updatedAfter", str, "Inclusive: epoch seconds, or ISO 8601 with a zone."),
        _query("updatedBefore", str, "Inclusive: epoch seconds, or ISO 8601 with a zone."),
        _query("order", str, "Default -updated.", enum=["-updated", "updated", "-created", "created"]),
        _LIMIT,
        _query("cursor", str, "`next` of the page before."),
    ),
)
read_app_state = _describe("readAppState", FREE)
read_user_state = _describe("readUserState", FREE)
list_sessions = _describe("listSessions", _list_of(SESSION))
create_session = _describe("createSession", SESSION, body=_object((), sessionId=TEXT, **_BEGINNING), also=(409,))
get_session = _describe("getSession", SESSION, query=_WINDOW)
open_session = _describe("openSession", SESSION, body=_object((), **_BEGINNING), query=_WINDOW, also=(409,))
create_session_with_id = _describe("createSessionWithId", SESSION, body=FREE, also=(409,))
patch_session = _describe(
    "patchSession", SESSION, body=_object((), stateDelta=FREE, removeKeys=_list_of(TEXT), **_FACTS), query=_WINDOW
)
delete_session = _describe("deleteSession", {"nullable": True, "description": "null"})
read_session_state = _describe("readSessionState", FREE)
list_events = _describe(
    "listEvents",
    _object(("events",), events=_list_of(EVENT), next=COUNT | {"description": "afterSeq of the next page, if any."}),
    query=(
        _query("afterSeq", int, "Only events after this seq."),
        _LIMIT,
        _query("kind", str, "Only this kind; may be repeated.", many=True),
    ),
)
_EXPECTED = COUNT | {"description": "Refuse with stale_session unless this is the current revision."}
append_event = _describe(
    "appendEvent", APPENDED, body=_object(("event",), event=EVENT, expectedRevision=_EXPECTED), also=(409,)
)
append_batch = _describe(
    "appendEvents",
    _object(
        ("events", "revision", "lastUpdateTime"), events=_list_of(APPENDED), revision=COUNT, lastUpdateTime=SECONDS
    ),
    body=_object(("events",), events=_list_of(EVENT), expectedRevision=_EXPECTED),
    also=(409,),
)
