"""A topic of the tests' own, whose effect is counted and is not idempotent."""

from collections.abc import Iterator

import pytest

from jobs_app.services import registry
from tests.jobs_app.work import TOPIC, Work


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """The handler of the topic ``test`` for the time of one test."""
    handler = Work()
    monkeypatch.setitem(registry._handlers, TOPIC, handler)
    yield handler
    handler.may_go_on.set()
