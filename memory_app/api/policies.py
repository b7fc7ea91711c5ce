"""A project's memory policy: what is in force, what a change would do, and the change as it was planned."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from adk_project.shared.errors import invalid_field
from adk_project.shared.wire import json_response, read_members, read_query
from memory_app.api import schema
from memory_app.domain.policy import ChangePlan, MemoryPolicy, dump_policy, read_policy
from memory_app.selectors.policies import policy_of
from memory_app.services.policies import change_policy, plan_policy
from sessions_app import selectors as sessions
from sessions_app.api.base import ProjectView
from sessions_app.domain.access import ADMIN
from sessions_app.domain.json_text import Json, JsonNumber, dump_json


class PolicyView(ProjectView):
    """Who reads memory may know its rules; only an admin changes them."""

    scopes: ClassVar[Mapping[str, str]] = {"GET": "memory:read", "HEAD": "memory:read"}
    default_scope = ADMIN

    @property
    def project_id(self) -> int:
        return sessions.project_id(self.project)


class Policy(PolicyView):
    @schema.get_policy
    def get(self, request: Request, app: str) -> HttpResponse:
        """The policy in force."""
        read_query(request.query_params, ())
        return json_response(dump_json(dump_policy(policy_of(self.project_id))))

    @schema.change_policy
    def put(self, request: Request, app: str) -> HttpResponse:
        """Put a policy in force as it was planned."""
        self.check_user(None)
        read_query(request.query_params, ())
        members = read_members(self.read_json(), ("policy", "fingerprint"))
        fingerprint = members.get("fingerprint")
        if not isinstance(fingerprint, str):
            raise invalid_field("fingerprint", "must be the one that the plan gave")
        plan = change_policy(self.project_id, _policy(members.get("policy")), fingerprint, self.caller.actor)
        return json_response(_plan_text(plan))


class PolicyPlan(PolicyView):
    @schema.plan_policy
    def post(self, request: Request, app: str) -> HttpResponse:
        """What a policy would do to the memories that are there. Nothing is changed."""
        self.check_user(None)
        read_query(request.query_params, ())
        members = read_members(self.read_json(), ("policy",))
        return json_response(_plan_text(plan_policy(self.project_id, _policy(members.get("policy")))))


def _policy(tree: Json) -> MemoryPolicy:
    if not isinstance(tree, dict):
        raise invalid_field("policy", "must be an object")
    return read_policy({name: _plain(value) for name, value in tree.items()})


def _plain(value: Json) -> object:
    """The value with Python's own numbers, which the policy's rules look at."""
    if isinstance(value, JsonNumber):
        return float(value) if set(".eE") & set(value) else int(value[:19])
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _plan_text(plan: ChangePlan) -> str:
    changes = [
        {
            "kind": change.kind,
            "active": change.active,
            "forgotten": change.forgotten,
            "reasons": dict(change.reasons),
            "old": asdict(change.old),
            "new": asdict(change.new),
        }
        for change in plan.changes
    ]
    return dump_json({"changes": changes, "forgotten": plan.forgotten, "fingerprint": plan.fingerprint})
