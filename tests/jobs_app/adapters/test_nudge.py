"""A nudge is never waited for."""

import os
import subprocess
import sys
import threading
import time

import pytest
import redis

from devtools.paths import ROOT
from jobs_app.adapters.nudge import Nudger, _send_to_broker
from tests.conftest import missing
from tests.jobs_app.processes import has_redis_server, own_redis


def test_many_nudges_become_few_messages():
    sent = []
    nudger = Nudger(lambda: sent.append(time.monotonic()))
    for _ in range(200):
        nudger.nudge()
    deadline = time.monotonic() + 10
    while not sent and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    assert 1 <= len(sent) <= 5


def test_a_broker_that_hangs_delays_nobody_and_is_asked_again_afterwards():
    hanging, asked, sent = threading.Event(), threading.Event(), []

    def send():
        asked.set()
        assert hanging.wait(30)
        sent.append(1)

    nudger = Nudger(send)
    nudger.nudge()
    assert asked.wait(10)
    started = time.monotonic()
    for _ in range(1000):
        nudger.nudge()
    assert time.monotonic() - started < 1
    hanging.set()
    deadline = time.monotonic() + 10
    while len(sent) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(sent) == 2


def test_a_broker_that_refuses_is_noted_and_the_next_nudge_is_sent(caplog):
    outcomes = [ConnectionError("redis://user:password@host"), None]
    sent = threading.Semaphore(0)

    def send():
        outcome = outcomes.pop(0)
        sent.release()
        if outcome:
            raise outcome

    nudger = Nudger(send)
    nudger.nudge()
    assert sent.acquire(timeout=10)
    time.sleep(0.1)
    nudger.nudge()
    assert sent.acquire(timeout=10)
    assert "ConnectionError" in caplog.text and "password" not in caplog.text


def test_without_a_broker_nothing_is_sent():
    _send_to_broker()


@pytest.mark.redis
def test_a_command_wakes_the_workers_at_the_configured_broker(tmp_path):
    """It has not loaded the Celery application by itself."""
    if not has_redis_server():
        missing("A redis-server to start")
    script = "import django; django.setup(); from jobs_app.adapters.nudge import _send_to_broker; _send_to_broker()"
    with own_redis(tmp_path) as server:
        environment = {**os.environ, "REDIS_URL": server.url, "DJANGO_SETTINGS_MODULE": "adk_project.settings"}
        environment["THREEFOLD_DATA_DIR"] = str(tmp_path)
        subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True, timeout=60)
        assert redis.Redis.from_url(server.url).llen("threefold:celery") == 1
