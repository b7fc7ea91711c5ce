"""What every test of memory builds on: a user with a project, whose memory is reached over REST."""

from collections.abc import Callable

import pytest

from tests.memory_app.person import Person
from tests.sessions_app.conftest import make_key, make_project
from tests.sessions_app.http_client import Api

__all__ = ["make_key", "make_project"]

MakePerson = Callable[..., Person]


@pytest.fixture
def make_person(make_project: Callable[..., str], make_key: Callable[..., str]) -> MakePerson:
    """Makes a user of a project of the test's own, or of the project named."""
    projects: dict[str, str] = {}

    def make(user: str = "ana", project: str | None = None) -> Person:
        name = project or projects.setdefault("own", "") or make_project()
        if project is None:
            projects["own"] = name
        return Person(Api(make_key(scopes=("admin",))), name, user)

    return make


@pytest.fixture
def ana(make_person: MakePerson) -> Person:
    return make_person("ana")


@pytest.fixture
def bo(make_person: MakePerson) -> Person:
    """Another user of the same project."""
    return make_person("bo")
