"""Appends events and asks for their ingestion, as an agent's runs would: ``fill.py SESSIONS TURNS``."""

import sys
import time

import django

django.setup()

from memory_app.services.ingestion import request_session_ingestion  # noqa: E402 - needs the apps
from sessions_app.domain.event_body import genesis_draft, read_event  # noqa: E402 - needs the apps
from sessions_app.domain.json_text import parse_json  # noqa: E402 - needs the apps
from sessions_app.domain.keys import SessionKey  # noqa: E402 - needs the apps
from sessions_app.services.events import append_events  # noqa: E402 - needs the apps
from sessions_app.services.sessions import create_session  # noqa: E402 - needs the apps

EVENT = '{"author": "user", "invocationId": "i", "content": {"role": "user", "parts": [{"text": "%s"}]}}'


def main(sessions: int, turns: int) -> None:
    keys = [SessionKey("demo", f"user {number % 5}", f"s{number}") for number in range(sessions)]
    for key in keys:
        create_session(key, genesis_draft(parse_json("null"), timestamp=time.time()), facts={}, actor="test")
    for turn in range(turns):
        for key in keys:
            text = f"Turn number {turn} of the session {key.session_id} is here"
            given = parse_json(EVENT % text)
            event = read_event(given, field="event", default_id=f"e{turn}", default_timestamp=time.time())
            append_events(key, [event], None, "test")
            request_session_ingestion(key, {}, "test")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
