"""Is the process alive, can it serve, and which version is it. Open to everybody, so nothing here is a secret."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import django
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from adk_project.environment import EMBEDDED
from adk_project.shared.problems import CONTENT_TYPE, method_not_allowed, problem
from adk_project.shared.worker_pulse import seconds_since_pulse
from adk_project.version import VERSION

log = logging.getLogger(__name__)
View = Callable[[HttpRequest], HttpResponse]


def _read_only(view: View) -> View:
    """Answers GET and HEAD, and everything else with a problem."""

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        return view(request) if request.method in ("GET", "HEAD") else method_not_allowed(request, "GET, HEAD")

    return answer


@_read_only
def live(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers; asks nobody else."""
    return JsonResponse({"status": "ok"})


@_read_only
def ready(request: HttpRequest) -> JsonResponse:
    """200 when requests can be served, else 503 with the reason. Broker and worker are details: no append needs one."""
    reason = database_trouble()
    if reason:
        return _not_ready(reason)
    return JsonResponse({"status": "ok", "details": {"database": "ok", **background_details()}})


@_read_only
def show_version(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"name": "threefold", "version": VERSION, "django": django.get_version()})


def database_trouble() -> str | None:
    """Why the database cannot serve requests, as a sentence, or None."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.error("The database does not answer: %s", type(error).__name__)
        return "The database does not answer."
    if missing:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in missing[:5])
        return f"{len(missing)} migrations are not applied ({names}); run: manage.py migrate"
    return None


def background_details() -> dict[str, Any]:
    """What the broker and the workers are doing, for people; never an error."""
    try:
        pulse = seconds_since_pulse()
    except Exception as error:  # noqa: BLE001 - whatever the cache raises
        return {"broker": f"does not answer ({type(error).__name__})", "worker": "unknown"}
    broker = "none, embedded worker" if settings.THREEFOLD_MODE == EMBEDDED else "ok"
    worker = "no task finished yet" if pulse is None else f"last task finished {pulse:.0f} s ago"
    return {"broker": broker, "worker": worker}


def _not_ready(reason: str) -> JsonResponse:
    return JsonResponse(problem(503, "not_ready", reason), status=503, content_type=CONTENT_TYPE)
