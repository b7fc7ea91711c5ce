"""Group D: state semantics."""

import pytest
from django.db import connection
from django.test import Client

from sessions_app.domain.state import fold, read_record
from sessions_app.models import Session
from tests.sessions_app.http_client import Api, session_path, user_path
from tests.sessions_app.services.projection import check_project
from tests.sessions_app.services.statements import measure
from tests.sessions_app.services.steps import append, draft, event_rows, new_session, state_of

pytestmark = pytest.mark.django_db


def test_d2_a_temporary_value_is_nowhere_on_the_server(
    api: Api, project: str, caplog: pytest.LogCaptureFixture, admin_client: Client
) -> None:
    """Users saw: the state looks clean, and the stored event still holds the token."""
    caplog.set_level("DEBUG")
    path, word = session_path(project, "ana", "s1"), "tok3n-of-this-turn"
    temporary = {"temp:token": word, "k": 1}
    api.put(path, {"state": temporary, "events": [{"id": "e0", "actions": {"stateDelta": temporary}}]})
    api.post(f"{path}/events", {"event": {"id": "e1", "actions": {"stateDelta": temporary}}})
    api.post(f"{path}/events", {"event": {"id": "e2", "actions": {"state_delta": temporary}}})
    api.post(f"{path}/events:batch", {"events": [{"id": "e3", "actions": {"stateDelta": temporary}}]})
    api.patch(path, {"stateDelta": temporary})
    api.post(session_path(project, "ana", "s2"), temporary)

    assert word not in _whole_database()
    assert word not in caplog.text
    for target in (path, f"{path}/events", f"{path}/state", f"{user_path(project, 'ana')}/sessions"):
        answer = api.get(target)
        assert (answer.status, word in answer.text, "temp:" in answer.text) == (200, False, False)
    pages = [admin_client.get(f"/admin/sessions_app/session/{row.pk}/change/") for row in Session.objects.all()]
    assert pages and all(word not in page.content.decode() for page in pages)


def _whole_database() -> str:
    with connection.cursor() as cursor:
        names = [name for name in connection.introspection.table_names(cursor) if name.startswith("sessions_app")]
        found = []
        for name in names:
            cursor.execute(f'SELECT * FROM "{name}"')
            found += [
                bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
                for row in cursor.fetchall()
                for value in row
            ]
    return "\n".join(found)


def test_d3_null_is_a_value_and_a_removed_key_is_gone_live_and_rebuilt(api: Api, session: str) -> None:
    """Users saw: null deletes on one back end and is kept on another, and shared keys that nobody could remove."""
    project = session.split("/")[2]
    nulls = {"a": None, "user:b": None, "app:c": None, "d": {"x": None}}
    api.patch(session, {"stateDelta": {"a": 1, "user:b": 1, "app:c": 1}})
    api.post(f"{session}/events", {"event": {"actions": {"stateDelta": nulls}}})
    assert api.get(session).json["state"] == nulls
    check_project(project)

    api.patch(session, {"removeKeys": ["a", "user:b", "app:c", "not there"]})
    assert api.get(session).json["state"] == {"d": {"x": None}}
    assert api.get(f"/apps/{project}/state").json == api.get(f"{user_path(project, 'ana')}/state").json == {}
    # ADK reads the removal as null.
    delta = api.get(session).json["events"][-1]["actions"]["stateDelta"]
    assert delta == {"a": None, "user:b": None, "app:c": None, "not there": None}
    check_project(project)

    api.post(f"{session}/events", {"event": {"actions": {"stateDelta": {"a": 2, "user:b": 2, "app:c": 2}}}})
    assert api.get(session).json["state"] == {"a": 2, "user:b": 2, "app:c": 2, "d": {"x": None}}
    check_project(project)


def test_d5_the_state_given_at_creation_is_the_first_record_and_the_fold_brings_it_back() -> None:
    """Users saw: after an undo, the tenant and the preferences given at creation were None."""
    key = new_session(state={"region": "north", "user:lang": "en"})
    append(key, draft("run1", {"draft": 1}), draft("run2", {"final": 1, "region": "south"}))
    # What an ADK client appends for a rewind before run2 when it does not know the state given at creation.
    append(key, draft("undo", {"final": None, "region": None}, actions={"rewindBeforeInvocationId": "i2"}))
    records = [read_record(row.seq, row.kind, row.body) for row in event_rows(key)]

    assert [(record.seq, record.kind) for record in records][0] == (0, "genesis")
    before_run2 = fold(record for record in records if record.seq < 2)
    assert {name: (value.value_text, value.seq) for name, value in before_run2.items()} == {
        "region": ('"north"', 0),
        "draft": ("1", 1),
    }
    assert state_of(key) == {"region": None, "draft": 1, "final": None, "user:lang": "en"}


@pytest.mark.parametrize("how_many", [3, 60])
def test_d7_a_list_carries_the_merged_state_of_each_session_in_the_same_few_statements(
    api: Api, project: str, how_many: int
) -> None:
    """Users saw: titles and settings missing from the list, or one query for each row of it."""
    for number in range(how_many):
        new_session(
            project, session=f"s{number:03}", state={"title": f"t{number}", "user:lang": "fr", "app:flag": True}
        )
    target = f"{user_path(project, 'ana')}/sessions"
    api.get(target)
    with measure() as cost:
        listed = api.get(target).json

    assert len(listed) == how_many
    for each in listed:
        assert each["state"] == {"title": f"t{int(each['id'][1:])}", "user:lang": "fr", "app:flag": True}
        assert each["events"] == []
    assert cost.count <= 8


def test_s16_s17_nulls_of_a_rewind_stay_until_somebody_removes_them(api: Api, session: str) -> None:
    """Users saw: keys that a rewind had set to null lingered for good."""
    undo = {"actions": {"rewindBeforeInvocationId": "i1", "stateDelta": {"k": None}}}
    assert api.post(f"{session}/events", {"event": undo}).status == 200
    assert api.get(session).json["state"] == {"k": None}
    assert api.patch(session, {"removeKeys": ["k"]}).json["state"] == {}


def test_s20_a_session_created_again_under_its_id_has_nothing_of_the_old_one(api: Api, session: str) -> None:
    """Users saw: things of the deleted session turn up in the new one."""
    api.post(f"{session}/events", {"event": {"id": "e1", "actions": {"stateDelta": {"k": 1, "app:kept": 1}}}})
    assert api.delete(session).status == 200
    assert api.delete(session).status == 200
    assert api.get(session).code == "session_not_found"

    again = api.put(session, {}).json
    assert (again["events"], again["state"], again["revision"], again["lastSeq"]) == ([], {"app:kept": 1}, 0, 0)
    assert api.post(f"{session}/events", {"event": {"id": "e1"}}).json["repeated"] is False
