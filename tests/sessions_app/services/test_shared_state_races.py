"""Shared keys of a user and of an app, written from many sessions at one moment."""

from functools import partial

import pytest

from sessions_app.domain.keys import SessionKey
from sessions_app.models import SharedStateChange, StateScope
from sessions_app.services.projects import ensure_project
from tests.sessions_app.services.projection import check_project
from tests.sessions_app.services.steps import (
    append_one,
    new_project,
    new_session,
    patch,
    state_of,
)
from tests.sessions_app.services.threads import all_well, at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("users", [1, 15], ids=["one user", "a user each"])
def test_creates_at_once_in_a_new_project_keep_every_shared_key(users: int) -> None:
    project = f"brand-new-{users}"

    def create(number: int) -> SessionKey:
        ensure_project(project, "test")
        state = {f"app:k{number}": number, f"user:k{number}": number, "own": number}
        return new_session(project, f"user{number % users}", f"s{number}", state)

    keys = all_well(at_once([partial(create, number) for number in range(15)]))

    assert StateScope.objects.count() == users + 1
    for number, key in enumerate(keys):
        state = state_of(key)
        assert {name for name in state if name.startswith("app:")} == {f"app:k{place}" for place in range(15)}
        mine = {f"user:k{place}" for place in range(15) if place % users == number % users}
        assert {name for name in state if name.startswith("user:")} == mine
        assert state["own"] == number
    check_project(project)


def test_appends_at_once_from_twenty_sessions_keep_every_shared_key() -> None:
    project = new_project()
    keys = [new_session(project, f"user{number % 2}", f"s{number}") for number in range(20)]
    all_well(
        at_once(
            [
                partial(append_one, key, "e1", delta={f"app:k{number}": number, f"user:k{number}": number})
                for number, key in enumerate(keys)
            ]
        )
    )

    state = state_of(keys[0])
    assert {name: state[f"app:{name}"] for name in (f"k{n}" for n in range(20))} == {f"k{n}": n for n in range(20)}
    assert {name for name in state if name.startswith("user:")} == {f"user:k{number}" for number in range(0, 20, 2)}
    check_project(project)


def test_scopes_in_opposite_orders_neither_deadlock_nor_lose_a_key() -> None:
    project = new_project()
    keys = [new_session(project, user, f"s{number}") for user in ("ana", "bo") for number in range(3)]

    def write(key: SessionKey, number: int) -> None:
        for step in range(8):
            names = [f"app:{number}-{step}", f"user:{number}-{step}", "app:both", "user:both"]
            delta = dict.fromkeys(names if number % 2 else reversed(names), number)
            append_one(key, f"e{step}", delta=delta)

    all_well(at_once([partial(write, key, number) for number, key in enumerate(keys)]))

    for place, key in enumerate(keys):
        state = state_of(key)
        assert {f"app:{number}-{step}" for number in range(6) for step in range(8)} <= state.keys()
        mine = range(3) if place < 3 else range(3, 6)
        assert {f"user:{number}-{step}" for number in mine for step in range(8)} <= state.keys()
    # Own and shared keys of both scopes, each change numbered once.
    assert SharedStateChange.objects.count() == 6 * 8 * 4
    check_project(project)


def test_first_writes_of_new_users_in_a_new_project_never_deadlock() -> None:
    for _ in range(20):
        project = new_project()
        keys = [new_session(project, user, f"s{number}") for user in ("ana", "bo", "cy") for number in range(3)]
        deltas = [{"user:a": 1, "app:a": 1}, {"user:b": 1, "app:b": 1}, {"app:c": 1}]
        all_well(at_once([partial(append_one, key, "e1", delta=deltas[n % 3]) for n, key in enumerate(keys)]))

        assert StateScope.objects.filter(project__name=project).count() == 4


def test_writes_and_removals_of_one_shared_key_at_once_end_as_the_last_change_says() -> None:
    project = new_project()
    keys = [new_session(project, session=f"s{number}") for number in range(8)]
    calls = [
        partial(append_one, key, "e1", delta={"user:k": number, "app:k": number}) if number % 2 else
        partial(patch, key, removed=["user:k", "app:k"])
        for number, key in enumerate(keys)
    ]  # fmt: skip
    all_well(at_once(calls))

    for owner, name in (("ana", "user:k"), ("", "app:k")):
        last = SharedStateChange.objects.filter(scope__user_id=owner).latest("version")
        state = state_of(keys[0])
        assert state.get(name) == (None if last.value is None else int(last.value))
        assert (name in state) == (last.value is not None)
    check_project(project)
