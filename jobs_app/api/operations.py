"""How a route answers when its work is done by a job: at once with 202, or, when asked to wait, when it is finished."""

import json
import time
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from adk_project.shared.errors import invalid_field
from adk_project.shared.wire import json_response
from jobs_app.domain.records import DONE, UNFINISHED, OperationView
from jobs_app.selectors import get_operation

_LONGEST_WAIT_SECONDS = 25.0
_POLL_SECONDS = 0.05


def answer_operation(request: Request, operation_id: UUID, when_done: str | None = None) -> HttpResponse:
    """202 with the operation; with ``?wait=true`` 200 with the finished one, or 202 after 25 seconds without an end.

    ``when_done`` is what a route answers instead once the work is done; such a route always waits.
    """
    if not asks_to_wait(request) and when_done is None:
        return json_response(operation_text(get_operation(operation_id)), status=202)
    view = _wait(operation_id)
    if view.status in UNFINISHED:
        return json_response(operation_text(view), status=202)
    return json_response(when_done if when_done is not None and view.status == DONE else operation_text(view))


def operation_text(view: OperationView) -> str:
    members = {
        "id": str(view.id),
        "kind": view.topic,
        "status": view.status,
        "attempts": view.attempts,
        "createdAt": view.created_at.timestamp(),
        "finishedAt": view.finished_at.timestamp() if view.finished_at else None,
        "result": dict(view.result),
        "error": view.error,
    }
    return json.dumps({"operation": {name: value for name, value in members.items() if value is not None}})


def asks_to_wait(request: Request | HttpRequest) -> bool:
    """Whether the caller waits. Raises Invalid: a route asks before it writes the job, so that a refusal wrote none."""
    unknown = set(request.GET) - {"wait"}
    if unknown:
        raise invalid_field(min(unknown)[:64], "is unknown; accepted are: wait")
    wait = request.GET.get("wait", "false")
    if wait not in ("true", "false"):
        raise invalid_field("wait", "must be true or false")
    return wait == "true"


def _wait(operation_id: UUID) -> OperationView:
    deadline = time.monotonic() + _LONGEST_WAIT_SECONDS
    view = get_operation(operation_id)
    while view.status in UNFINISHED and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        view = get_operation(operation_id)
    return view
