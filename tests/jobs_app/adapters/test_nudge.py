"""A nudge is never waited for."""

import threading
import time

from jobs_app.adapters.nudge import Nudger, _send_to_broker


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
