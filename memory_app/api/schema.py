"""What the OpenAPI document says of the routes of memory."""

from sessions_app.api.schema import COUNT, EVENT, FREE, SECONDS, TEXT, describe, list_of, named, query, shape

KINDS = {"type": "string", "enum": ["PREFERENCE", "FACT", "TASK_CONTEXT", "EXCERPT"]}
FLAG = {"type": "boolean"}
_SOURCE = shape(sessionId=TEXT, eventId=TEXT, seq=COUNT, extractor=TEXT)
MEMORY = named(
    "Memory",
    shape(
        ("id", "content", "timestamp", "kind", "status"),
        id=TEXT,
        content=FREE | {"description": "ADK's Content."},
        author=TEXT,
        timestamp=TEXT | {"format": "date-time"},
        customMetadata=FREE,
        kind=KINDS,
        status=TEXT,
        key=TEXT,
        confidence={"type": "number"},
        source=_SOURCE,
        validFrom=SECONDS,
        expiresAt=SECONDS,
        supersededBy=TEXT,
        recordedAt=SECONDS,
        recordedBy=TEXT,
        endedAt=SECONDS,
        score={"type": "number", "description": "In a search: the sum of its explanation's parts."},
        explanation=FREE,
    ),
)
_NEW = shape(
    ("content",),
    id=TEXT | {"description": "Names this one statement: with the same id and text again nothing changes."},
    content=FREE,
    author=TEXT,
    timestamp={"oneOf": [SECONDS, TEXT]},
    customMetadata=FREE,
    kind=KINDS,
    key=TEXT,
    confidence={"type": "number", "minimum": 0, "maximum": 1},
)
OPERATION = named(
    "Operation",
    shape(
        ("operation",),
        operation=shape(
            ("id", "status"),
            id=TEXT,
            kind=TEXT,
            status={"type": "string", "enum": ["waiting", "running", "done", "dead", "cancelled"]},
            attempts=COUNT,
            createdAt=SECONDS,
            finishedAt=SECONDS,
            result=FREE,
            error=TEXT,
        ),
    ),
)
RECEIPT = shape(
    ("forgotten",),
    forgotten=list_of(TEXT),
    kinds=FREE,
    tombstones=list_of(TEXT),
    digests=list_of(TEXT),
    notReached=list_of(TEXT) | {"description": "Sessions whose log still holds what was forgotten."},
)
_PAGE = (query("limit", int, "The page size."), query("cursor", str, "`next` of the page before."))
_WAIT = (query("wait", bool, "Answer 200 with the finished operation, or 202 after 25 seconds without an end."),)
_INGESTION = shape(events=list_of(EVENT), customMetadata=FREE)
_TAG = "memory"

erase_user = describe(
    "eraseUser",
    shape(
        ("erasedAt", "counts", "digests", "digestKeyId", "notReached"),
        erasedAt=SECONDS,
        counts=FREE | {"description": "How much was erased of what."},
        digests=list_of(TEXT) | {"description": "The keyed digest of the user, all that is left."},
        digestKeyId=TEXT,
        notReached=list_of(TEXT) | {"description": "What this user set for everyone, such as app:theme."},
    ),
    tag="users",
    query=(query("reason", str, "Why.", required=True),),
)
list_memories = describe(
    "listMemories",
    shape(("memories",), memories=list_of(MEMORY), next=TEXT),
    tag=_TAG,
    query=(
        query("kind", str, "May be repeated.", many=True),
        query("key", str, "Entries of this key."),
        query("sessionId", str, "Entries that came from this session."),
        query("status", str, "Default active.", enum=["active", "superseded", "any"]),
        *_PAGE,
    ),
)
add_memories = describe(
    "addMemories",
    shape(("memories", "outcome"), memories=list_of(MEMORY), outcome=FREE),
    tag=_TAG,
    body=shape(("memories",), memories=list_of(_NEW), customMetadata=FREE),
)
get_memory = describe("getMemory", MEMORY, tag=_TAG)
forget_memory = describe("forgetMemory", RECEIPT, tag=_TAG, query=(query("reason", str, "Why.", required=True),))
get_history = describe("getMemoryHistory", shape(("memories",), memories=list_of(MEMORY)), tag=_TAG)
search_memories = describe(
    "searchMemories",
    shape(("memories",), memories=list_of(MEMORY), misses=list_of(FREE), indexedThrough=FREE),
    tag=_TAG,
    also=(409,),
    body=shape(
        ("query",),
        query=TEXT,
        limit=COUNT,
        forPrompt=FLAG | {"description": "As many as the policy puts into a prompt, instead of limit."},
        kinds=list_of(KINDS),
        standing=FLAG,
        explain=FLAG,
        minSeq=shape(("sessionId", "seq"), sessionId=TEXT, seq=COUNT),
    ),
)
forget_memories = describe(
    "forgetMemories",
    RECEIPT,
    tag=_TAG,
    body=shape(
        ids=list_of(TEXT),
        key=TEXT,
        query=TEXT,
        sessionId=TEXT,
        kinds=list_of(KINDS),
        before={"oneOf": [SECONDS, TEXT]},
        all=FLAG,
        reason=TEXT,
        dryRun=FLAG,
    ),
)
ingest_events = describe(
    "ingestEvents",
    OPERATION,
    tag=_TAG,
    status=202,
    query=_WAIT,
    body=shape(events=list_of(EVENT), sessionId=TEXT, customMetadata=FREE),
)
ingest_session = describe("ingestSession", OPERATION, tag=_TAG, status=202, query=_WAIT, body=_INGESTION)
add_session_to_memory = describe(
    "addSessionToMemory",
    {"nullable": True, "description": "null"},
    tag=_TAG,
    body=shape(("sessionId",), sessionId=TEXT),
)
list_tombstones = describe(
    "listTombstones", shape(("tombstones",), tombstones=list_of(FREE), next=TEXT), tag=_TAG, query=_PAGE
)
lift_tombstone = describe(
    "liftTombstone", {"nullable": True, "description": "null"}, tag=_TAG, body=shape(("reason",), reason=TEXT)
)
get_operation = describe("getOperation", OPERATION, tag=_TAG)
POLICY = named("MemoryPolicy", shape(profile=TEXT, max_inject=COUNT, kinds=FREE))
_PLAN = named("PolicyPlan", shape(("changes", "fingerprint"), changes=list_of(FREE), forgotten=COUNT, fingerprint=TEXT))
get_policy = describe("getMemoryPolicy", POLICY, tag=_TAG)
plan_policy = describe("planMemoryPolicy", _PLAN, tag=_TAG, body=shape(("policy",), policy=POLICY))
change_policy = describe(
    "changeMemoryPolicy",
    _PLAN,
    tag=_TAG,
    also=(409,),
    body=shape(("policy", "fingerprint"), policy=POLICY, fingerprint=TEXT),
)
