"""The embedded mode's worker: a thread that runs the scheduled tasks, with the clock of CELERY_BEAT_SCHEDULE."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import close_old_connections

from adk_project.shared.worker_pulse import record_pulse

log = logging.getLogger(__name__)
Task = Callable[[], object]


@dataclass
class ScheduledTask:
    """A task object, its period and the next moment (monotonic seconds) it is due."""

    name: str
    run: Task
    every_seconds: float
    due: float


def scheduled_tasks(schedule: Mapping[str, Mapping[str, Any]], tasks: Mapping[str, Task]) -> list[ScheduledTask]:
    """The entries of a beat schedule as tasks that are due at once. Raises KeyError for an unknown task."""
    now = time.monotonic()
    return [
        ScheduledTask(entry["task"], tasks[entry["task"]], float(entry["schedule"]), now) for entry in schedule.values()
    ]


class EmbeddedWorker:
    """Runs scheduled tasks one after the other on a thread of its own. A failing task is logged and comes again."""

    def __init__(self, tasks: list[ScheduledTask]) -> None:
        self._tasks = tasks
        self._stopping = threading.Event()
        self._something = threading.Event()
        self._woken: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="embedded-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float = 5.0) -> bool:
        """Ask the thread to end after the task it runs. True when it ended in time."""
        self._stopping.set()
        self._something.set()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def wake(self, name: str) -> None:
        """Run the named task soon instead of when it is due. Returns at once."""
        self._woken.add(name)
        self._something.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            for task in self._tasks:
                if self._is_due(task) and not self._stopping.is_set():
                    _run_logged(task)
            self._something.wait(self._seconds_to_next())
            self._something.clear()

    def _is_due(self, task: ScheduledTask) -> bool:
        # Taken away before the task runs, in one step: what is asked for meanwhile is another run.
        try:
            self._woken.remove(task.name)
        except KeyError:
            return task.due <= time.monotonic()
        return True

    def _seconds_to_next(self) -> float:
        now = time.monotonic()
        return max(0.0, min((task.due - now for task in self._tasks), default=60.0))


def _run_logged(task: ScheduledTask) -> None:
    close_old_connections()
    try:
        task.run()
        record_pulse()
    except Exception:
        log.exception("The scheduled task %s failed; it runs again in %g s.", task.name, task.every_seconds)
    finally:
        close_old_connections()
        # Counted from its end: a task that takes longer than its period must not starve the others.
        task.due = time.monotonic() + task.every_seconds


def start_embedded_worker() -> EmbeddedWorker:
    """Start the worker on this project's beat schedule. Raises KeyError when the schedule names an unknown task."""
    from adk_project.celery import app

    app.autodiscover_tasks(force=True)
    worker = EmbeddedWorker(scheduled_tasks(app.conf.beat_schedule, app.tasks))
    worker.start()
    return worker
