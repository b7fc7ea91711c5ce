"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adk_project.settings")

application = get_wsgi_application()

# Shared tasks belong to the current Celery application, so there must be one before a request asks for it.
from adk_project import celery  # noqa: E402, F401
from memory_app.services.digest_keys import refuse_to_start  # noqa: E402

refuse_to_start()
