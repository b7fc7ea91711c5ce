"""What the policy lets in, and what a change of it does to what is there."""

from typing import Any

import pytest

from memory_app.models import Memory
from tests.memory_app.person import Person, ago
from tests.memory_app.stored import rows_holding, statistics

pytestmark = pytest.mark.django_db


def plan(ana: Person, policy: dict[str, Any]) -> Any:
    return ana.ok(ana.api.post(f"/apps/{ana.project}/memory/policy:plan", {"policy": policy}))


def change(ana: Person, policy: dict[str, Any], fingerprint: str | None = None) -> Any:
    body = {"policy": policy, "fingerprint": fingerprint or plan(ana, policy)["fingerprint"]}
    return ana.api.put(f"/apps/{ana.project}/memory/policy", body)


@pytest.mark.parametrize("profile", ["strict", "distilled"])
def test_task_context_never_crosses_a_session(ana: Person, profile: str) -> None:
    assert change(ana, {"profile": profile}).status == 200
    answer = ana.add("The build is at step 3", kind="TASK_CONTEXT", confidence=1)
    assert answer["memories"] == [] and answer["outcome"]["refused"] == {"kind is not kept": 1}
    assert ana.memories() == [] and rows_holding("step 3") == []


@pytest.mark.parametrize("kind", ["FACT", "PREFERENCE"])
def test_what_one_is_not_sure_of_is_refused(ana: Person, kind: str) -> None:
    for confidence, stored in ((0, 0), (0.79, 0), (0.8, 1), (1, 1)):
        answer = ana.add(f"sure to {confidence}", kind=kind, confidence=confidence)
        assert len(answer["memories"]) == stored
        assert answer["outcome"]["refused"] == ({} if stored else {"confidence is too low": 1})
    assert rows_holding("0.79") == []


def test_the_distilled_profile_keeps_no_excerpts(ana: Person) -> None:
    ana.tell("s0", "What a day")
    planned = plan(ana, {"profile": "distilled"})
    assert planned["forgotten"] == 1
    assert ana.texts() == ["What a day"]
    assert change(ana, {"profile": "distilled"}, planned["fingerprint"]).status == 200
    result = ana.tell("s1", "I live in Porto.")
    assert result["refused"] == {"kind is not kept": 1}
    assert [item["kind"] for item in ana.memories()] == ["FACT"]
    assert rows_holding("What a day") == [] and ana.found("day") == []


def test_a_change_applies_to_what_is_there_and_to_what_comes(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", "From now on use Fahrenheit", timestamp=ago(10))
    before = statistics()
    longer = {"kinds": {"FACT": {"persist": True, "minimum_confidence": 0.8, "ttl_seconds": 40 * 86_400}}}
    assert plan(ana, longer)["forgotten"] == 0
    assert change(ana, longer).status == 200
    fact = ana.named("I live in Porto.", "FACT")
    assert round((fact["expiresAt"] - fact["validFrom"]) / 86_400) == 40
    assert statistics() == before
    shorter = {"kinds": {"FACT": {"persist": True, "minimum_confidence": 0.8, "ttl_seconds": 5 * 86_400}}}
    assert plan(ana, shorter)["forgotten"] == 1
    assert change(ana, shorter).status == 200
    assert ana.texts(kind="FACT") == [] and Memory.objects.filter(kind="FACT", text="").count() == 1
    assert ana.tell("s2", "I live in Turku.", timestamp=ago(6))["refused"] == {"has expired already": 1}


def test_a_plan_does_not_fit_data_that_moved(ana: Person) -> None:
    ana.tell("s1", "What a day")
    planned = plan(ana, {"profile": "distilled"})
    ana.tell("s1", "And what a night")
    answer = change(ana, {"profile": "distilled"}, planned["fingerprint"])
    assert (answer.status, answer.code) == (409, "policy_moved")
    assert len(ana.memories()) == 2
    assert ana.ok(ana.api.get(f"/apps/{ana.project}/memory/policy"))["profile"] == "strict"


def test_what_is_kept_for_good_may_be_older_than_the_calendar(ana: Person) -> None:
    forever = {"kinds": {"FACT": {"persist": True, "minimum_confidence": 0.8, "ttl_seconds": None}}}
    assert change(ana, forever).status == 200
    for moment in (-1.0, -1e12, 0, 1e300):
        assert ana.add(f"Rome at {moment}", timestamp=moment)["outcome"]["refused"] == {}
    assert len(ana.memories()) == 4 and len(ana.found("Rome")) == 4
    assert all("expiresAt" not in item for item in ana.memories())


def test_another_projects_policy_is_its_own(ana: Person, make_person: Any, make_project: Any) -> None:
    other = make_person("ana", make_project())
    other.tell("s1", "What a day")
    assert change(ana, {"profile": "distilled"}).status == 200
    assert other.texts() == ["What a day"]
    assert other.tell("s1", "And what a night")["stored"] == 1


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        (None, "policy"),
        ([], "policy"),
        ({"profile": "loose"}, "profile"),
        ({"max_inject": -1}, "max_inject"),
        ({"kinds": {"FACTS": {}}}, "kinds.FACTS"),
        ({"kinds": {"FACT": {"ttl_seconds": 0}}}, "kinds.FACT.ttl_seconds"),
        ({"kinds": {"FACT": {"ttl_seconds": -5}}}, "kinds.FACT.ttl_seconds"),
        ({"kinds": {"FACT": {"ttl_seconds": 10**18}}}, "kinds.FACT.ttl_seconds"),
        ({"kinds": {"FACT": {"minimum_confidence": 2}}}, "kinds.FACT.minimum_confidence"),
        ({"kinds": {"FACT": {"persist": "yes"}}}, "kinds.FACT.persist"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_i13_a_policy_that_cannot_be_is_refused_by_its_field(ana: Person, policy: Any, field: str) -> None:
    for method, path in (("POST", "policy:plan"), ("PUT", "policy")):
        body = {"policy": policy} | ({"fingerprint": "x"} if method == "PUT" else {})
        answer = ana.api(method, f"/apps/{ana.project}/memory/{path}", body)
        assert (answer.status, answer.fields) == (400, [field]), answer.text
