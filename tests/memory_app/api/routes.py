"""Every route and method of memory, read from its URL conf, with what each test needs to call it.

A route that this module does not know how to fill makes :func:`every_call` fail, so a new route cannot go untested.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern

from memory_app.api import urls
from sessions_app.api.base import KeyedView
from tests.sessions_app.http_client import segment

PARTS = ("app", "user", "session", "memory", "tombstone", "operation")

_SAID = {"author": "user", "content": {"parts": [{"text": "hello"}]}}

# The body of each writing call, valid where what the path names exists. A missing entry is an untested route.
BODIES: dict[tuple[str, str], Any] = {
    ("memory-policy", "PUT"): {"policy": {"profile": "strict"}, "fingerprint": "filled in by the test"},
    ("memory-policy-plan", "POST"): {"policy": {"profile": "distilled"}},
    ("user", "DELETE"): None,
    ("add-session-to-memory", "PATCH"): {"sessionId": "main"},
    ("memory-events", "POST"): {"events": [_SAID]},
    ("memories", "POST"): {"memories": [{"content": {"parts": [{"text": "I like tea"}]}}]},
    ("memory-search", "POST"): {"query": "secret word of app1 app2 ana bo", "explain": True},
    ("memory-forget", "POST"): {"query": "secret", "reason": "asked"},
    ("memory", "DELETE"): None,
    ("session-ingest", "POST"): {},
    ("lift-tombstone", "POST"): {"reason": "a mistake"},
}

# What stands behind the path of a call that must have it.
QUERIES = {("user", "DELETE"): "?reason=left", ("memory", "DELETE"): "?reason=asked"}

# What is answered where it is not 200.
STATUS = {("memory-events", "POST"): 202, ("session-ingest", "POST"): 202}

# What a key bound to one user may do on the routes that name no user: refused, or allowed for the reason given.
WITHOUT_A_USER: dict[tuple[str, str], str] = {
    ("memory-policy", "GET"): "allowed: it says what is kept of everyone, and nothing of anyone",
    ("memory-policy", "HEAD"): "allowed: it says what is kept of everyone, and nothing of anyone",
    ("memory-policy", "PUT"): "refused",
    ("memory-policy-plan", "POST"): "refused",
    ("operation", "GET"): "allowed: the operation names its user",
    ("operation", "HEAD"): "allowed: the operation names its user",
}

# The code with which each route answers where what the path names does not exist.
ABSENT = {
    "session-ingest": "session_not_found",
    "add-session-to-memory": "session_not_found",
    "memory": "memory_not_found",
    "memory-history": "memory_not_found",
    "lift-tombstone": "tombstone_not_found",
    "operation": "operation_not_found",
}


@dataclass(frozen=True)
class Call:
    """One method of one route. ``parts`` are the names of the ids in its path, ``scope`` is what a key needs."""

    name: str
    method: str
    route: str
    parts: tuple[str, ...]
    scope: str

    def __str__(self) -> str:
        return f"{self.method} {self.name}"

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.method

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD")

    @property
    def status(self) -> int:
        return STATUS.get(self.key, 200)

    @property
    def body(self) -> Any:
        if self.writes and self.key not in BODIES:
            raise AssertionError(f"{self}: routes.BODIES needs a body for it, so that its isolation is tested.")
        return BODIES.get(self.key)

    def target(self, root: str = "/", **ids: str) -> str:
        """The request target for these ids, percent-encoded."""
        path = self.route
        for part in self.parts:
            path = path.replace(f"<segment:{part}>", segment(ids[part]))
        assert "<" not in path, path
        return root + path + QUERIES.get(self.key, "")


def every_call() -> list[Call]:
    """All of them. Fails on a route with a part, a kind of view or a method that no test here would cover."""
    return [call for pattern in urls.urlpatterns for call in _calls(pattern)]


def calls_with(part: str) -> list[Call]:
    return [call for call in every_call() if part in call.parts]


def _calls(pattern: URLPattern) -> Iterator[Call]:
    view = pattern.callback.cls
    assert issubclass(view, KeyedView), f"{pattern.name}: its view must be a KeyedView, which asks for an API key."
    parts = tuple(pattern.pattern.converters)
    assert set(parts) <= set(PARTS), f"{pattern.name}: routes.PARTS does not know every one of {parts}."
    assert {"memory", "tombstone", "operation", "session"}.isdisjoint(parts) or pattern.name in ABSENT, pattern.name
    methods = [method.upper() for method in view.http_method_names if hasattr(view, method)]
    assert methods, f"{pattern.name} answers no method."
    for method in [*methods, *(["HEAD"] if "GET" in methods and "HEAD" not in methods else [])]:
        scope = view.scopes.get(method, view.default_scope)
        assert scope, f"{method} {pattern.name} needs no scope."
        call = Call(pattern.name, method, str(pattern.pattern), parts, scope)
        assert call.body is None or call.writes
        assert "user" in parts or call.key in WITHOUT_A_USER, f"{call}: routes.WITHOUT_A_USER needs a word about it."
        yield call
