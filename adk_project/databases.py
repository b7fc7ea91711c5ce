"""The DATABASES setting: SQLite tuned for many threads, or PostgreSQL behind a pool that checks before use."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dj_database_url

# secure_delete: what was forgotten must not stay readable in free pages; not every build of SQLite has it on.
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;PRAGMA mmap_size=134217728;"
    "PRAGMA cache_size=-20000;PRAGMA journal_size_limit=27103364;PRAGMA secure_delete=ON;"
)

_IDLE_TRANSACTION_TIMEOUT = "idle_in_transaction_session_timeout=60000"


def database(values: Mapping[str, Any]) -> dict[str, Any]:
    """Django's settings for the one database that ``values`` (the environment by name) asks for."""
    url = values["DATABASE_URL"]
    if not url or url.startswith("sqlite"):
        return _sqlite(
            dj_database_url.parse(url)["NAME"] if url else values["THREEFOLD_DATA_DIR"] / "threefold.sqlite3"
        )
    return _postgresql(dict(dj_database_url.parse(url)), values)


def _sqlite(path: Path | str) -> dict[str, Any]:
    # IMMEDIATE takes the write lock at BEGIN: a deferred one that writes later fails at once when another wrote.
    options = {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": _SQLITE_PRAGMAS}
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        # A thread keeps its connection: opening one costs more than most requests.
        "CONN_MAX_AGE": None,
        "OPTIONS": options,
        # A file: the in-memory test database ignores WAL and busy_timeout, and threads then fail.
        "TEST": {"NAME": str(Path(tempfile.gettempdir()) / f"threefold-test-{os.getpid()}.sqlite3")},
    }


def _postgresql(parsed: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    pool = {
        "min_size": values["THREEFOLD_DATABASE_POOL_MIN"],
        "max_size": values["THREEFOLD_DATABASE_POOL_MAX"],
        "timeout": values["THREEFOLD_DATABASE_POOL_TIMEOUT_SECONDS"],
    }
    timeouts = f"-c statement_timeout={values['THREEFOLD_STATEMENT_TIMEOUT_MS']} -c {_IDLE_TRANSACTION_TIMEOUT}"
    options = {
        **parsed.get("OPTIONS", {}),
        "application_name": "threefold",
        "connect_timeout": values["THREEFOLD_DATABASE_CONNECT_TIMEOUT_SECONDS"],
        "options": timeouts,
        "pool": pool,
    }
    return {
        **parsed,
        "ENGINE": "adk_project.postgresql",
        "OPTIONS": options,
        # The pool keeps connections, so requests do not; it tests each one before handing it out.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        # Two test runs on one server must not meet.
        "TEST": {"NAME": f"test_{parsed['NAME'] or 'threefold'}_{os.getpid()}"},
    }
