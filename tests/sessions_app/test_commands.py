"""The commands with which an operator makes projects and keys."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sessions_app.models import ApiKey, Project
from tests.sessions_app.http_client import Api
from tests.sessions_app.tables import nothing_changes

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def issue(*arguments: str) -> Any:
    return json.loads(run("create_api_key", *arguments, "--format", "json"))


# create_project


def test_it_creates_a_project(make_key) -> None:
    assert run("create_project", " shop/eu ") == "Created project shop/eu.\n"
    assert Project.objects.get().created_by == "command:create_project"
    assert Api(make_key("shop/eu")).put("/apps/shop%2Feu/users/u/sessions/s").status == 200


def test_a_second_project_of_a_name_is_refused(project: str) -> None:
    with nothing_changes(), pytest.raises(CommandError, match="exists already"):
        run("create_project", project)


@pytest.mark.parametrize("name", ["", " ", ".", "..", "x" * 256, "a\0b", "a\nb", "\ud800"], ids=ascii)
def test_a_name_that_is_no_id_is_refused(name: str) -> None:
    with nothing_changes(), pytest.raises(CommandError, match="project: "):
        run("create_project", name)


# create_api_key


def test_it_issues_a_key_that_reads_and_writes(project: str) -> None:
    text = run("create_api_key", "--project", project)
    key, advice = text.splitlines()
    row = ApiKey.objects.get()
    assert key.startswith(f"tf_{row.prefix}_") and row.prefix in advice
    assert (row.scopes, row.all_projects, row.user_id, row.expires_at) == (
        ["sessions:read", "sessions:write"],
        False,
        None,
        None,
    )
    assert key not in str(ApiKey.objects.values())
    assert Api(key).put(f"/apps/{project}/users/u/sessions/s").status == 200


def test_it_issues_a_key_with_everything_said(project: str, make_project) -> None:
    other = make_project()
    options = ["--project", project, "--project", other, "--scope", "audit:read", "--scope", "sessions:read"]
    issued = issue(*options, "--user-id", " ana ", "--name", "a chat", "--expires-in-days", "0.5")
    assert set(issued) == {"prefix", "key"}
    row = ApiKey.objects.get(prefix=issued["prefix"])
    assert (row.scopes, row.user_id, row.name) == (["sessions:read", "audit:read"], "ana", "a chat")
    assert timedelta(hours=11) < row.expires_at - datetime.now(UTC) < timedelta(hours=13)
    assert Api(issued["key"]).get("/list-apps").json == sorted([project, other])


def test_a_key_to_all_projects_opens_those_that_come_later(make_project) -> None:
    key = issue("--all-projects", "--scope", "sessions:read")["key"]
    assert Api(key).get(f"/apps/{make_project()}/sessions").status == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scope", "admin"], "required"),
        (["--project", "nowhere"], "no project 'nowhere'"),
        (["--project", "nowhere", "--all-projects"], "not allowed with"),
        (["--all-projects", "--scope", "sessions"], "'sessions' is not one of"),
        (["--all-projects", "--scope", ""], "is not one of"),
        (["--all-projects", "--user-id", ""], "userId"),
        (["--all-projects", "--user-id", "a\0b"], "userId"),
        (["--all-projects", "--name", "x" * 256], "name"),
        (["--all-projects", "--name", "a\0b"], "name"),
        (["--all-projects", "--expires-in-days", "0"], "future"),
        (["--all-projects", "--expires-in-days", "-1"], "future"),
        *((["--all-projects", "--expires-in-days", days], "days") for days in ("nan", "inf", "1e12", "-1e12", "x")),
        (["--all-projects", "--format", "xml"], "invalid choice"),
    ],
    ids=str,
)
def test_a_key_that_breaks_a_rule_is_not_issued(arguments: list[str], message: str) -> None:
    with nothing_changes(), pytest.raises(CommandError, match=message):
        run("create_api_key", *arguments)


# list_api_keys


def test_it_lists_keys_and_nothing_that_could_be_used_as_one(project: str) -> None:
    assert run("list_api_keys") == ""
    assert json.loads(run("list_api_keys", "--format", "json")) == []
    plain = issue("--project", project)
    bound = issue("--all-projects", "--user-id", "ana", "--name", "phone", "--expires-in-days", "2", "--scope", "admin")
    revoked = issue("--project", project)
    expired = issue("--project", project, "--expires-in-days", "1")
    run("revoke_api_key", revoked["prefix"])
    ApiKey.objects.filter(prefix=expired["prefix"]).update(expires_at=datetime.now(UTC) - timedelta(days=1))
    Api(plain["key"]).get("/list-apps")

    text, listed = run("list_api_keys"), json.loads(run("list_api_keys", "--format", "json"))
    for issued in (plain, bound, revoked, expired):
        assert issued["key"] not in text + str(listed)
    lines = {line.split()[0]: line for line in text.splitlines()}
    assert (
        list(lines) == [row["prefix"] for row in listed] == [key["prefix"] for key in (expired, revoked, bound, plain)]
    )
    assert "valid" in lines[plain["prefix"]] and "last used" in lines[plain["prefix"]]
    assert project in lines[plain["prefix"]] and "any user" in lines[plain["prefix"]]
    for word in ("valid", "all projects", "admin", "user ana", "expires", "never used", "phone"):
        assert word in lines[bound["prefix"]]
    assert "revoked" in lines[revoked["prefix"]] and "valid" not in lines[revoked["prefix"]]
    assert "expired" in lines[expired["prefix"]] and "valid" not in lines[expired["prefix"]]
    by_prefix = {row["prefix"]: row for row in listed}
    assert by_prefix[plain["prefix"]]["projects"] == [project] and by_prefix[bound["prefix"]]["projects"] is None
    assert datetime.fromisoformat(by_prefix[revoked["prefix"]]["revoked_at"]).tzinfo is not None
    assert by_prefix[bound["prefix"]]["user_id"] == "ana"


# revoke_api_key


def test_a_revoked_key_is_useless_from_then_on(project: str) -> None:
    issued = issue("--project", project)
    assert run("revoke_api_key", issued["prefix"]) == f"Revoked {issued['prefix']}.\n"
    assert Api(issued["key"]).get("/list-apps").status == 401
    first = ApiKey.objects.get().revoked_at
    again = json.loads(run("revoke_api_key", issued["prefix"], "--format", "json"))
    assert again == {"prefix": issued["prefix"], "revoked": True} and ApiKey.objects.get().revoked_at == first


@pytest.mark.parametrize("prefix", ["nothing", "", "%", "tf_x_y"])
def test_an_unknown_key_cannot_be_revoked(prefix: str, project: str) -> None:
    issue("--project", project)
    with nothing_changes(), pytest.raises(CommandError, match="no API key"):
        run("revoke_api_key", prefix)
