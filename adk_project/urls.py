"""The root of all routes: the API (at ``/`` as ADK's own server has it, and at ``/api/v1``), admin, docs, health."""

from django.contrib import admin
from django.http import HttpResponse
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from adk_project.shared import health

admin.site.site_header = admin.site.site_title = "Threefold"
admin.site.index_title = "What the agents keep"

urlpatterns = [
    path("health/live", health.live),
    path("health/ready", health.ready),
    path("version", health.show_version),
    # Browsers ask for it; there is none.
    path("favicon.ico", lambda request: HttpResponse(status=204)),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("docs", SpectacularSwaggerSplitView.as_view(url_name="openapi"), name="docs"),
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("sessions_app.api.urls")),
    path("api/v1/", include("memory_app.api.urls")),
    path("", include("sessions_app.api.urls")),
    path("", include("memory_app.api.urls")),
]

handler400 = "adk_project.shared.problems.bad_request"
handler404 = "adk_project.shared.problems.page_not_found"
handler500 = "adk_project.shared.problems.server_error"
