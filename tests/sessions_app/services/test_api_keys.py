import hashlib
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from adk_project.shared.errors import Invalid
from sessions_app.domain.access import Caller
from sessions_app.domain.errors import ApiKeyNotFound, ProjectNotFound
from sessions_app.models import ApiKey
from sessions_app.selectors import find_caller, list_api_keys, sees_project, visible_projects
from sessions_app.services.api_keys import create_api_key, note_use, revoke_api_key, use_is_due
from tests.sessions_app.services.steps import new_project

pytestmark = pytest.mark.django_db
SCOPES = ["sessions:read"]


def caller_of(key: str) -> Caller | None:
    found = find_caller(key, timezone.now())
    return found[0] if found else None


def test_the_database_holds_a_digest_and_never_the_key() -> None:
    issued = create_api_key(scopes=SCOPES, all_projects=True, name="n", actor="test")
    row = ApiKey.objects.get()

    assert issued.key.startswith(f"tf_{issued.prefix}_")
    assert bytes(row.digest) == hashlib.sha256(issued.key.encode()).digest()
    secret = issued.key.removeprefix(f"tf_{issued.prefix}_")
    assert len(secret) >= 40
    assert not any(secret in str(value) for value in vars(row).values())
    assert issued.key not in repr(list_api_keys())


def test_a_key_is_found_by_its_exact_text_alone() -> None:
    key = create_api_key(scopes=SCOPES, all_projects=True, user_id=" ana ", actor="test").key
    caller = caller_of(key)

    assert caller is not None
    assert (caller.scopes, caller.user_id, caller.all_projects) == (frozenset(SCOPES), "ana", True)
    for wrong in ("", key[:-1], key + "x", key.upper(), key.lower() + " ", "tf__", "\x00", "\ud800"):
        assert caller_of(wrong) is None


def test_a_key_sees_the_projects_it_is_bound_to_and_no_others() -> None:
    bound, other = new_project(), new_project()
    one = caller_of(create_api_key(scopes=SCOPES, projects=[bound], actor="test").key)
    every = caller_of(create_api_key(scopes=SCOPES, all_projects=True, actor="test").key)

    assert one is not None and every is not None
    assert visible_projects(one) == [bound]
    assert (sees_project(one, bound), sees_project(one, other), sees_project(one, "missing")) == (True, False, False)
    assert visible_projects(every) == sorted([bound, other])


def test_a_revoked_key_is_useless_from_then_on_and_keeps_its_first_moment() -> None:
    issued = create_api_key(scopes=SCOPES, all_projects=True, actor="test")
    revoke_api_key(issued.prefix)
    first = ApiKey.objects.get().revoked_at
    revoke_api_key(issued.prefix)

    assert caller_of(issued.key) is None
    assert ApiKey.objects.get().revoked_at == first
    with pytest.raises(ApiKeyNotFound):
        revoke_api_key("missing")


def test_a_key_is_useless_from_the_moment_of_its_expiry() -> None:
    end = timezone.now() + timedelta(hours=1)
    key = create_api_key(scopes=SCOPES, all_projects=True, expires_at=end, actor="test").key

    assert find_caller(key, end - timedelta(microseconds=1)) is not None
    assert find_caller(key, end) is None


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"all_projects": True, "projects": ["p"]},
        {"all_projects": True, "scopes": ["no:such"]},
        {"all_projects": True, "scopes": []},
        {"all_projects": True, "user_id": " "},
        {"all_projects": True, "expires_at": datetime(2099, 1, 1)},
        {"all_projects": True, "expires_at": timezone.now() - timedelta(seconds=1)},
    ],
)
def test_a_key_that_would_mean_something_else_than_asked_is_refused(arguments: dict) -> None:
    with pytest.raises(Invalid):
        create_api_key(**{"scopes": SCOPES, **arguments}, actor="test")
    assert not ApiKey.objects.exists()


def test_a_key_to_a_missing_project_is_refused_and_not_half_made() -> None:
    with pytest.raises(ProjectNotFound):
        create_api_key(scopes=SCOPES, projects=[new_project(), "missing"], actor="test")
    assert not ApiKey.objects.exists()


def test_use_is_noted_to_the_minute() -> None:
    issued = create_api_key(scopes=SCOPES, all_projects=True, actor="test")
    assert use_is_due(None)
    note_use(issued.prefix)
    first = ApiKey.objects.get().last_used_at
    assert first is not None and not use_is_due(first)
    note_use(issued.prefix)
    assert ApiKey.objects.get().last_used_at == first

    ApiKey.objects.update(last_used_at=first - timedelta(minutes=2))
    assert use_is_due(first - timedelta(minutes=2))
    note_use(issued.prefix)
    assert ApiKey.objects.get().last_used_at >= first
