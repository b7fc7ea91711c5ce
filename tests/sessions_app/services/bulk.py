"""Long logs and many sessions, written past the services because these would take minutes."""

import json
from collections.abc import Iterable

from django.db import connection
from django.utils import timezone

from sessions_app.domain.keys import SessionKey
from sessions_app.domain.state import encode_key, key_digest
from sessions_app.models import Event, Project, Session, SessionState
from tests.sessions_app.services.steps import session_row


def grow_log(key: SessionKey, to_length: int, text: str = "x" * 50) -> None:
    """Make a session's log ``to_length`` events long; event ``n`` has the id ``en`` and the timestamp ``n``."""
    session = session_row(key)
    Event.objects.bulk_create(_events(session, range(session.last_seq + 1, to_length + 1), text), batch_size=500)
    session.last_seq = session.revision = to_length
    session.last_update_time = float(to_length)
    session.save()
    analyze()


def make_sessions(project: str, user: str, count: int, prefix: str = "s") -> None:
    """So many more sessions of a user, each with one state key; the n-th was last updated at second ``n``."""
    project_id = Project.objects.get(name=project).pk
    rows = Session.objects.bulk_create(
        [
            Session(
                project_id=project_id,
                user_id=user,
                session_id=f"{prefix}{number:06}",
                create_time=float(number),
                last_update_time=float(number),
                created_by="test",
            )
            for number in range(count)
        ],
        batch_size=500,
    )
    SessionState.objects.bulk_create(
        [
            SessionState(
                project_id=project_id,
                session=row,
                key=encode_key("title"),
                key_digest=key_digest("title"),
                value=json.dumps(row.session_id),
                seq=0,
            )
            for row in rows
        ],
        batch_size=500,
    )
    analyze()


def analyze() -> None:
    """Let the planner know what was just written, as autovacuum would a minute later."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _events(session: Session, seqs: Iterable[int], text: str) -> list[Event]:
    now = timezone.now()
    return [
        Event(
            project_id=session.project_id,
            session=session,
            seq=seq,
            revision=seq,
            user_version=0,
            app_version=0,
            timestamp=float(seq),
            recorded_at=now,
            kind="conversation",
            event_id=f"e{seq}",
            recorded_by="test",
            body_digest=b"\0" * 32,
            body=json.dumps({"id": f"e{seq}", "timestamp": float(seq), "content": {"parts": [{"text": text}]}}),
        )
        for seq in seqs
    ]
