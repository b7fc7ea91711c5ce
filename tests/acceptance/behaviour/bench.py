"""What a probe works with: one session service, an app of its own, and words for outcomes."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig
from google.adk.sessions.session import Session
from google.genai import types


class Bench:
    """Every probe gets a new one. ``app`` is unused so far in the service's store."""

    def __init__(self, service: BaseSessionService) -> None:
        self.service = service
        self.app = f"probe_{uuid.uuid4().hex[:12]}"

    async def create(self, state: dict[str, Any] | None = None, **key: Any) -> Session:
        return await self.service.create_session(**self._key(key), state=state)

    async def get(self, window: GetSessionConfig | None = None, **key: Any) -> Session | None:
        return await self.service.get_session(**self._key(key), config=window)

    async def append(self, session: Session, event: Event) -> Event:
        return await self.service.append_event(session, event)

    async def delete(self, **key: Any) -> None:
        await self.service.delete_session(**self._key(key))

    def _key(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"app_name": self.app, "user_id": "u1", "session_id": "s1", **given}


@dataclass(frozen=True)
class Probe:
    number: str
    claim: str
    run: Callable[[Bench], Awaitable[str]]


PROBES: list[Probe] = []


def probe(number: str, claim: str) -> Callable[[Callable[[Bench], Awaitable[str]]], Callable[[Bench], Awaitable[str]]]:
    """Registers a probe under its number in the table."""

    def register(run: Callable[[Bench], Awaitable[str]]) -> Callable[[Bench], Awaitable[str]]:
        PROBES.append(Probe(number, claim, run))
        return run

    return register


def text(words: str = "x", **fields: Any) -> Event:
    return Event(author="user", content=types.Content(role="user", parts=[types.Part(text=words)]), **fields)


def delta(changes: dict[str, Any], **fields: Any) -> Event:
    return Event(author="agent", actions=EventActions(state_delta=changes), **fields)


async def outcome(work: Awaitable[Any]) -> str:
    """``ok``, or the class of the exception."""
    try:
        await work
    except Exception as error:
        return type(error).__name__
    return "ok"


async def tally(work: Iterable[Awaitable[Any]]) -> str:
    """The outcomes of work done at the same time, counted: ``1 ok, 19 StaleSessionError``."""
    outcomes = await asyncio.gather(*(outcome(each) for each in work))
    return ", ".join(f"{outcomes.count(each)} {each}" for each in sorted(set(outcomes), key=_ok_first))


def _ok_first(name: str) -> tuple[bool, str]:
    return name != "ok", name


def ids(session: Session | None) -> str:
    return "none" if session is None else "[" + " ".join(event.id for event in session.events) + "]"


def state(session: Session | None) -> str:
    """The state with sorted keys; key order of the top level is not what any probe is about."""
    return "none" if session is None else repr(dict(sorted(session.state.items())))
