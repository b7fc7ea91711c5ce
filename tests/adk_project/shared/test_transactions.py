"""The lock that queues SQLite's writers in order, and the two kinds of transaction."""

import threading
import time
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from adk_project.shared.transactions import FairLock, read_snapshot, write_transaction
from sessions_app.models import Project


def test_the_lock_is_handed_on_in_the_order_of_asking() -> None:
    lock = FairLock()
    order: list[int] = []

    def work(number: int) -> None:
        lock.acquire()
        order.append(number)
        lock.release()

    lock.acquire()
    threads = [
        _start(lambda number=number: work(number), lambda number=number: len(lock._waiting) > number)
        for number in range(12)
    ]
    lock.release()
    for thread in threads:
        thread.join(10)
    assert order == list(range(12))


def test_nobody_overtakes_the_one_whose_turn_it_is() -> None:
    lock = FairLock()
    order: list[str] = []
    lock.acquire()

    def wait_for_turn() -> None:
        lock.acquire()
        order.append("waited")
        lock.release()

    waiter = _start(wait_for_turn, lambda: len(lock._waiting) == 1)
    lock.release()
    lock.acquire()
    order.append("came back")
    lock.release()
    waiter.join(10)
    assert order == ["waited", "came back"]


def test_only_one_thread_at_a_time_holds_it() -> None:
    lock = FairLock()
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(50):
            lock.acquire()
            inside += 1
            most = max(most, inside)
            time.sleep(0)
            inside -= 1
            lock.release()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert most == 1


def test_its_holder_may_take_it_again_and_keeps_it_until_the_last_release() -> None:
    lock = FairLock()
    taken = threading.Event()

    def take() -> None:
        lock.acquire()
        taken.set()
        lock.release()

    lock.acquire()
    lock.acquire()
    other = _start(take, lambda: len(lock._waiting) == 1)
    lock.release()
    assert not taken.wait(0.1)
    lock.release()
    assert taken.wait(10)
    other.join(10)


@pytest.mark.django_db(transaction=True)
def test_an_error_inside_a_write_rolls_it_back_and_frees_the_next_writer() -> None:
    with pytest.raises(ValueError, match="mine"), write_transaction():
        Project.objects.create(name="half", created_by="test")
        raise ValueError("mine")
    assert not Project.objects.exists()
    ended = threading.Event()

    def write() -> None:
        try:
            with write_transaction():
                ended.set()
        finally:
            connection.close()

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(10)
    assert ended.is_set()


@pytest.mark.django_db(transaction=True)
def test_a_write_never_hides_inside_another_transaction() -> None:
    with transaction.atomic(), pytest.raises(RuntimeError), write_transaction():
        pass
    with write_transaction():
        assert connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_a_read_sees_one_moment_and_leaves_the_connection_as_it_was() -> None:
    def create() -> None:
        try:
            Project.objects.create(name="later", created_by="test")
        finally:
            connection.close()

    with read_snapshot():
        assert not Project.objects.exists()
        thread = threading.Thread(target=create, daemon=True)
        thread.start()
        thread.join(20)
        assert not Project.objects.exists()
    assert Project.objects.exists()
    assert not connection.in_atomic_block
    with pytest.raises(ValueError, match="mine"), read_snapshot():
        raise ValueError("mine")
    with write_transaction():
        Project.objects.create(name="written", created_by="test")
    assert Project.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_read_inside_a_write_sees_what_was_written() -> None:
    with write_transaction():
        Project.objects.create(name="mine", created_by="test")
        with read_snapshot():
            assert Project.objects.count() == 1


def _start(call: Callable[[], None], until: Callable[[], bool]) -> threading.Thread:
    """A thread that runs the call, once it has come as far as ``until`` says."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return thread
