"""gunicorn's configuration: threads, the raw request target, and the embedded worker inside the one process.

Start with ``gunicorn -c python:adk_project.gunicorn_conf adk_project.wsgi:application``.
"""

import os
import socket
import struct
import sys
from typing import Any

from adk_project.environment import EMBEDDED, BadEnvironment, read_environment

try:
    _env = read_environment(os.environ)
except BadEnvironment as refusal:
    sys.exit(f"threefold: {refusal}")

bind = _env["THREEFOLD_BIND"]
worker_class = "gthread"
workers = _env["THREEFOLD_WEB_PROCESSES"]
threads = _env["THREEFOLD_WEB_THREADS"]
timeout = _env["THREEFOLD_WEB_TIMEOUT_SECONDS"]
graceful_timeout = max(1, timeout // 2)
keepalive = 30
# Ids of 255 characters, percent-encoded, make targets longer than the default limit of 4,094.
limit_request_line = 0
# One control socket per user would collide between two servers.
control_socket_disable = True
errorlog = "-"
loglevel = _env["THREEFOLD_LOG_LEVEL"].lower()

_embedded_workers: list[Any] = []


def when_ready(server: Any) -> None:
    """Bound every wait for a client. Connections inherit it; the threaded worker has no time-out of its own."""
    seconds = _env["THREEFOLD_CLIENT_TIMEOUT_SECONDS"]
    for listener in server.LISTENERS:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", seconds, 0))


def post_worker_init(worker: Any) -> None:
    """Start the embedded worker beside the web threads."""
    if _env["THREEFOLD_MODE"] == EMBEDDED:
        from adk_project.shared.embedded_worker import start_embedded_worker
        from jobs_app.adapters.nudge import wake_with

        embedded = start_embedded_worker()
        wake_with(lambda: embedded.wake("jobs_app.tasks.drain_jobs"))
        _embedded_workers.append(embedded)


def worker_exit(server: Any, worker: Any) -> None:
    """Stop it with the process: the task that runs may end, the next does not begin."""
    for embedded in _embedded_workers:
        embedded.stop()
