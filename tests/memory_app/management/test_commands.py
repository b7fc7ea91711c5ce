"""The commands for memory: each calls the service that the API calls, plans with --dry-run, and speaks JSON."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.memory_app.person import Person
from tests.memory_app.stored import rows_holding, statistics

pytestmark = pytest.mark.django_db

SECRET = "I am allergic to peanuts."


def run(command: str, *arguments: str) -> Any:
    out = io.StringIO()
    call_command(command, *arguments, "--format", "json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def text(command: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_session_is_ingested_and_twice_changes_nothing(ana: Person) -> None:
    ana.say("s1", SECRET)
    done = run("ingest_session", ana.project, "ana", "s1")
    assert (done["status"], done["result"]["stored"]) == ("done", 2)
    assert run("ingest_session", ana.project, "ana", "s1")["result"]["stored"] == 0
    assert "done" in text("ingest_session", ana.project, "ana", "s1")
    with pytest.raises(CommandError, match="no such session"):
        run("ingest_session", ana.project, "ana", "nowhere")


def test_forgetting_is_planned_and_done(ana: Person) -> None:
    ana.tell("s1", SECRET, "What a day")
    plan = run("forget", ana.project, "ana", "--query", "peanuts", "--reason", "asked", "--dry-run")
    assert len(plan["memory_ids"]) == 2 and rows_holding("peanuts")
    assert "2 memories would be forgotten" in text(
        "forget", ana.project, "ana", "--query", "peanuts", "--reason", "asked", "--dry-run"
    )
    receipt = run("forget", ana.project, "ana", "--query", "peanuts", "--reason", "asked")
    assert receipt["memory_ids"] == plan["memory_ids"] and receipt["not_reached"] == ["s1"]
    assert rows_holding("peanuts") == [] and ana.texts() == ["What a day"]
    assert "1 memories forgotten (1 EXCERPT)" in text("forget", ana.project, "ana", "--all", "--reason", "asked")


@pytest.mark.parametrize(
    "arguments", [(), ("--query", ""), ("--key", ""), ("--session", ""), ("--all", "--kind", "FACT"), ("--id", "x")]
)
def test_e13_forgetting_by_nothing_is_refused(ana: Person, arguments: tuple[str, ...]) -> None:
    ana.tell("s1", SECRET)
    with pytest.raises(CommandError):
        run("forget", ana.project, "ana", *arguments, "--reason", "asked")
    with pytest.raises(CommandError):
        run("forget", ana.project, "ana", "--kind", "FACTS", "--reason", "asked")
    with pytest.raises(CommandError):
        run("forget", "nowhere", "ana", "--all", "--reason", "asked")
    assert len(ana.memories()) == 2


def test_a_search_is_explained(ana: Person) -> None:
    ana.tell("s1", SECRET)
    [hit, *_] = run("explain_search", ana.project, "ana", "peanuts")["memories"]
    assert sum(round(part["score"] * 1e6) for part in hit["explanation"]["parts"]) == round(hit["score"] * 1e6)
    shown = text("explain_search", ana.project, "ana", "peanuts")
    assert SECRET in shown and "peanut" in shown


def test_the_index_is_rebuilt(ana: Person, bo: Person) -> None:
    ana.tell("s1", SECRET)
    bo.tell("s1", "What a day")
    before = statistics()
    assert run("rebuild_memory_index", "--dry-run")["scopes"] == 2
    assert run("rebuild_memory_index", "--project", ana.project) == {"scopes": 2, "entries": 3}
    assert statistics() == before
