"""The routes of sessions: parse, call one service or selector, render."""

from django.http import HttpResponse
from rest_framework.request import Request

from adk_project.shared.transactions import read_snapshot
from adk_project.shared.wire import json_response, read_query
from sessions_app import selectors
from sessions_app.api import inputs, rendering, schema
from sessions_app.api.base import KeyedView, ProjectView, SessionRoute, UserView
from sessions_app.api.filters import SessionListQuery
from sessions_app.domain.json_text import dump_json
from sessions_app.domain.keys import SessionKey
from sessions_app.domain.records import EventWindow
from sessions_app.services.events import append_events
from sessions_app.services.sessions import create_session, delete_session, open_session, patch_session


class ListApps(KeyedView):
    @schema.list_apps
    def get(self, request: Request) -> HttpResponse:
        """The names of the projects that the key is bound to."""
        return json_response(dump_json(selectors.visible_projects(self.caller)))


class ProjectSessions(ProjectView):
    @schema.page_sessions
    def get(self, request: Request, app: str) -> HttpResponse:
        """The sessions of all users, filtered, in pages."""
        query = SessionListQuery.read(self.project, request.query_params)
        self.check_user(query.filters.get("user"))
        with read_snapshot():
            rows, following = query.page(selectors.project_sessions(self.project))
            return json_response(rendering.page_text(selectors.view_page(rows), following))


class AppState(ProjectView):
    @schema.read_app_state
    def get(self, request: Request, app: str) -> HttpResponse:
        """The project's shared state, keys without ``app:``."""
        read_query(request.query_params, ())
        return json_response(selectors.app_state(self.project))


class UserState(UserView):
    @schema.read_user_state
    def get(self, request: Request, app: str, user: str) -> HttpResponse:
        """The user's shared state, keys without ``user:``."""
        read_query(request.query_params, ())
        return json_response(selectors.user_state(self.user_key))


class UserSessions(UserView):
    @schema.list_sessions
    def get(self, request: Request, app: str, user: str) -> HttpResponse:
        """All sessions of the user without events, the least recently updated first."""
        read_query(request.query_params, ())
        return json_response(rendering.sessions_text(selectors.list_sessions(self.user_key)))

    @schema.create_session
    def post(self, request: Request, app: str, user: str) -> HttpResponse:
        """Create a session; without an id the server makes one."""
        read_query(request.query_params, ())
        new = inputs.read_new_session(self.read_json(when_empty={}))
        self.check_writes([new.genesis, *new.events])
        key = SessionKey(self.project, self.user_key.user_id, new.session_id)
        create_session(key, new.genesis, events=new.events, facts=new.facts, **self.creation)
        return json_response(rendering.session_text(selectors.get_session(key)))


class OneSession(SessionRoute):
    @schema.get_session
    def get(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """The session with its merged state and events."""
        return self._answer(inputs.read_window(request.query_params))

    @schema.open_session
    def put(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Get the session or create it. One that exists comes back as it is."""
        window = inputs.read_window(request.query_params)
        new = inputs.read_new_session(self.read_json(when_empty={}), self.key.session_id)
        self.check_writes([new.genesis, *new.events])
        open_session(self.key, new.genesis, events=new.events, facts=new.facts, **self.creation)
        return self._answer(window)

    @schema.create_session_with_id
    def post(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Create a session under this id; the body is its state. ADK's older form of create."""
        read_query(request.query_params, ())
        genesis = inputs.read_bare_state(self.read_json(when_empty={}))
        self.check_writes([genesis])
        create_session(self.key, genesis, **self.creation)
        return self._answer()

    @schema.patch_session
    def patch(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Write state beside a run, or change title, labels and expiry."""
        window = inputs.read_window(request.query_params)
        draft, facts = inputs.read_patch(self.read_json(when_empty={}))
        self.check_writes([draft] if draft else [])
        patch_session(self.key, draft, facts, self.caller.actor)
        return self._answer(window)

    @schema.delete_session
    def delete(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Delete the session; one that does not exist is no error."""
        forgets = inputs.read_forget(request.query_params)
        if forgets:
            self.caller.require("memory:forget")
        delete_session(self.key, forget_by=self.caller.actor if forgets else None)
        return json_response("null")

    def _answer(self, window: EventWindow = EventWindow()) -> HttpResponse:
        return json_response(rendering.session_text(selectors.get_session(self.key, window)))


class SessionState(SessionRoute):
    @schema.read_session_state
    def get(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """The session's merged state."""
        read_query(request.query_params, ())
        return json_response(selectors.get_session(self.key, inputs.NO_EVENTS).state)


class Events(SessionRoute):
    @schema.list_events
    def get(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """A page of the log after a seq, each event with its seq."""
        after_seq, limit, kinds = inputs.read_event_page(request.query_params)
        events, following = selectors.list_events(self.key, after_seq, limit, kinds)
        return json_response(rendering.events_text(events, following))

    @schema.append_event
    def post(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Append one event."""
        read_query(request.query_params, ())
        draft, expected_revision = inputs.read_append(self.read_json())
        self.check_writes([draft])
        [result] = append_events(self.key, [draft], expected_revision, self.caller.actor)
        return json_response(rendering.append_text(result))


class EventsBatch(SessionRoute):
    @schema.append_batch
    def post(self, request: Request, app: str, user: str, session: str) -> HttpResponse:
        """Append several events in order, all or none."""
        read_query(request.query_params, ())
        drafts, expected_revision = inputs.read_batch(self.read_json())
        self.check_writes(drafts)
        results = append_events(self.key, drafts, expected_revision, self.caller.actor)
        return json_response(rendering.batch_text(results))
