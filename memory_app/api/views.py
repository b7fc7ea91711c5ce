"""The routes of memory: parse, call one service or selector, render."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from adk_project.shared.wire import json_response, read_members, read_query
from jobs_app.api.operations import answer_operation, asks_to_wait
from memory_app.api import inputs, rendering, schema
from memory_app.domain.errors import NotIndexedYet
from memory_app.selectors import entries
from memory_app.selectors.search import search
from memory_app.services.direct import add_memories
from memory_app.services.erasing_user import erase_user
from memory_app.services.forgetting import forget, forget_one, lift_tombstone, plan_forgetting
from memory_app.services.ingestion import request_events_ingestion, request_session_ingestion
from sessions_app import selectors as sessions
from sessions_app.api.base import SessionRoute, UserView
from sessions_app.domain.access import ADMIN
from sessions_app.domain.keys import SessionKey, clean_id


class MemoryView(UserView):
    """A route about one user's memory. ``scopes`` are those of memory instead of those of sessions."""

    scopes: ClassVar[Mapping[str, str]] = {"GET": "memory:read", "HEAD": "memory:read", "DELETE": "memory:forget"}
    default_scope = "memory:write"
    methods_with_query: ClassVar[frozenset[str]] = frozenset()

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in self.methods_with_query:
            # A parameter that means nothing here was meant to mean something.
            read_query(request.query_params, ())


class OneUser(UserView):
    default_scope = ADMIN

    @schema.erase_user
    def delete(self, request: Request, app: str, user: str) -> HttpResponse:
        """Erase all that this server keeps of a user."""
        members = read_query(request.query_params, ("reason",))
        inputs.read_reason(members.get("reason"))
        return json_response(rendering.erasure_text(erase_user(self.user_key, self.caller.actor)))


class Memories(MemoryView):
    methods_with_query = frozenset({"GET", "HEAD"})

    @schema.list_memories
    def get(self, request: Request, app: str, user: str) -> HttpResponse:
        """The user's memories, the newest first, filtered, in pages."""
        query = inputs.MemoryListQuery.read(request.query_params)
        rows, following = query.page(self.user_key)
        return json_response(rendering.memories_text(entries.view_entries(rows), following))

    @schema.add_memories
    def post(self, request: Request, app: str, user: str) -> HttpResponse:
        """Store memories as they are given."""
        proposals = inputs.read_new_memories(self.read_json())
        self.ensure_project()
        outcome, views = add_memories(self.user_key, proposals, self.caller.actor)
        return json_response(rendering.added_text(views, outcome))


class OneMemory(MemoryView):
    methods_with_query = frozenset({"DELETE"})

    @schema.get_memory
    def get(self, request: Request, app: str, user: str, memory: str) -> HttpResponse:
        """One memory."""
        return json_response(rendering.memory_text(entries.get_memory(self.user_key, self.memory_id)))

    @schema.forget_memory
    def delete(self, request: Request, app: str, user: str, memory: str) -> HttpResponse:
        """Forget one memory, with what was made of the same words."""
        members = read_query(request.query_params, ("reason",))
        reason = inputs.read_reason(members.get("reason"))
        receipt = forget_one(self.user_key, self.memory_id, reason, self.caller.actor)
        return json_response(rendering.receipt_text(receipt))

    @property
    def memory_id(self) -> str:
        return inputs.read_uuid(self.path_id("memory", "memoryId"), "memoryId")


class MemoryHistory(OneMemory):
    http_method_names: ClassVar[list[str]] = ["get", "head"]

    @schema.get_history
    def get(self, request: Request, app: str, user: str, memory: str) -> HttpResponse:
        """All that was said under the memory's key, the newest first."""
        return json_response(rendering.memories_text(entries.get_history(self.user_key, self.memory_id)))


class MemorySearch(MemoryView):
    default_scope = "memory:read"

    @schema.search_memories
    def post(self, request: Request, app: str, user: str) -> HttpResponse:
        """The memories that answer a query, and why."""
        query, freshness = inputs.read_search(self.read_json())
        through = self._check_freshness(freshness) if freshness else None
        result = replace(search(self.user_key, query), indexed_through=through)
        return json_response(rendering.search_text(result, query.explain))

    def _check_freshness(self, wanted: inputs.Freshness) -> dict[str, int]:
        key = SessionKey(self.project, self.user_key.user_id, wanted.session_id)
        through = entries.indexed_through(self.user_key, sessions.session_head(key).pk)
        if through < wanted.seq:
            raise NotIndexedYet(indexed_through={wanted.session_id: through})
        return {wanted.session_id: through}


class MemoryForget(MemoryView):
    default_scope = "memory:forget"

    @schema.forget_memories
    def post(self, request: Request, app: str, user: str) -> HttpResponse:
        """Forget a selection of memories; with ``dryRun`` say only what that would be."""
        selection, reason, dry_run = inputs.read_selection(self.read_json())
        if dry_run:
            return json_response(rendering.plan_text(plan_forgetting(self.user_key, selection)))
        return json_response(rendering.receipt_text(forget(self.user_key, selection, reason, self.caller.actor)))


class MemoryEvents(MemoryView):
    methods_with_query = frozenset({"POST"})

    @schema.ingest_events
    def post(self, request: Request, app: str, user: str) -> HttpResponse:
        """Have some events ingested."""
        asks_to_wait(request)
        events, session_id, metadata = inputs.read_ingestion(self.read_json(when_empty={}))
        self.ensure_project()
        operation = request_events_ingestion(self.user_key, session_id, events or [], metadata, self.caller.actor)
        return answer_operation(request, operation)


class SessionIngest(SessionRoute):
    default_scope = "memory:write"

    @schema.ingest_session
    def post(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Have the session's log ingested, or the given events of it."""
        asks_to_wait(request)
        events, _, metadata = inputs.read_ingestion(self.read_json(when_empty={}))
        if events is None:
            operation = request_session_ingestion(self.key, metadata, self.caller.actor)
        else:
            self.ensure_project()
            operation = request_events_ingestion(
                self.user_key, self.key.session_id, events, metadata, self.caller.actor
            )
        return answer_operation(request, operation)


class AddSessionToMemory(MemoryView):
    @schema.add_session_to_memory
    def patch(self, request: Request, app: str, user: str) -> HttpResponse:
        """ADK's route: ingest a session and answer null once that is done."""
        members = read_members(self.read_json(when_empty={}), ("session_id",))
        key = SessionKey(self.project, self.user_key.user_id, clean_id(members.get("session_id"), "sessionId"))
        operation = request_session_ingestion(key, {}, self.caller.actor)
        return answer_operation(request, operation, when_done="null")


class Tombstones(MemoryView):
    methods_with_query = frozenset({"GET", "HEAD"})

    @schema.list_tombstones
    def get(self, request: Request, app: str, user: str) -> HttpResponse:
        """What was forgotten, when, by whom and why; never what it said."""
        rows, following = inputs.page_tombstones(self.user_key, request.query_params)
        return json_response(rendering.tombstones_text([entries.view_tombstone(row) for row in rows], following))


class LiftTombstone(MemoryView):
    default_scope = "memory:forget"

    @schema.lift_tombstone
    def post(self, request: Request, app: str, user: str, tombstone: str) -> HttpResponse:
        """Let what was forgotten be stored again."""
        members = read_members(self.read_json(), ("reason",))
        reason = inputs.read_reason(members.get("reason"))
        tombstone_id = inputs.read_uuid(self.path_id("tombstone", "tombstoneId"), "tombstoneId")
        lift_tombstone(self.user_key, tombstone_id, reason, self.caller.actor)
        return json_response("null")
