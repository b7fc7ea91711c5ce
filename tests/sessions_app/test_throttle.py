"""The limit on how many requests a key may make a minute."""

import time
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from pytest_django import Settings

from sessions_app.api import throttling
from tests.sessions_app.http_client import Api
from tests.sessions_app.refusals import refuses

pytestmark = pytest.mark.django_db

LIMITED = {"field": None, "status": 429, "code": "rate_limited"}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands 45 seconds into a minute until a test moves it; an empty cache that is not left alone."""
    clock = SimpleNamespace(now=60_000_045.0)
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: clock.now, monotonic=time.monotonic))
    monkeypatch.setattr(throttling._Breaker, "closed_until", 0.0)
    cache.clear()
    return clock


def test_it_refuses_what_is_beyond_the_limit_and_says_when_to_come_back(
    api: Api, session: str, settings: Settings, clock: SimpleNamespace
) -> None:
    cache.clear()
    settings.THREEFOLD_RATE_LIMIT_PER_MINUTE = 3
    assert [api.get(session).status for _ in range(3)] == [200] * 3
    answer = refuses(api, "POST", f"{session}/events", {"event": {}}, **LIMITED)
    clock.now += 0.5
    assert answer.headers["retry-after"] == "15"
    clock.now += 15
    assert api.get(session).status == 200


def test_keys_are_counted_apart(api: Api, session: str, project: str, make_key, settings: Settings) -> None:
    cache.clear()
    settings.THREEFOLD_RATE_LIMIT_PER_MINUTE = 1
    assert api.get(session).status == 200
    refuses(api, "GET", session, **LIMITED)
    assert Api(make_key(project)).get(session).status == 200
    assert Api("tf_not_valid").get(session).status == 401, "who shows no valid key is refused for that"


def test_zero_is_no_limit(api: Api, session: str, settings: Settings) -> None:
    settings.THREEFOLD_RATE_LIMIT_PER_MINUTE = 0
    assert {api.get(session).status for _ in range(20)} == {200}


def test_a_cache_that_does_not_answer_lets_requests_pass(
    api: Api, session: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.THREEFOLD_RATE_LIMIT_PER_MINUTE = 1
    # Nothing listens on port 1.
    monkeypatch.setattr(
        throttling, "cache", RedisCache("redis://127.0.0.1:1", {"OPTIONS": {"socket_connect_timeout": 1}})
    )
    assert {api.get(session).status for _ in range(5)} == {200}
    told = [record.getMessage() for record in caplog.records if record.name == throttling.logger.name]
    assert len(told) == 1 and "not counted" in told[0], "said once, and the cache is left alone for a while"
    cache.clear()
    monkeypatch.setattr(throttling, "cache", cache)
    monkeypatch.setattr(throttling._Breaker, "closed_until", 0.0)
    assert [api.get(session).status for _ in range(2)] == [200, 429], "counted again once the cache answers"
