import threading
import time

import pytest
from django.conf import settings

from adk_project.celery import app
from adk_project.shared.embedded_worker import EmbeddedWorker, ScheduledTask, scheduled_tasks
from adk_project.shared.worker_pulse import seconds_since_pulse


@pytest.fixture
def running():
    workers = []

    def start(*tasks):
        worker = EmbeddedWorker(list(tasks))
        workers.append(worker)
        worker.start()
        return worker

    yield start
    for worker in workers:
        assert worker.stop()


def every(seconds, run):
    return ScheduledTask(getattr(run, "__name__", "task"), run, seconds, time.monotonic())


def test_it_runs_a_task_at_once_and_again_after_its_period(running):
    runs = threading.Semaphore(0)
    running(every(0.02, runs.release))
    assert all(runs.acquire(timeout=5) for _ in range(3))


def test_a_failing_task_is_logged_and_comes_again_and_harms_no_other(running, caplog):
    failures, successes = threading.Semaphore(0), threading.Semaphore(0)

    def fail():
        failures.release()
        raise RuntimeError("no")

    running(every(0.02, fail), every(0.02, successes.release))
    assert all(failures.acquire(timeout=5) and successes.acquire(timeout=5) for _ in range(3))
    assert "The scheduled task fail failed" in caplog.text


def test_a_task_longer_than_its_period_does_not_starve_the_others(running):
    runs = threading.Semaphore(0)
    running(every(0.001, lambda: time.sleep(0.01)), every(0.02, runs.release))
    assert all(runs.acquire(timeout=5) for _ in range(3))


def test_it_stops_at_once_while_it_waits(running):
    worker = running(every(3600, lambda: None))
    start = time.monotonic()
    assert worker.stop()
    assert time.monotonic() - start < 1


def test_it_says_so_when_the_running_task_does_not_end_in_time(running):
    started, finish = threading.Event(), threading.Event()

    def wait():
        started.set()
        finish.wait(10)

    worker = running(every(3600, wait))
    assert started.wait(5)
    assert not worker.stop(timeout_seconds=0.05)
    finish.set()


def test_a_finished_task_leaves_a_pulse(running):
    done = threading.Event()
    running(every(3600, lambda: None), every(3600, done.set))
    assert done.wait(5)
    pulse = seconds_since_pulse()
    assert pulse is not None and pulse < 5


def test_every_scheduled_task_exists():
    app.autodiscover_tasks(force=True)
    names = [task.name for task in scheduled_tasks(settings.CELERY_BEAT_SCHEDULE, app.tasks)]
    assert "sessions_app.tasks.sweep_expired_sessions" in names


def test_an_unknown_task_is_refused():
    with pytest.raises(KeyError):
        scheduled_tasks({"x": {"task": "no.such.task", "schedule": 5}}, app.tasks)
