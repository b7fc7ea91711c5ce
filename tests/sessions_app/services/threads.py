"""Real threads, each with a database connection of its own, that start at one moment."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
PATIENCE_SECONDS = 60


def at_once(calls: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Run the calls at the same moment and return what each returned or raised, in the order of the calls."""
    barrier = threading.Barrier(len(calls))
    outcomes: list[T | Exception] = [RuntimeError("did not end")] * len(calls)

    def run(place: int) -> None:
        try:
            barrier.wait(PATIENCE_SECONDS)
            outcomes[place] = calls[place]()
        except Exception as error:
            outcomes[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    return outcomes


def all_well(outcomes: Sequence[T | Exception]) -> list[T]:
    """The outcomes, of which none may be an error."""
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise AssertionError(f"a call failed: {outcome!r}") from outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def errors_among(outcomes: Sequence[object]) -> list[Exception]:
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]


class Background:
    """A call that runs in a thread of its own while the test goes on."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.error: Exception | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._call()
        except Exception as error:
            self.error = error
        finally:
            connections.close_all()

    def ended_within(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def finish(self) -> None:
        """Wait for the end; what the call raised is raised here."""
        assert self.ended_within(PATIENCE_SECONDS), "a background call did not end"
        if self.error is not None:
            raise self.error
