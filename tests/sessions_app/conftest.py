"""What every test of the sessions app builds on: projects, keys, and a client that speaks to the API."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from sessions_app.services.api_keys import create_api_key
from sessions_app.services.projects import create_project
from tests.sessions_app.http_client import Api, session_path

MakeProject = Callable[..., str]
MakeKey = Callable[..., str]

READ_AND_WRITE = ("sessions:read", "sessions:write")


@pytest.fixture
def make_project() -> MakeProject:
    """Makes a project and returns its name. Needs the database."""

    def make(name: str | None = None) -> str:
        return create_project(name or f"app-{uuid.uuid4().hex[:12]}", "test")

    return make


@pytest.fixture
def make_key() -> MakeKey:
    """Issues a key for the named projects, or for all where none is named, and returns its text."""

    def make(*projects: str, scopes: tuple[str, ...] = READ_AND_WRITE, **options: Any) -> str:
        options = {"all_projects": not projects, "actor": "test", **options}
        return create_api_key(scopes=scopes, projects=projects, **options).key

    return make


@pytest.fixture
def project(make_project: MakeProject) -> str:
    """A project of the test's own."""
    return make_project()


@pytest.fixture
def api(project: str, make_key: MakeKey) -> Api:
    """The API with a key that reads and writes sessions of ``project``."""
    return Api(make_key(project))


@pytest.fixture
def session(api: Api, project: str) -> str:
    """The path of an empty session ``s1`` of the user ``ana`` in ``project``."""
    path = session_path(project, "ana", "s1")
    assert api.post(f"/apps/{project}/users/ana/sessions", {"sessionId": "s1"}).status == 200
    return path
