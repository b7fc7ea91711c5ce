"""Every route and method of the API, read from the URL conf, with what each test needs to call it.

A route that this module does not know how to fill makes :func:`every_call` fail, so a new route cannot go untested.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver

from adk_project import urls as server_urls
from sessions_app.api import urls
from sessions_app.api.base import KeyedView
from tests.sessions_app.http_client import segment

PARTS = ("app", "user", "session")

# The body of each writing call, valid for a session that exists. A missing entry is an untested route.
BODIES: dict[tuple[str, str], Any] = {
    ("user-sessions", "POST"): {"sessionId": "made", "state": {"user:x": 1, "app:x": 1, "x": 1}, "title": "T"},
    ("session", "PUT"): {"state": {"opened": True, "user:opened": True}},
    ("session", "POST"): {"older": True, "app:older": True},
    ("session", "PATCH"): {"stateDelta": {"patched": 1, "user:patched": 1, "app:patched": 1}, "labels": {"a": "b"}},
    ("session", "DELETE"): None,
    ("events", "POST"): {"event": {"author": "x", "actions": {"stateDelta": {"appended": 1, "user:appended": 1}}}},
    ("events-batch", "POST"): {"events": [{"author": "x"}, {"author": "y", "actions": {"stateDelta": {"app:b": 1}}}]},
}

# What a key bound to one user may do on the routes that name no user: refused, or allowed for the reason given.
WITHOUT_A_USER: dict[str, str] = {
    "list-apps": "allowed: it shows only the names of the key's own projects",
    "project-sessions": "refused",
    "app-state": "allowed: app state is part of what every user of the project reads",
}

# Needs no scope: any key may ask which projects it is bound to.
WITHOUT_A_SCOPE = {"list-apps"}

# Reads of something that does not exist which are no error, with their answer.
ABSENT_IS_EMPTY = {("user-sessions", "GET"): "[]", ("user-state", "GET"): "{}", ("session", "DELETE"): "null"}

# Writes that make what is absent.
MAKES_WHAT_IS_ABSENT = {("user-sessions", "POST"), ("session", "PUT"), ("session", "POST")}


@dataclass(frozen=True)
class Call:
    """One method of one route. ``parts`` are the names of the ids in its path."""

    name: str
    method: str
    route: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.name}"

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.method

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD")

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
        return root + path


def every_call() -> list[Call]:
    """All of them. Fails on a route with a part, a kind of view or a method that no test here would cover."""
    return [call for pattern in _patterns(urls.urlpatterns) for call in _calls(pattern)]


def calls_with(part: str) -> list[Call]:
    return [call for call in every_call() if part in call.parts]


def _patterns(entries: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for entry in entries:
        if isinstance(entry, URLResolver):
            yield from _patterns(entry.url_patterns)
        else:
            yield entry


def _calls(pattern: URLPattern) -> Iterator[Call]:
    view = pattern.callback.cls
    assert issubclass(view, KeyedView), f"{pattern.name}: its view must be a KeyedView, which asks for an API key."
    parts = tuple(pattern.pattern.converters)
    assert set(parts) <= set(PARTS), f"{pattern.name}: routes.PARTS does not know every one of {parts}."
    if "user" not in parts:
        assert pattern.name in WITHOUT_A_USER, f"{pattern.name}: routes.WITHOUT_A_USER needs a word about it."
    methods = [method.upper() for method in view.http_method_names if hasattr(view, method)]
    assert methods, f"{pattern.name} answers no method."
    for method in [*methods, *(["HEAD"] if "GET" in methods else [])]:
        call = Call(pattern.name, method, str(pattern.pattern), parts)
        assert call.body is None or call.writes
        yield call


def server_routes() -> Iterator[tuple[str, Any]]:
    """Every route of the whole server with its view, but for the admin's own pages, which ask for a login."""
    yield from _routes_below("", server_urls.urlpatterns)


def _routes_below(prefix: str, entries: list[URLPattern | URLResolver]) -> Iterator[tuple[str, Any]]:
    for entry in entries:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield route, entry.callback
        elif entry.app_name != "admin":
            yield from _routes_below(route, entry.url_patterns)
