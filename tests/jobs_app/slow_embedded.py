"""The embedded worker with slow ingestion, without a web server around it."""

import threading

import django

django.setup()

from adk_project.shared.embedded_worker import start_embedded_worker  # noqa: E402 - needs the apps
from tests.jobs_app.slow_work import slow_down  # noqa: E402 - needs the apps

if __name__ == "__main__":
    slow_down()
    start_embedded_worker()
    threading.Event().wait()
