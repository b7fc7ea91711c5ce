"""What every route shares: who calls, with which scope, and which project, user and session the path names."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from adk_project.shared.errors import Missing
from adk_project.shared.paths import decode_segment
from adk_project.shared.wire import read_body
from sessions_app import config, selectors
from sessions_app.api.authentication import ApiKeyAuthentication, HasApiKey
from sessions_app.api.throttling import ApiKeyThrottle
from sessions_app.domain.access import Caller
from sessions_app.domain.errors import AppStateForbidden, ProjectNotFound, UserBound
from sessions_app.domain.event_body import EventDraft
from sessions_app.domain.json_text import Json, parse_json
from sessions_app.domain.keys import SessionKey, UserKey, clean_id
from sessions_app.services.projects import ensure_project


class JsonOnly(BaseContentNegotiation):
    """Answers are JSON whatever a client says it accepts."""

    def select_parser(self, request: Request, parsers: list) -> object:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: list, format_suffix: str | None = None) -> tuple:
        return renderers[0], "application/json"


class KeyedView(APIView):
    """A route that an API key opens. ``scopes`` names the scope that each method needs."""

    http_method_names: ClassVar[list[str]] = ["get", "head", "post", "put", "patch", "delete"]
    authentication_classes = (ApiKeyAuthentication,)
    permission_classes = (HasApiKey,)
    throttle_classes = (ApiKeyThrottle,)
    content_negotiation_class = JsonOnly
    scopes: ClassVar[Mapping[str, str]] = {}
    default_scope: ClassVar[str | None] = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        scope = self.scopes.get(request.method or "", self.default_scope)
        if scope is not None:
            self.caller.require(scope)

    @property
    def caller(self) -> Caller:
        return self.request.auth

    def read_json(self, when_empty: Json = None) -> Json:
        """The body's tree; ``when_empty`` where there is no body. Raises Invalid and TooLarge."""
        body = read_body(self.request._request, config.limits().max_body_bytes)
        return parse_json(body) if body.strip() else when_empty

    def path_id(self, name: str, field: str) -> str:
        return clean_id(decode_segment(self.kwargs[name], field), field)


class ProjectView(KeyedView):
    """A route below ``/apps/{app}``. A project the key is not bound to is as absent as one that does not exist."""

    scopes: ClassVar[Mapping[str, str]] = {"GET": "sessions:read", "HEAD": "sessions:read"}
    default_scope = "sessions:write"

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if not self.may_create_project and not selectors.sees_project(self.caller, self.project):
            raise ProjectNotFound

    @property
    def creation(self) -> dict[str, Any]:
        """Who creates a session, and whether its project with it."""
        return {"actor": self.caller.actor, "creates_project": self.may_create_project}

    @property
    def may_create_project(self) -> bool:
        """Whether a project that does not exist is an empty one for this key, which its first session makes."""
        is_owner = self.caller.is_admin and self.caller.all_projects and self.caller.user_id is None
        return is_owner and config.creates_projects()

    def ensure_project(self) -> None:
        """Before the first write that is no session: create the project where this key may."""
        if self.may_create_project and not selectors.sees_project(self.caller, self.project):
            ensure_project(self.project, self.caller.actor)

    @cached_property
    def project(self) -> str:
        return self.path_id("app", "appName")

    def check_user(self, user_id: str | None) -> None:
        """Another user than the key's own is as absent as a missing one; None stands for all users of the project."""
        if user_id is None and self.caller.user_id is not None:
            raise UserBound
        if user_id is not None and not self.caller.may_see_user(user_id):
            raise Missing("There is no such resource.")


class UserView(ProjectView):
    """A route below ``/apps/{app}/users/{user}``."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        self.check_user(self.user_key.user_id)

    @cached_property
    def user_key(self) -> UserKey:
        return UserKey(self.project, self.path_id("user", "userId"))

    def check_writes(self, drafts: Iterable[EventDraft]) -> None:
        """Raises AppStateForbidden when a key bound to one user would write what all users read."""
        if self.caller.user_id is not None and any(draft.changes("app") for draft in drafts):
            raise AppStateForbidden


class SessionRoute(UserView):
    """A route below ``…/sessions/{session}``."""

    @cached_property
    def key(self) -> SessionKey:
        return SessionKey(self.project, self.user_key.user_id, self.path_id("session", "sessionId"))
