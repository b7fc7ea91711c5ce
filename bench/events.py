"""The event that both peers store: about 1 KB of JSON, with three state keys, one of them the user's."""

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.genai import types

STATE_KEYS = 3
_TEXT = "What the agent says is as long as this, and so a stored event has about one kilobyte. " * 7


def sample_event(number: int) -> Event:
    content = types.Content(role="model", parts=[types.Part(text=_TEXT)])
    delta = {"step": number, "note": "n" * 60, "user:seen": number}
    return Event(author="agent", invocation_id="i", content=content, actions=EventActions(state_delta=delta))
