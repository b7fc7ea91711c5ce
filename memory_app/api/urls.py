from django.urls import path

from memory_app.api import operations, policies, views

_USER = "apps/<segment:app>/users/<segment:user>"
_MEMORY = f"{_USER}/memories/<segment:memory>"

urlpatterns = [
    path("apps/<segment:app>/memory/policy", policies.Policy.as_view(), name="memory-policy"),
    path("apps/<segment:app>/memory/policy:plan", policies.PolicyPlan.as_view(), name="memory-policy-plan"),
    path("operations/<segment:operation>", operations.Operation.as_view(), name="operation"),
    path(_USER, views.OneUser.as_view(), name="user"),
    path(f"{_USER}/memory", views.AddSessionToMemory.as_view(), name="add-session-to-memory"),
    path(f"{_USER}/memory/events", views.MemoryEvents.as_view(), name="memory-events"),
    path(f"{_USER}/memories", views.Memories.as_view(), name="memories"),
    path(f"{_USER}/memories:search", views.MemorySearch.as_view(), name="memory-search"),
    path(f"{_USER}/memories:forget", views.MemoryForget.as_view(), name="memory-forget"),
    path(f"{_MEMORY}", views.OneMemory.as_view(), name="memory"),
    path(f"{_MEMORY}/history", views.MemoryHistory.as_view(), name="memory-history"),
    path(f"{_USER}/sessions/<segment:session>/ingest", views.SessionIngest.as_view(), name="session-ingest"),
    path(f"{_USER}/tombstones", views.Tombstones.as_view(), name="tombstones"),
    path(f"{_USER}/tombstones/<segment:tombstone>/lift", views.LiftTombstone.as_view(), name="lift-tombstone"),
]
