"""What is kept, how sure one must be, and for how long; and what a change of these rules does."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_project.shared.errors import Invalid
from memory_app.domain.entries import EXCERPT, FACT, KINDS, PREFERENCE, TASK_CONTEXT, Candidate
from memory_app.domain.policy import (
    BLANK,
    DAY_SECONDS,
    DEFAULT_POLICY,
    NOT_KEPT,
    PROFILES,
    TOO_OLD,
    UNSURE,
    KindCount,
    dump_policy,
    plan_change,
    read_policy,
)


def candidate(kind: str, confidence: float = 1.0, text: str = "said") -> Candidate:
    return Candidate(kind, text, confidence)


@pytest.mark.parametrize(
    ("kind", "confidence", "reason"),
    [
        (PREFERENCE, 0.8, ""),
        (PREFERENCE, 0.79, UNSURE),
        (FACT, 0.8, ""),
        (FACT, 0.0, UNSURE),
        (FACT, math.nan, UNSURE),
        (TASK_CONTEXT, 1.0, NOT_KEPT),
        (EXCERPT, 0.0, ""),
        ("SOMETHING", 1.0, NOT_KEPT),
    ],
)
def test_strict_is_the_default(kind: str, confidence: float, reason: str) -> None:
    verdict = DEFAULT_POLICY.should_persist(candidate(kind, confidence))
    assert (bool(verdict), verdict.reason) == (not reason, reason)


def test_a_blank_text_is_never_kept() -> None:
    assert DEFAULT_POLICY.should_persist(candidate(FACT, text=" \n")).reason == BLANK


def test_distilled_keeps_no_excerpts_and_is_strict_in_the_rest() -> None:
    policy = PROFILES["distilled"]
    assert policy.should_persist(candidate(EXCERPT)).reason == NOT_KEPT
    assert policy.should_persist(candidate(FACT, 0.8)) and not policy.should_persist(candidate(FACT, 0.7))


@pytest.mark.parametrize(("kind", "days"), [(PREFERENCE, 90), (FACT, 30), (EXCERPT, 90)])
def test_each_kind_has_its_time(kind: str, days: int) -> None:
    ttl = days * DAY_SECONDS
    assert not DEFAULT_POLICY.should_forget(candidate(kind), ttl - 0.001)
    assert DEFAULT_POLICY.should_forget(candidate(kind), ttl).reason == TOO_OLD
    assert DEFAULT_POLICY.expires_at(kind, 1_000.0) == 1_000.0 + ttl


def test_what_would_not_be_kept_today_is_forgotten() -> None:
    assert DEFAULT_POLICY.should_forget(candidate(FACT, 0.5), 0).reason == UNSURE
    assert DEFAULT_POLICY.should_forget(candidate(TASK_CONTEXT), 0).reason == NOT_KEPT
    forever = read_policy({"kinds": {"FACT": {"ttl_seconds": None}}})
    assert not forever.should_forget(candidate(FACT), 1e12) and forever.expires_at(FACT, 1.0) is None


@given(st.sampled_from(KINDS), st.floats(0, 1), st.floats(0, 1e9))
def test_an_expiry_and_an_age_agree(kind: str, confidence: float, age: float) -> None:
    verdict = DEFAULT_POLICY.should_forget(candidate(kind, confidence), age)
    assert verdict == DEFAULT_POLICY.should_forget(candidate(kind, confidence), age)
    assert verdict or DEFAULT_POLICY.should_persist(candidate(kind, confidence))


def test_eight_memories_are_injected_unless_told_otherwise() -> None:
    assert DEFAULT_POLICY.max_inject == 8
    assert read_policy({"max_inject": 0}).max_inject == 0


@pytest.mark.parametrize("profile", list(PROFILES))
def test_a_policy_survives_being_stored(profile: str) -> None:
    policy = read_policy({"profile": profile, "max_inject": 3, "kinds": {"FACT": {"minimum_confidence": 0.5}}})
    assert policy.profile == profile and policy.rule(FACT).minimum_confidence == 0.5
    assert read_policy(dump_policy(policy)) == policy


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({"profile": "lax"}, ["profile"]),
        ({"profile": ["strict"]}, ["profile"]),
        ({"max_inject": True}, ["max_inject"]),
        ({"max_inject": -1, "more": 1}, ["more", "max_inject"]),
        ({"kinds": []}, ["kinds"]),
        ({"kinds": {"DREAM": {}}}, ["kinds.DREAM"]),
        ({"kinds": {"FACT": {"persist": 1, "ttl": 5}}}, ["kinds.FACT.persist", "kinds.FACT.ttl"]),
        ({"kinds": {"FACT": {"minimum_confidence": 1.5}}}, ["kinds.FACT.minimum_confidence"]),
        ({"kinds": {"FACT": {"minimum_confidence": float("nan")}}}, ["kinds.FACT.minimum_confidence"]),
        ({"kinds": {"FACT": {"ttl_seconds": 0}}}, ["kinds.FACT.ttl_seconds"]),
        ({"kinds": {"FACT": {"ttl_seconds": 10**12}}}, ["kinds.FACT.ttl_seconds"]),
    ],
)
def test_a_policy_at_fault_names_every_field(data: dict[str, object], fields: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        read_policy(data)
    assert [item.field for item in caught.value.fields] == fields


COUNTS = {
    PREFERENCE: KindCount(active=4, unsure=1, aged=2),
    EXCERPT: KindCount(active=10),
    FACT: KindCount(active=3),
}


def test_a_change_shows_what_it_would_forget_of_which_kind() -> None:
    plan = plan_change(DEFAULT_POLICY, PROFILES["distilled"], COUNTS)
    changes = {change.kind: change for change in plan.changes}
    assert list(changes) == list(KINDS)
    assert (changes[PREFERENCE].active, changes[PREFERENCE].forgotten) == (4, 3)
    assert changes[PREFERENCE].reasons == {UNSURE: 1, TOO_OLD: 2}
    assert changes[EXCERPT].reasons == {NOT_KEPT: 10} and changes[FACT].forgotten == 0
    assert plan.forgotten == 13


def test_a_plan_over_moved_data_has_another_fingerprint() -> None:
    new = PROFILES["distilled"]
    plan = plan_change(DEFAULT_POLICY, new, COUNTS)
    assert plan == plan_change(DEFAULT_POLICY, new, dict(reversed(COUNTS.items())))
    moved = [
        plan_change(DEFAULT_POLICY, new, COUNTS | {FACT: KindCount(active=4)}),
        plan_change(new, new, COUNTS),
        plan_change(DEFAULT_POLICY, DEFAULT_POLICY, COUNTS),
    ]
    assert plan.fingerprint not in {other.fingerprint for other in moved}
