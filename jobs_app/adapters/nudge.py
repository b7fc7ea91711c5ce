"""Waking the workers. A nudge is never waited for and may be lost; the outbox is swept anyway.

The broker's client blocks for seconds when Redis is down, half a minute when it hangs. So one daemon thread sends, at
most one message each 50 ms, and a request only sets a flag.
"""

import logging
import threading
from collections.abc import Callable
from importlib import import_module

from jobs_app.config import has_broker

logger = logging.getLogger(__name__)

_COALESCED_SECONDS = 0.05


class Nudger:
    """Calls ``send`` on a thread of its own soon after :meth:`nudge`, once for all nudges that came meanwhile."""

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._asked = threading.Event()
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None

    def nudge(self) -> None:
        self._asked.set()
        # Started on first use, in the process that uses it: a thread does not survive a fork.
        if self._thread is None or not self._thread.is_alive():
            with self._start:
                if self._thread is None or not self._thread.is_alive():
                    self._thread = threading.Thread(target=self._run, name="nudger", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            self._asked.wait()
            threading.Event().wait(_COALESCED_SECONDS)
            self._asked.clear()
            try:
                self._send()
            except Exception as error:
                logger.warning("The workers could not be woken (%s); the sweep finds the jobs.", type(error).__name__)


def _send_to_broker() -> None:
    if has_broker():
        # A management command has not loaded the application; without it Celery would look for a broker of its own.
        app = import_module("adk_project.celery").app
        app.send_task("jobs_app.tasks.drain_jobs", retry=False, expires=30, ignore_result=True)


_wake: Callable[[], None] = Nudger(_send_to_broker).nudge


def nudge_workers() -> None:
    """Wake whoever drains the outbox. Returns at once, whatever the broker does."""
    _wake()


def wake_with(wake: Callable[[], None]) -> None:
    """Use ``wake`` instead of the broker: the embedded worker hands in its own."""
    global _wake
    _wake = wake
