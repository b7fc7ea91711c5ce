"""State is a projection: after any history it is the fold of the log, and what a plain dictionary would hold."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sessions_app.domain.errors import EventConflict, SessionExists, SessionNotFound, StaleSession
from sessions_app.domain.event_body import EventDraft
from sessions_app.domain.keys import SessionKey
from sessions_app.models import Event, SharedStateChange
from sessions_app.services.sessions import delete_session
from tests.sessions_app.services.projection import check_project
from tests.sessions_app.services.steps import (
    append,
    draft,
    new_project,
    new_session,
    open_key,
    patch,
    session_row,
    view_of,
)

KEYS = ["a", "b", "c", "", "nul\x00key", "\ud800", "clé", "app", "APP:x"]
SCOPED = [prefix + key for prefix in ("", "", "user:", "app:", "temp:") for key in [*KEYS, "user:nested", "app:"]]
VALUES: list[Any] = [
    None,
    True,
    0,
    2**70,
    1e308,
    -0.5,
    "",
    "x\x00\ud800",
    [],
    {},
    {"z": [None, {"y": 1}], "a": 1},
    "x" * 300,
]
USERS = ["ana", "bo", "ANA"]
SESSIONS = ["s1", "s2", "S1"]


@dataclass
class Model:
    """What plain dictionaries would hold."""

    own: dict[SessionKey, dict[str, Any]] = field(default_factory=dict)
    user: dict[str, dict[str, Any]] = field(default_factory=dict)
    app: dict[str, Any] = field(default_factory=dict)
    log: dict[SessionKey, list[EventDraft]] = field(default_factory=dict)
    revision: dict[SessionKey, int] = field(default_factory=dict)

    def merge(self, key: SessionKey, delta: dict[str, Any], removed: tuple[str, ...] = ()) -> None:
        for name, value in delta.items():
            if not name.startswith("temp:"):
                place, short = self._place(key, name)
                place[short] = value
        for name in removed:
            place, short = self._place(key, name)
            place.pop(short, None)

    def state(self, key: SessionKey) -> dict[str, Any]:
        return (
            self.own[key]
            | {f"app:{name}": value for name, value in self.app.items()}
            | {f"user:{name}": value for name, value in self.user.get(key.user_id, {}).items()}
        )

    def _place(self, key: SessionKey, name: str) -> tuple[dict[str, Any], str]:
        if name.startswith("app:"):
            return self.app, name[4:]
        if name.startswith("user:"):
            return self.user.setdefault(key.user_id, {}), name[5:]
        return self.own[key], name


class History:
    """A random history of one project, played against the services and against the model."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.project = new_project()
        self.model = Model()
        self.count = 0

    def play(self, steps: int) -> None:
        moves: list[Callable[[SessionKey], None]] = [
            self.create, self.append, self.append, self.append_batch, self.repeat, self.stale, self.conflict,
            self.patch, self.patch, self.open, self.delete,
        ]  # fmt: skip
        for _ in range(steps):
            key = SessionKey(self.project, self.random.choice(USERS), self.random.choice(SESSIONS))
            if key not in self.model.own and self.random.random() < 0.8:
                self.create(key)
            self.random.choice(moves)(key)
            self.check(key)

    def check(self, key: SessionKey) -> None:
        if key not in self.model.own:
            with pytest.raises(SessionNotFound):
                view_of(key)
            return
        view = view_of(key)
        assert json.loads(view.state) == self.model.state(key)
        assert view.revision == self.model.revision[key]

    def create(self, key: SessionKey) -> None:
        delta = self.delta()
        if key in self.model.own:
            with pytest.raises(SessionExists):
                new_session(key.project, key.user_id, key.session_id, delta)
            return
        self.model.own[key], self.model.log[key], self.model.revision[key] = {}, [], 0
        self.model.merge(key, delta)
        new_session(key.project, key.user_id, key.session_id, delta)

    def append(self, key: SessionKey) -> None:
        self.append_batch(key, 1)

    def append_batch(self, key: SessionKey, size: int | None = None) -> None:
        deltas = [self.delta() for _ in range(size or self.random.randint(2, 5))]
        drafts = [self.draft(delta) for delta in deltas]
        if key not in self.model.own:
            with pytest.raises(SessionNotFound):
                append(key, *drafts)
            return
        seen = self.random.sample(self.model.log[key], k=min(len(self.model.log[key]), 1))
        results = append(
            key, *seen, *drafts, *drafts[:1], expected=self.random.choice([None, self.model.revision[key]])
        )
        assert [result.seq for result in results[len(seen) : -1]] == list(
            range(view_of(key).last_seq - len(drafts) + 1, view_of(key).last_seq + 1)
        )
        assert [result.repeated for result in results[: len(seen)]] == [True] * len(seen)
        for delta in deltas:
            self.model.merge(key, delta)
        self.model.log[key] += drafts
        self.model.revision[key] += len(drafts)

    def repeat(self, key: SessionKey) -> None:
        if self.model.log.get(key):
            [result] = append(key, self.random.choice(self.model.log[key]), expected=self.random.choice([None, 0, 99]))
            assert result.repeated

    def stale(self, key: SessionKey) -> None:
        if key in self.model.own:
            with pytest.raises(StaleSession):
                append(key, self.draft(self.delta()), self.draft({"a": 1}), expected=self.model.revision[key] + 1)

    def conflict(self, key: SessionKey) -> None:
        if self.model.log.get(key):
            known = self.random.choice(self.model.log[key])
            with pytest.raises(EventConflict):
                append(key, self.draft(self.delta()), draft(known.event_id, {"other": 1}, text="other"))

    def patch(self, key: SessionKey) -> None:
        delta = self.delta()
        removed = tuple(name for name in self.names() if name not in delta and not name.startswith("temp:"))
        if key not in self.model.own:
            with pytest.raises(SessionNotFound):
                patch(key, delta, removed)
            return
        self.model.merge(key, delta, removed)
        patch(key, delta, removed)

    def open(self, key: SessionKey) -> None:
        if key in self.model.own:
            open_key(key, self.delta())

    def delete(self, key: SessionKey) -> None:
        if self.random.random() < 0.3:
            assert delete_session(key) == (self.model.own.pop(key, None) is not None)
            self.model.log.pop(key, None)

    def draft(self, delta: dict[str, Any]) -> EventDraft:
        self.count += 1
        return draft(f"e{self.count}", delta, timestamp=self.random.choice([1.5, 3.25, float(self.count)]))

    def delta(self) -> dict[str, Any]:
        return {name: self.random.choice(VALUES) for name in self.names()}

    def names(self) -> list[str]:
        return self.random.sample(SCOPED, k=self.random.randint(0, 6))


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(10))
def test_after_any_history_the_state_is_the_fold_of_the_log(seed: int) -> None:
    for part in range(10):
        history = History(1000 * seed + part)
        history.play(9)
        check_project(history.project)
        for key in history.model.own:
            history.check(key)
        check_versions_of_events(history.project)


def check_versions_of_events(project: str) -> None:
    """Each event notes the number of the last change of either scope at its moment, its own included."""
    changes = list(SharedStateChange.objects.filter(scope__project__name=project).select_related("scope"))
    for event in Event.objects.filter(session__project__name=project).select_related("session"):
        before = [
            change
            for change in changes
            if change.recorded_at < event.recorded_at
            or (change.recorded_at == event.recorded_at and change.seq <= event.seq)
        ]
        for owner, noted in ((event.session.user_id, event.user_version), ("", event.app_version)):
            versions = [change.version for change in before if change.scope.user_id == owner]
            assert noted == max(versions, default=0)


@pytest.mark.django_db
def test_a_state_row_names_the_event_that_set_it() -> None:
    key = new_session(state={"given": 1, "user:given": 1})
    append(key, draft("e1", {"k": 1, "user:k": 1}), draft("e2", {"k": 2, "app:k": 2}), draft("e3", {"other": 1}))

    row = SharedStateChange.objects.get(scope__user_id="ana", key='"k"')
    assert (row.session_id, row.user_id, row.seq, row.event_id, row.recorded_by) == ("s1", "ana", 1, "e1", "test")
    rows = session_row(key).state.values_list("key", "value", "seq")
    assert sorted(rows) == [('"given"', "1", 0), ('"k"', "2", 2), ('"other"', "1", 3)]


@pytest.mark.django_db
def test_keys_come_back_in_the_order_in_which_they_were_first_set() -> None:
    key = new_session(state={"z": 1, "y": 1})
    append(key, draft("e1", {"a": 1, "z": 2}), draft("e2", {"bb": {"z": 1, "y": 2, "a": 3}}))
    assert view_of(key).state == '{"z":2,"y":1,"a":1,"bb":{"z":1,"y":2,"a":3}}'
    assert json.loads(view_of(key).state)["z"] == 2
