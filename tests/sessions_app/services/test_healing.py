"""Rows of a projection that were lost by hand do not break a session: the next append makes what it needs."""

import pytest
from django.db import connection

from sessions_app.models import SessionState, SharedState, SharedStateChange, StateScope
from tests.sessions_app.services.projection import check_project
from tests.sessions_app.services.steps import append_one, new_session, state_of, view_of

pytestmark = pytest.mark.django_db


def test_a5_a_lost_user_scope_is_made_again_by_the_next_append() -> None:
    """Users saw: a user without a state row failed at every later write, until a person filled the row in."""
    key = new_session(state={"user:lang": "en", "app:kept": 1})
    _drop(SharedState, SharedStateChange, StateScope, owner="ana")

    append_one(key, "e1", delta={"user:lang": "fr"})

    assert state_of(key) == {"user:lang": "fr", "app:kept": 1}
    check_project(key.project)


def test_lost_scopes_of_user_and_app_are_both_made_again() -> None:
    key = new_session(state={"user:k": 1, "app:k": 1})
    for owner in ("ana", ""):
        _drop(SharedState, SharedStateChange, StateScope, owner=owner)

    assert state_of(key) == {}
    append_one(key, "e1", delta={"user:k": 2, "app:k": 3})
    assert state_of(key) == {"user:k": 2, "app:k": 3}
    check_project(key.project)


def test_a_lost_shared_value_is_written_again_by_the_next_append() -> None:
    key = new_session(state={"user:k": 1, "user:other": 1})
    _drop(SharedState, owner="ana")

    append_one(key, "e1", delta={"user:k": 2})
    assert state_of(key) == {"user:k": 2}


def test_a_lost_value_of_a_session_is_written_again_by_the_next_append() -> None:
    key = new_session(state={"k": 1})
    SessionState.objects.all().delete()

    append_one(key, "e1", delta={"k": 2})
    assert state_of(key) == {"k": 2}
    assert view_of(key).last_seq == 1


def _drop(*tables: type, owner: str) -> None:
    """Delete a scope's rows in the given tables, as a person at a database prompt would."""
    scopes = list(StateScope.objects.filter(user_id=owner).values_list("pk", flat=True))
    with connection.cursor() as cursor:
        for table in tables:
            column = "id" if table is StateScope else "scope_id"
            cursor.execute(f"DELETE FROM {table._meta.db_table} WHERE {column} IN ({', '.join(map(str, scopes))})")
