"""``/operations/{id}``: what became of work that was asked for."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request

from adk_project.shared.errors import invalid_field
from adk_project.shared.wire import json_response, read_query
from jobs_app.api.operations import operation_text
from jobs_app.domain.errors import OperationNotFound
from jobs_app.selectors import get_operation
from memory_app.api import schema
from sessions_app import selectors as sessions
from sessions_app.api.base import KeyedView


class Operation(KeyedView):
    """An operation of another project or user is as absent as one that does not exist."""

    scopes = {"GET": "memory:read", "HEAD": "memory:read"}

    @schema.get_operation
    def get(self, request: Request, operation: str) -> HttpResponse:
        """One operation."""
        read_query(request.query_params, ())
        try:
            operation_id = UUID(self.path_id("operation", "operationId"))
        except ValueError:
            raise invalid_field("operationId", "must be a UUID") from None
        view = get_operation(operation_id)
        project = sessions.project_name(view.project_id)
        if not sessions.sees_project(self.caller, project) or not self.caller.may_see_user(view.user_id):
            raise OperationNotFound
        return json_response(operation_text(view))
