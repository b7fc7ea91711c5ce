"""Log records: one line each on stdout, with the request's id, never with bodies."""

import logging
from typing import Any

from adk_project.shared.request_id import add_request_id
from adk_project.shared.request_log import route_of


class OneLineFormatter(logging.Formatter):
    """Escapes line breaks, so that a traceback or hostile text cannot look like several records."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


def hide_path(record: logging.LogRecord) -> bool:
    """A filter for Django's records of failed requests: they name the route instead of the path, which holds ids, and
    the request's id, which is no longer the current one when they are written."""
    request = getattr(record, "request", None)
    if request is not None:
        reason = record.args[0] if isinstance(record.args, tuple) and record.args else record.levelname
        record.msg, record.args = "%s: /%s", (reason, route_of(request))
        record.request_id = getattr(request, "request_id", "-")
    return True


def logging_settings(level: str) -> dict[str, Any]:
    """Django's LOGGING for ``level``. A 4xx is the caller's affair: only its status is logged, by the request log."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": lambda: add_request_id}, "hide_path": {"()": lambda: hide_path}},
        "formatters": {
            "line": {
                "()": OneLineFormatter,
                "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
            }
        },
        "handlers": {
            "stdout": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stdout",
                "formatter": "line",
                "filters": ["request_id"],
            }
        },
        "root": {"handlers": ["stdout"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.request": {"level": "ERROR", "filters": ["hide_path"]},
            # A stranger's Host header or oversized form is answered with a 400; it must not fill the log.
            "django.security": {"level": "CRITICAL"},
            "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
        },
    }
