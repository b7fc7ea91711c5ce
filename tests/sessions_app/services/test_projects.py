import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.errors import ProjectExists
from sessions_app.models import Project
from sessions_app.services.projects import create_project, ensure_project

pytestmark = pytest.mark.django_db


def test_a_project_is_stored_under_its_trimmed_name() -> None:
    assert create_project("  shop  ", "test") == "shop"
    assert list(Project.objects.values_list("name", "created_by")) == [("shop", "test")]


def test_a_name_is_taken_once_and_names_that_differ_by_case_are_two() -> None:
    create_project("shop", "test")
    with pytest.raises(ProjectExists):
        create_project(" shop ", "test")
    create_project("Shop", "test")
    assert Project.objects.count() == 2


def test_ensuring_a_project_makes_it_once() -> None:
    assert [ensure_project(name, "test") for name in ("shop", " shop", "shop")] == ["shop"] * 3
    assert Project.objects.count() == 1


@pytest.mark.parametrize("name", ["", "   ", "a\x00b", "\ud800", "x" * 256, "..", "tab\there"])
def test_a_name_that_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        ensure_project(name, "test")
    assert not Project.objects.exists()
