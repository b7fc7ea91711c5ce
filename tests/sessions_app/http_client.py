"""A client of the API inside the test's process, which sends the request target exactly as the test wrote it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.test import Client


@dataclass(frozen=True)
class Answer:
    """One answer. ``text`` is the body as sent; ``json`` is it parsed."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str | None:
        """The stable code of a problem, None of any other answer."""
        return self.json["code"] if self.headers["content-type"] == "application/problem+json" else None

    @property
    def fields(self) -> list[str]:
        """The fields that a problem names."""
        return [item["field"] for item in self.json.get("errors", [])]

    @property
    def without_request_id(self) -> str:
        """The body and the headers, for comparing two answers byte for byte."""
        request_id = self.headers.get("x-request-id", "-")
        headers = sorted((name, value) for name, value in self.headers.items() if name != "x-request-id")
        return f"{self.status} {headers} {self.text.replace(request_id, 'ID')}"


class Api:
    """Requests with one key. ``body`` becomes JSON unless it is text or bytes. A crash of the server raises."""

    # One for all: each new one would load the middleware again. No cookie is ever set by the API.
    _client = Client()

    def __init__(self, key: str | None) -> None:
        self.key = key

    def __call__(
        self, method: str, target: str, body: object = None, headers: Mapping[str, str] | None = None, **environ: object
    ) -> Answer:
        given = {"Authorization": f"Bearer {self.key}"} if self.key is not None else {}
        data = body if isinstance(body, bytes | str) else b"" if body is None else json.dumps(body)
        data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        environ = {"RAW_URI": target, **environ}
        content_type = str(environ.pop("content_type", "application/json"))
        response = self._client.generic(
            method, target, data, content_type, headers={**given, **(headers or {})}, **environ
        )
        text = response.getvalue().decode()
        return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, text)

    def get(self, target: str, **options: Any) -> Answer:
        return self("GET", target, **options)

    def post(self, target: str, body: object = None, **options: Any) -> Answer:
        return self("POST", target, body, **options)

    def put(self, target: str, body: object = None, **options: Any) -> Answer:
        return self("PUT", target, body, **options)

    def patch(self, target: str, body: object = None, **options: Any) -> Answer:
        return self("PATCH", target, body, **options)

    def delete(self, target: str, **options: Any) -> Answer:
        return self("DELETE", target, **options)


def segment(text: str) -> str:
    """An id as it stands in a path."""
    return quote(text, safe="")


def user_path(project: str, user: str) -> str:
    return f"/apps/{segment(project)}/users/{segment(user)}"


def session_path(project: str, user: str, session: str) -> str:
    return f"{user_path(project, user)}/sessions/{segment(session)}"
