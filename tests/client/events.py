"""Small events for the client's tests."""

from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.session import Session
from google.genai import types


def text_event(text: str = "hello", author: str = "user", **fields: Any) -> Event:
    role = "user" if author == "user" else "model"
    return Event(author=author, content=types.Content(role=role, parts=[types.Part(text=text)]), **fields)


def delta_event(delta: dict[str, Any], **fields: Any) -> Event:
    return Event(author="agent", actions=EventActions(state_delta=delta), **fields)


def call_event(args: dict[str, Any], **fields: Any) -> Event:
    call = types.FunctionCall(id="c1", name="tool", args=args)
    return Event(author="agent", content=types.Content(role="model", parts=[types.Part(function_call=call)]), **fields)


def ids(session: Session | None) -> list[str]:
    assert session is not None
    return [event.id for event in session.events]


def texts(session: Session | None) -> list[str | None]:
    assert session is not None
    return [event.content.parts[0].text for event in session.events]
