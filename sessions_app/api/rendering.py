"""Answers, put together from stored JSON text: what was received comes back without being parsed on its way."""

from collections.abc import Iterable

from sessions_app.domain.json_text import JsonText, dump_json
from sessions_app.domain.records import AppendResult, SessionView, StoredEvent


def session_text(view: SessionView) -> str:
    """ADK's Session in camelCase, and beside it revision, lastSeq, title, labels and expiry."""
    return dump_json(_without_nulls(_session_members(view)))


def sessions_text(views: Iterable[SessionView]) -> str:
    return "[" + ",".join(session_text(view) for view in views) + "]"


def page_text(views: Iterable[SessionView], following: str | None) -> str:
    return dump_json(_without_nulls({"sessions": JsonText(sessions_text(views)), "next": following}))


def append_text(result: AppendResult) -> str:
    return dump_json(_append_members(result))


def batch_text(results: list[AppendResult]) -> str:
    """The results of a batch in the order of its events, and the session's head after them."""
    last = max(results, key=lambda result: result.seq)
    return dump_json(
        {
            "events": [_append_members(result) for result in results],
            "revision": last.revision,
            "lastUpdateTime": last.last_update_time,
        }
    )


def events_text(events: Iterable[StoredEvent], following: int | None) -> str:
    """A page of a log. Each event carries its ``seq``, a name that no stored event may use itself."""
    listed = JsonText("[" + ",".join(_listed_event(event) for event in events) + "]")
    return dump_json(_without_nulls({"events": listed, "next": following}))


def _session_members(view: SessionView) -> dict[str, object]:
    return {
        "id": view.session_id,
        "appName": view.project,
        "userId": view.user_id,
        "state": JsonText(view.state),
        "events": JsonText("[" + ",".join(view.events) + "]"),
        "lastUpdateTime": view.last_update_time,
        "revision": view.revision,
        "lastSeq": view.last_seq,
        "createTime": view.create_time,
        "title": view.title,
        "labels": dict(view.labels),
        "expiresAt": view.expires_at,
    }


def _append_members(result: AppendResult) -> dict[str, object]:
    return {
        "event": JsonText(result.body),
        "seq": result.seq,
        "revision": result.revision,
        "lastUpdateTime": result.last_update_time,
        "repeated": result.repeated,
    }


def _listed_event(event: StoredEvent) -> str:
    return f'{{"seq":{event.seq},{event.body[1:]}'


def _without_nulls(members: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
