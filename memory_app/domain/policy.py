"""What a project remembers: which kinds, how sure one must be, and for how long."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from adk_project.shared.errors import FieldError, Invalid

from .entries import EXCERPT, FACT, KINDS, PREFERENCE, TASK_CONTEXT, Candidate

DAY_SECONDS = 86_400
STRICT, DISTILLED = "strict", "distilled"
MAX_INJECT_LIMIT = 1_000
# Expiry is kept as epoch seconds: a century from now is still a date everywhere.
MAX_TTL_SECONDS = 100 * 366 * DAY_SECONDS

NOT_KEPT, UNSURE, BLANK, TOO_OLD = (
    "kind is not kept",
    "confidence is too low",
    "text is blank",
    "older than its kind is kept",
)


@dataclass(frozen=True, slots=True)
class KindRule:
    """What holds for one kind. ``ttl_seconds`` None keeps it for good."""

    persist: bool
    minimum_confidence: float = 0.0
    ttl_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision and, where it is a refusal or a removal, its reason. True in a condition when the decision is yes."""

    yes: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.yes


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """The rules of one project. Pure: the same candidate and age always get the same answer."""

    rules: Mapping[str, KindRule]
    max_inject: int = 8
    profile: str = STRICT

    def rule(self, kind: str) -> KindRule:
        """The rule of a kind; what the policy does not know, it does not keep."""
        return self.rules.get(kind, KindRule(persist=False))

    def should_persist(self, candidate: Candidate) -> Verdict:
        """Whether a candidate becomes an entry."""
        rule = self.rule(candidate.kind)
        if not candidate.text.strip():
            return Verdict(False, BLANK)
        if not rule.persist:
            return Verdict(False, NOT_KEPT)
        # Written so that NaN is refused too.
        if not candidate.confidence >= rule.minimum_confidence:
            return Verdict(False, UNSURE)
        return Verdict(True)

    def should_forget(self, candidate: Candidate, age_seconds: float) -> Verdict:
        """Whether an entry of this age goes: because it is too old, or because it would not be kept today."""
        ttl = self.rule(candidate.kind).ttl_seconds
        if ttl is not None and age_seconds >= ttl:
            return Verdict(True, TOO_OLD)
        kept = self.should_persist(candidate)
        return Verdict(not kept.yes, kept.reason)

    def expires_at(self, kind: str, valid_from: float) -> float | None:
        """The second at which an entry is gone, or None."""
        ttl = self.rule(kind).ttl_seconds
        return None if ttl is None else valid_from + ttl


_STRICT_RULES = {
    PREFERENCE: KindRule(True, 0.8, 90 * DAY_SECONDS),
    FACT: KindRule(True, 0.8, 30 * DAY_SECONDS),
    TASK_CONTEXT: KindRule(False, 0.8),
    EXCERPT: KindRule(True, 0.0, 90 * DAY_SECONDS),
}
PROFILES: Mapping[str, MemoryPolicy] = {
    STRICT: MemoryPolicy(_STRICT_RULES),
    DISTILLED: MemoryPolicy(_STRICT_RULES | {EXCERPT: KindRule(False)}, profile=DISTILLED),
}
DEFAULT_POLICY = PROFILES[STRICT]


@dataclass(frozen=True, slots=True)
class KindCount:
    """The active entries of one kind under a policy: all of them, the unsure ones, and of the sure ones the too old."""

    active: int = 0
    unsure: int = 0
    aged: int = 0


@dataclass(frozen=True, slots=True)
class KindChange:
    """What a change of policy does to one kind."""

    kind: str
    active: int
    forgotten: int
    reasons: Mapping[str, int]
    old: KindRule
    new: KindRule


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What a change of policy would do. Applied only while ``fingerprint`` is still what a new plan has."""

    changes: tuple[KindChange, ...]
    fingerprint: str = field(default="")

    @property
    def forgotten(self) -> int:
        return sum(change.forgotten for change in self.changes)


def plan_change(old: MemoryPolicy, new: MemoryPolicy, counts: Mapping[str, KindCount]) -> ChangePlan:
    """What replacing ``old`` by ``new`` does to the entries counted under ``new``, by kind."""
    changes = tuple(_plan_kind(kind, old.rule(kind), new.rule(kind), counts.get(kind, KindCount())) for kind in KINDS)
    content = [dump_policy(old), dump_policy(new), {kind: asdict(counts[kind]) for kind in sorted(counts)}]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return ChangePlan(changes, hashlib.sha256(text.encode()).hexdigest())


def _plan_kind(kind: str, old: KindRule, new: KindRule, count: KindCount) -> KindChange:
    reasons = {UNSURE: count.unsure, TOO_OLD: count.aged} if new.persist else {NOT_KEPT: count.active}
    reasons = {reason: number for reason, number in reasons.items() if number}
    return KindChange(kind, count.active, sum(reasons.values()), reasons, old, new)


def dump_policy(policy: MemoryPolicy) -> dict[str, object]:
    """The policy as JSON can hold it."""
    kinds = {kind: asdict(policy.rule(kind)) for kind in KINDS}
    return {"profile": policy.profile, "max_inject": policy.max_inject, "kinds": kinds}


def read_policy(data: Mapping[str, object]) -> MemoryPolicy:
    """A policy from JSON: its profile, and what differs from it. Raises Invalid naming every field at fault."""
    broken: list[FieldError] = []
    profile = data.get("profile", STRICT)
    if not isinstance(profile, str) or profile not in PROFILES:
        raise Invalid(fields=(FieldError("profile", f"must be one of {', '.join(PROFILES)}"),))
    policy = PROFILES[profile]
    broken += [FieldError(name, "is not known") for name in sorted(set(data) - {"profile", "max_inject", "kinds"})]
    max_inject = data.get("max_inject", policy.max_inject)
    if type(max_inject) is not int or not 0 <= max_inject <= MAX_INJECT_LIMIT:
        broken.append(FieldError("max_inject", f"must be a whole number from 0 to {MAX_INJECT_LIMIT}"))
        max_inject = policy.max_inject
    rules = _read_rules(data.get("kinds", {}), policy, broken)
    if broken:
        raise Invalid("; ".join(f"{item.field}: {item.rule}" for item in broken), fields=tuple(broken))
    return replace(policy, rules=rules, max_inject=max_inject)


def _read_rules(kinds: object, policy: MemoryPolicy, broken: list[FieldError]) -> dict[str, KindRule]:
    rules = dict(policy.rules)
    if not isinstance(kinds, Mapping):
        broken.append(FieldError("kinds", "must be an object"))
        return rules
    for kind, members in kinds.items():
        if kind not in KINDS or not isinstance(members, Mapping):
            broken.append(FieldError(f"kinds.{kind}", f"must be an object under one of {', '.join(KINDS)}"))
            continue
        faults = [FieldError(f"kinds.{kind}.{name}", rule) for name, rule in _faults_of(members)]
        broken += faults
        if not faults:
            rules[kind] = replace(rules[kind], **members)
    return rules


def _faults_of(members: Mapping[str, object]) -> list[tuple[str, str]]:
    checks = {
        "persist": (lambda value: type(value) is bool, "must be true or false"),
        "minimum_confidence": (
            lambda value: type(value) in (int, float) and 0 <= value <= 1,
            "must be a number from 0 to 1",
        ),
        "ttl_seconds": (
            lambda value: value is None or (type(value) is int and 0 < value <= MAX_TTL_SECONDS),
            f"must be null or a whole number from 1 to {MAX_TTL_SECONDS}",
        ),
    }
    known = [
        (name, checks[name][1]) for name, value in members.items() if name in checks and not checks[name][0](value)
    ]
    return known + [(name, "is not known") for name in members if name not in checks]
