"""A benchmark's own database with Threefold's tables: PostgreSQL where DATABASE_URL names one, else a SQLite file.

Nothing of Threefold that needs Django may be imported before :func:`own_database` is entered.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.live import fresh_database


@contextlib.contextmanager
def own_database() -> Iterator[str]:
    """Set Django up on an empty, migrated database and yield its vendor; it is gone afterwards."""
    with tempfile.TemporaryDirectory() as directory, fresh_database(Path(directory)) as url:
        given = {"DATABASE_URL": url, "THREEFOLD_DATA_DIR": directory, "THREEFOLD_LOG_LEVEL": "WARNING"}
        os.environ.update(given, THREEFOLD_STATEMENT_TIMEOUT_MS="0", DJANGO_SETTINGS_MODULE="adk_project.settings")
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", interactive=False, verbosity=0)
        try:
            yield connection.vendor
        finally:
            _close(connection)


def _close(connection) -> None:
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()


def make_scope(user: str):
    """The key of a user of the project ``bench``, which is made if need be."""
    from sessions_app.domain.keys import UserKey
    from sessions_app.services.projects import ensure_project

    return UserKey(ensure_project("bench", "bench"), user)


def store_turns(key, session: str, turns: Sequence) -> None:
    """Store turns of one session as an ingestion does, in one transaction; kept for ever, whatever their age.

    ``turns`` are those of ``bench.recall``.
    """
    from adk_project.shared.transactions import write_transaction
    from memory_app.domain.entries import EXCERPT
    from memory_app.domain.policy import KindRule, MemoryPolicy
    from memory_app.domain.proposals import Source
    from memory_app.services.scopes import ingested, lock_scope
    from memory_app.services.storing import store_proposals
    from sessions_app.selectors import project_id

    source, policy = Source(f"s:{session}", session), MemoryPolicy({EXCERPT: KindRule(persist=True)})
    proposals = [_proposal(turn) for turn in turns]
    with write_transaction():
        scope = lock_scope(project_id(key.project), key.user_id)
        outcome, _ = store_proposals(scope, source, proposals, policy, "bench", ingested(scope, source.ref))
    assert outcome.stored == len(turns), outcome


def _proposal(turn):
    import json

    from memory_app.domain.entries import EXCERPT, Candidate
    from memory_app.domain.proposals import Proposal

    said = Candidate(EXCERPT, turn.text, 1.0, event_id=turn.id, seq=turn.seq, author=turn.author, end=len(turn.text))
    content = json.dumps({"role": "user", "parts": [{"text": turn.text}]})
    return Proposal(said, content, turn.moment.timestamp(), extractor="excerpts")
