"""The Celery application: workers and beat in production, a table of task objects for the embedded worker."""

import os

from celery import Celery
from celery.signals import task_postrun
from kombu.transport.redis import Channel

from adk_project.shared.worker_pulse import record_pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adk_project.settings")

app = Celery("threefold")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# A worker that loses Redis while it holds messages would try to give them back over the connection it has just lost and
# end with an AttributeError (Celery 5.7). They are mere wake-up calls, and the visibility time-out gives them back.
Channel.do_restore = False


@task_postrun.connect
def _on_task_end(**_: object) -> None:
    record_pulse()
