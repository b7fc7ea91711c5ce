"""Log records: one line each on stdout, with the request's id, never with bodies."""

import logging
from typing import Any

from adk_project.shared.request_id import add_request_id


class OneLineFormatter(logging.Formatter):
    """Escapes line breaks, so that a traceback or hostile text cannot look like several records."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


def logging_settings(level: str) -> dict[str, Any]:
    """Django's LOGGING for ``level``. A 4xx is the caller's affair: only its status is logged, by the request log."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": lambda: add_request_id}},
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
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
        },
    }
