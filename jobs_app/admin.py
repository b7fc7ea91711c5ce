"""Operators look at background work here, try dead jobs again, and cancel. What a job carries stays masked."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from adk_project.shared.admin_site import ReadOnlyAdmin
from adk_project.shared.errors import Conflict, Missing
from jobs_app.models import Job
from jobs_app.services.outbox import cancel_job, retry_job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("operation_id", "topic", "status", "attempts", "user_id", "created_at", "finished_at", "error")
    list_filter = ("status", "topic")
    search_fields = ("=operation_id", "=user_id")
    search_help_text = "A whole operation id or a whole user id"
    ordering = ("-pk",)
    fields = (
        "operation_id",
        "topic",
        "status",
        "attempts",
        "error",
        "result",
        "project_id",
        "user_id",
        "lane",
        "available_at",
        "created_at",
        "created_by",
        "finished_at",
    )
    actions = ("retry", "cancel")

    @admin.action(description="Try the selected dead jobs again", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        _do(request, queryset, retry_job, "Put back {} jobs.", "{} were not dead.")

    @admin.action(description="Cancel the selected jobs and erase what they carry", permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        _do(request, queryset, cancel_job, "Cancelled {} jobs.", "{} had ended already.")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("jobs_app.change_job")


def _do(
    request: HttpRequest, queryset: QuerySet[Job], service: Callable[[UUID], None], done: str, refused: str
) -> None:
    outcomes = [_succeeds(service, pk) for pk in queryset.values_list("operation_id", flat=True)]
    messages.success(request, done.format(sum(outcomes)))
    if not all(outcomes):
        messages.warning(request, refused.format(len(outcomes) - sum(outcomes)))


def _succeeds(service: Callable[[UUID], None], operation_id: UUID) -> bool:
    try:
        service(operation_id)
    except (Conflict, Missing):
        return False
    return True
