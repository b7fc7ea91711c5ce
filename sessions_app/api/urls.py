from django.urls import path

from sessions_app.api import views

_PROJECT = "apps/<segment:app>"
_USER = f"{_PROJECT}/users/<segment:user>"
_SESSION = f"{_USER}/sessions/<segment:session>"

urlpatterns = [
    path("list-apps", views.ListApps.as_view(), name="list-apps"),
    path(f"{_PROJECT}/sessions", views.ProjectSessions.as_view(), name="project-sessions"),
    path(f"{_PROJECT}/state", views.AppState.as_view(), name="app-state"),
    path(f"{_USER}/state", views.UserState.as_view(), name="user-state"),
    path(f"{_USER}/sessions", views.UserSessions.as_view(), name="user-sessions"),
    path(f"{_SESSION}", views.OneSession.as_view(), name="session"),
    path(f"{_SESSION}/state", views.SessionState.as_view(), name="session-state"),
    path(f"{_SESSION}/events", views.Events.as_view(), name="events"),
    path(f"{_SESSION}/events:batch", views.EventsBatch.as_view(), name="events-batch"),
]
