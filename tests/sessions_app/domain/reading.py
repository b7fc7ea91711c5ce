"""Reading an event as the server does."""

import json
from typing import Any

from sessions_app.domain.event_body import EventDraft, read_event
from sessions_app.domain.json_text import parse_json


def read(event: Any, **defaults: Any) -> EventDraft:
    """The draft of an event given as text or as Python values."""
    text = event if isinstance(event, str | bytes) else json.dumps(event)
    return read_event(
        parse_json(text),
        field="event",
        default_id=defaults.get("default_id", "made-id"),
        default_timestamp=defaults.get("default_timestamp", 1700000000.5),
    )
