"""The Celery application with slow ingestion; JOBS_TEST_VISIBILITY makes Redis impatient as well."""

import os

import django

from adk_project.celery import app

django.setup()

from tests.jobs_app.slow_work import slow_down  # noqa: E402 - needs the apps

slow_down()
if "JOBS_TEST_VISIBILITY" in os.environ:
    app.conf.broker_transport_options = {
        **app.conf.broker_transport_options,
        "visibility_timeout": int(os.environ["JOBS_TEST_VISIBILITY"]),
        "unacked_restore_interval": 1,
    }
