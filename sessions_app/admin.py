"""Operators look at projects, keys and sessions here. What was said stays masked: a session shows its log's outline."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from adk_project.shared.admin_site import ReadOnlyAdmin, show_moment
from sessions_app.models import ApiKey, Project, Session
from sessions_app.selectors import outline_events
from sessions_app.services.api_keys import revoke_api_key

_OUTLINED_EVENTS = 100


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("name", "created_at", "created_by")
    search_fields = ("=name",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "name", "scopes", "user_id", "expires_at", "revoked_at", "last_used_at")
    search_fields = ("=prefix", "=name")
    fields = (
        "prefix",
        "name",
        "scopes",
        "all_projects",
        "projects",
        "user_id",
        "created_at",
        "created_by",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    actions = ("revoke",)

    @admin.action(description="Revoke the selected keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        prefixes = list(queryset.values_list("prefix", flat=True))
        for prefix in prefixes:
            revoke_api_key(prefix)
        messages.success(request, f"Revoked {len(prefixes)} keys.")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("sessions_app.change_apikey")


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("session_id", "user_id", "project", "title", "last_seq", "revision", "updated")
    list_select_related = ("project",)
    list_filter = ("project",)
    search_fields = ("=session_id", "=user_id")
    search_help_text = "A whole session id or a whole user id"
    ordering = ("-pk",)
    fields = (
        "project",
        "user_id",
        "session_id",
        "title",
        "revision",
        "last_seq",
        "state_bytes",
        "created",
        "updated",
        "expires",
        "created_by",
        "latest_events",
    )
    readonly_fields = fields

    @admin.display(description="last update")
    def updated(self, session: Session) -> str:
        return show_moment(session.last_update_time)

    @admin.display(description="created")
    def created(self, session: Session) -> str:
        return show_moment(session.create_time)

    @admin.display(description="expires")
    def expires(self, session: Session) -> str:
        return show_moment(session.expires_at)

    @admin.display(description=f"latest {_OUTLINED_EVENTS} events")
    def latest_events(self, session: Session) -> SafeString:
        rows = format_html_join(
            "",
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            (
                (entry.seq, entry.kind, entry.author, f"{entry.recorded_at:%Y-%m-%d %H:%M:%S}", entry.recorded_by)
                for entry in outline_events(session.pk, _OUTLINED_EVENTS)
            ),
        )
        head = "<th>seq</th><th>kind</th><th>author</th><th>recorded</th><th>by</th>"
        return format_html("<table><tr>" + head + "</tr>{}</table>", rows)
