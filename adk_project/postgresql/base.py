"""Django's PostgreSQL backend with a pool that gets over lost connections at once.

After a failover or an idle time-out every pooled connection is dead. The pool's own check finds that out one connection
at a time and pauses for seconds in between, which is longer than a request waits.
"""

from functools import partial
from typing import Any

from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def pool(self) -> Any:
        """The process's pool, or None. It replaces all of its dead connections when it meets the first."""
        pool = super().pool
        if pool is not None:
            # Django hands the pool its own check and takes none from the settings.
            pool._check = partial(_check_all_at_once, pool)
        return pool


def _check_all_at_once(pool: ConnectionPool, connection: Any) -> None:
    try:
        ConnectionPool.check_connection(connection)
    except Exception:
        pool.check()
        raise
