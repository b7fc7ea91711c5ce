"""Sharp edge C3: one service, many event loops, no close: no shared sockets, no leaks, no warnings."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading

import pytest

from tests.client.events import ids, text_event
from threefold import ThreefoldSessionService


def test_a_service_is_made_without_a_loop_and_without_any_connection():
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
    service = ThreefoldSessionService("threefold://127.0.0.1:1", agents_dir="/x", session_db_kwargs={}, unknown=1)
    assert "127" not in repr(service)


def test_one_service_serves_loops_one_after_another_and_at_the_same_time(live, app):
    service = live.client()
    key = {"app_name": app, "user_id": "u", "session_id": "s"}
    mine = asyncio.run(service.create_session(**key))
    for number in range(3):
        asyncio.run(service.append_event(mine, text_event(id=str(number))))
    found: list = []

    def read():
        found.append(asyncio.run(service.get_session(**key)))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(ids(each) == ["0", "1", "2"] for each in found)
    assert len(service._transport.loops._known) <= 9


async def test_a_closed_service_opens_again_when_it_is_used(live, app):
    async with live.client() as service:
        mine = await service.create_session(app_name=app, user_id="u")
    await service.append_event(mine, text_event())
    await service.flush()
    await service.close()
    await service.close()


PROGRAM = """
import asyncio, gc, sys, threading, warnings
warnings.simplefilter("error", ResourceWarning)
from threefold import ThreefoldSessionService

service = ThreefoldSessionService(sys.argv[1], api_key=sys.argv[2])
key = {"app_name": sys.argv[3], "user_id": "u"}

async def work():
    made = await asyncio.gather(*(service.create_session(**key) for _ in range(5)))
    assert await service.get_session(**key, session_id=made[0].id) is not None

for _ in range(3):
    asyncio.run(work())
    gc.collect()
thread = threading.Thread(target=lambda: asyncio.run(work()))
thread.start(); thread.join()
del service
gc.collect()
print("done")
"""


def test_loops_that_end_leave_no_socket_open_and_no_warning(live, app):
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", textwrap.dedent(PROGRAM)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [*command, live.uri, live.key, app], env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.stdout == "done\n" and done.returncode == 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if "ResourceWarning" in line or "never retrieved" in line]
    assert complaints == [], done.stderr
