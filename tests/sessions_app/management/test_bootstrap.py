from pathlib import Path

from django.core.management import call_command
from pytest import fixture

from sessions_app.models import ApiKey, Project
from sessions_app.services.api_keys import revoke_api_key


@fixture
def key_file(transactional_db, settings, tmp_path: Path) -> Path:
    settings.THREEFOLD_DATA_DIR = tmp_path
    return tmp_path / "first-api-key"


def test_it_makes_the_first_project_and_key_and_then_leaves_them(key_file: Path, capsys) -> None:
    call_command("bootstrap")
    first = key_file.read_text()
    assert first.strip() in capsys.readouterr().out
    call_command("bootstrap")
    assert key_file.read_text() == first
    assert capsys.readouterr().out == ""
    assert list(Project.objects.values_list("name", flat=True)) == ["demo"]
    assert ApiKey.objects.count() == 1


def test_a_key_file_that_opens_nothing_any_more_is_replaced(key_file: Path) -> None:
    call_command("bootstrap")
    first = key_file.read_text()
    revoke_api_key(first.split("_")[1])
    call_command("bootstrap")
    assert key_file.read_text() != first


def test_a_staff_user_that_exists_keeps_the_password(key_file: Path, django_user_model) -> None:
    django_user_model.objects.create_superuser("root", password="as before")
    call_command("bootstrap")
    assert django_user_model.objects.get().check_password("as before")
