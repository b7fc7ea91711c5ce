"""What requests to memory say, checked."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.http import QueryDict

from adk_project.shared.errors import invalid_field
from adk_project.shared.pagination import newest_page, read_limit
from adk_project.shared.wire import read_members, read_query
from memory_app.domain.entries import FACT, KINDS, Candidate
from memory_app.domain.forgetting import MAX_IDS, Selection
from memory_app.domain.proposals import Proposal
from memory_app.selectors.entries import list_tombstones, readable_entries, said_in
from memory_app.selectors.search import SearchQuery
from sessions_app.api.inputs import read_moment
from sessions_app.domain.event_body import read_event
from sessions_app.domain.json_text import Json, JsonNumber, dump_json, integer, is_string, number
from sessions_app.domain.keys import UserKey, clean_id, optional_id

if TYPE_CHECKING:
    from memory_app.models import Memory, Tombstone

MAX_QUERY = 10_000
MAX_REASON = 1_000
MAX_MEMORIES = 1_000
_ENTRY = ("id", "content", "author", "timestamp", "custom_metadata", "kind", "key", "confidence")


@dataclass(frozen=True, slots=True)
class Freshness:
    """To which seq a session must have been ingested before a search is answered."""

    session_id: str
    seq: int


def read_search(tree: Json) -> tuple[SearchQuery, Freshness | None]:
    """``{query, limit? | forPrompt?, kinds?, standing?, explain?, minSeq?}``."""
    members = read_members(tree, ("query", "limit", "for_prompt", "kinds", "standing", "explain", "min_seq"))
    for_prompt = read_flag(members.get("for_prompt", False), "forPrompt")
    if for_prompt and "limit" in members:
        raise invalid_field("limit", "does not go with forPrompt, which takes the policy's max_inject")
    limit = integer(members.get("limit", JsonNumber("10")), "limit", minimum=1, maximum=100)
    query = SearchQuery(
        text=read_text(members.get("query"), "query", MAX_QUERY),
        limit=None if for_prompt else limit,
        kinds=read_kinds(members.get("kinds"), "kinds"),
        standing=read_flag(members.get("standing", True), "standing"),
        explain=read_flag(members.get("explain", False), "explain"),
    )
    return query, _freshness(members.get("min_seq"))


def read_new_memories(tree: Json) -> list[Proposal]:
    """``{memories: [{content, id?, author?, timestamp?, customMetadata?, kind?, key?, confidence?}], customMetadata?}``

    An id names one statement: with the same id and text a second time nothing changes.
    """
    members = read_members(tree, ("memories", "custom_metadata"))
    entries = members.get("memories")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_MEMORIES:
        raise invalid_field("memories", f"must be a list of 1 to {MAX_MEMORIES} memories")
    shared = read_object(members.get("custom_metadata"), "customMetadata")
    return [_proposal(entry, f"memories[{index}]", shared) for index, entry in enumerate(entries)]


def read_ingestion(tree: Json) -> tuple[list[dict[str, Json]] | None, str | None, Mapping[str, Json]]:
    """``{events?, sessionId?, customMetadata?}``: the events as they are stored (None: the whole log), and the rest."""
    members = read_members(tree, ("events", "session_id", "custom_metadata"))
    metadata = read_object(members.get("custom_metadata"), "customMetadata")
    events = members.get("events")
    if events is None:
        return None, optional_id(members.get("session_id"), "sessionId"), metadata
    if not isinstance(events, list) or len(events) > MAX_MEMORIES:
        raise invalid_field("events", f"must be a list of at most {MAX_MEMORIES} events")
    bodies = [_event_body(event, f"events[{index}]") for index, event in enumerate(events)]
    return bodies, optional_id(members.get("session_id"), "sessionId"), metadata


def read_selection(tree: Json) -> tuple[Selection, str, bool]:
    """``{ids?|key?|query?|sessionId?|kinds?|before?, reason, dryRun?}``."""
    names = ("ids", "key", "query", "session_id", "kinds", "before", "all", "reason", "dry_run")
    members = read_members(tree, names)
    selection = Selection(
        ids=tuple(_ids(members.get("ids"))),
        key=_given_id(members.get("key"), "key"),
        query=read_text(members["query"], "query", MAX_QUERY) if members.get("query") is not None else None,
        session_id=_given_id(members.get("session_id"), "sessionId"),
        kinds=_some_kinds(members.get("kinds")),
        before=_moment(members["before"], "before") if members.get("before") is not None else None,
        everything=read_flag(members.get("all", False), "all"),
    )
    dry_run = read_flag(members.get("dry_run", False), "dryRun")
    return selection, read_reason(members.get("reason"), required=not dry_run), dry_run


def read_reason(value: Json, *, required: bool = True) -> str:
    """Why something is forgotten or lifted: 1 to 1,000 characters."""
    if value is None and not required:
        return ""
    return read_text(value, "reason", MAX_REASON)


@dataclass(frozen=True, slots=True)
class MemoryListQuery:
    """One page of a user's entries."""

    kinds: tuple[str, ...]
    key: str | None
    session_id: str | None
    status: str
    limit: int
    cursor: str | None

    @classmethod
    def read(cls, query: QueryDict) -> "MemoryListQuery":
        """``?kind=&key=&sessionId=&status=&limit=&cursor=``; kind may be repeated."""
        members = read_query(query, ("key", "session_id", "status", "limit", "cursor"), repeated=("kind",))
        status = members.get("status", "active")
        if status not in ("active", "superseded", "any"):
            raise invalid_field("status", "must be one of active, superseded, any")
        return cls(
            kinds=read_kinds(list(members.get("kind", [])), "kind"),
            key=_given_id(members.get("key"), "key"),
            session_id=_given_id(members.get("session_id"), "sessionId"),
            status=status,
            limit=read_limit(members.get("limit"), 50),
            cursor=members.get("cursor"),
        )

    def page(self, key: UserKey) -> "tuple[list[Memory], str | None]":
        """The rows of this page, the newest first, and the cursor of the next one."""
        rows = readable_entries(key)
        if self.status != "any":
            rows = rows.filter(status=self.status)
        if self.kinds:
            rows = rows.filter(kind__in=self.kinds)
        if self.key is not None:
            rows = rows.filter(key=self.key)
        if self.session_id is not None:
            rows = said_in(rows, self.session_id)
        identity = {"of": [key.project, key.user_id, *self.kinds], "by": [self.status, self.key, self.session_id]}
        return newest_page(rows, self.limit, self.cursor, identity)


def page_tombstones(key: UserKey, query: QueryDict) -> "tuple[list[Tombstone], str | None]":
    """``?limit=&cursor=`` of a user's tombstones, the newest first."""
    members = read_query(query, ("limit", "cursor"))
    identity = {"tombstones": [key.project, key.user_id]}
    return newest_page(list_tombstones(key), read_limit(members.get("limit"), 50), members.get("cursor"), identity)


def read_uuid(text: str, field: str) -> str:
    """An id that this server made. Raises Invalid for what is none."""
    try:
        return str(UUID(text))
    except ValueError:
        raise invalid_field(field, "must be a UUID") from None


def read_text(value: Json, field: str, longest: int) -> str:
    if not is_string(value) or not isinstance(value, str):
        raise invalid_field(field, "must be a text")
    if len(value) > longest:
        raise invalid_field(field, f"must have at most {longest} characters")
    if not value.strip():
        raise invalid_field(field, "must not be blank")
    return value


def read_kinds(value: Json, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or any(kind not in KINDS for kind in value):
        raise invalid_field(field, f"must be a list of {', '.join(KINDS)}")
    return tuple(str(kind) for kind in value)


def read_flag(value: Json, field: str) -> bool:
    if not isinstance(value, bool):
        raise invalid_field(field, "must be true or false")
    return value


def read_object(value: Json, field: str) -> dict[str, Json]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid_field(field, "must be an object")
    return value


def _freshness(value: Json) -> Freshness | None:
    if value is None:
        return None
    members = read_members(value, ("session_id", "seq"), "minSeq")
    return Freshness(
        clean_id(members.get("session_id"), "minSeq.sessionId"),
        integer(members.get("seq"), "minSeq.seq", minimum=0),
    )


def _proposal(tree: Json, field: str, shared: Mapping[str, Json]) -> Proposal:
    members = read_members(tree, _ENTRY, field)
    content = read_object(members.get("content"), f"{field}.content")
    text = _text_of(content, f"{field}.content")
    [kind] = read_kinds([members.get("kind", FACT)], f"{field}.kind")
    confidence = number(members.get("confidence", JsonNumber("1")), f"{field}.confidence")
    if not 0 <= confidence <= 1:
        raise invalid_field(f"{field}.confidence", "must be a number from 0 to 1")
    timestamp = members.get("timestamp")
    metadata = {**shared, **read_object(members.get("custom_metadata"), f"{field}.customMetadata")}
    return Proposal(
        candidate=Candidate(
            kind=kind,
            text=text,
            confidence=confidence,
            key=optional_id(members.get("key"), f"{field}.key"),
            event_id=optional_id(members.get("id"), f"{field}.id") or "",
            author=optional_id(members.get("author"), f"{field}.author") or "user",
            end=len(text),
        ),
        content=dump_json(content),
        valid_from=time.time() if timestamp is None else _moment(timestamp, f"{field}.timestamp"),
        custom_metadata=dump_json(metadata),
    )


def _text_of(content: Mapping[str, Json], field: str) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        raise invalid_field(f"{field}.parts", "must be a list of parts")
    texts = [part["text"] for part in parts if isinstance(part, dict) and is_string(part.get("text"))]
    text = "\n".join(str(item) for item in texts)
    if not text.strip():
        raise invalid_field(f"{field}.parts", "must hold a text")
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def _event_body(tree: Json, field: str) -> dict[str, Json]:
    draft = read_event(tree, field=field, default_id=str(uuid4()), default_timestamp=time.time())
    return json.loads(draft.body)


def _given_id(value: Json, field: str) -> str | None:
    """A filter: absent is none, blank is a mistake and never "all"."""
    return None if value is None else clean_id(value, field)


def _some_kinds(value: Json) -> tuple[str, ...]:
    if value == []:
        raise invalid_field("kinds", "must name at least one kind")
    return read_kinds(value, "kinds")


def _ids(value: Json) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(is_string(item) for item in value) or not 1 <= len(value) <= MAX_IDS:
        raise invalid_field("ids", f"must be a list of 1 to {MAX_IDS} ids")
    return [read_uuid(str(item), f"ids[{index}]") for index, item in enumerate(value)]


def _moment(value: Json, field: str) -> float:
    if isinstance(value, JsonNumber):
        return number(value, field)
    if isinstance(value, str):
        return read_moment(value, field)
    raise invalid_field(field, "must be epoch seconds or an ISO 8601 time with a zone")
