"""One user and their memory, over REST; the worker runs when the test says so."""

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

from jobs_app.services.drain import drain
from sessions_app.domain.keys import UserKey
from tests.sessions_app.http_client import Answer, Api, segment, session_path, user_path

_numbers = itertools.count(1)


@dataclass
class Person:
    """``ok`` wants 200 (or 202) and gives the answer's JSON; the methods that end in nothing else do so too."""

    api: Api
    project: str
    user: str
    sessions: set[str] = field(default_factory=set)

    @property
    def path(self) -> str:
        return user_path(self.project, self.user)

    @property
    def key(self) -> UserKey:
        return UserKey(self.project, self.user)

    def ok(self, answer: Answer) -> Any:
        assert answer.status in (200, 202), answer.text
        return answer.json

    # Talking

    def say(self, session: str, *texts: str, author: str = "user", **members: Any) -> list[str]:
        """Append events to a session, made on first use. Returns the events' ids."""
        path = session_path(self.project, self.user, session)
        if session not in self.sessions:
            self.ok(self.api.put(path, {}))
            self.sessions.add(session)
        ids = []
        for text in texts:
            event = {
                "id": f"e{next(_numbers)}",
                "author": author,
                "content": {"role": "user" if author == "user" else "model", "parts": [{"text": text}]},
                **members,
            }
            self.ok(self.api.post(f"{path}/events", {"event": event}))
            ids.append(event["id"])
        return ids

    def delete_session(self, session: str) -> None:
        self.ok(self.api.delete(session_path(self.project, self.user, session)))
        self.sessions.discard(session)

    # Remembering

    def request(self, session: str, **body: Any) -> str:
        """Ask for an ingestion and leave it to the worker. Returns the operation's id."""
        path = f"{session_path(self.project, self.user, session)}/ingest"
        return self.ok(self.api.post(path, body))["operation"]["id"]

    def request_events(self, *events: dict[str, Any], **body: Any) -> str:
        answer = self.api.post(f"{self.path}/memory/events", {"events": list(events), **body})
        return self.ok(answer)["operation"]["id"]

    def operation(self, operation: str) -> Any:
        return self.ok(self.api.get(f"/operations/{operation}"))["operation"]

    def ingest(self, session: str, **body: Any) -> Any:
        """Ingest a session and return the operation's result."""
        operation = self.request(session, **body)
        drain()
        done = self.operation(operation)
        assert done["status"] == "done", done
        return done["result"]

    def tell(self, session: str, *texts: str, **members: Any) -> Any:
        """Say it and have it ingested."""
        self.say(session, *texts, **members)
        return self.ingest(session)

    def add(self, text: str, **members: Any) -> Any:
        """Store one memory directly; the answer's outcome and its memories."""
        entry = {"content": {"parts": [{"text": text}]}, **members}
        return self.ok(self.api.post(f"{self.path}/memories", {"memories": [entry]}))

    # Looking

    def search(self, query: str, **body: Any) -> Any:
        return self.ok(self.api.post(f"{self.path}/memories:search", {"query": query, **body}))

    def found(self, query: str, **body: Any) -> list[str]:
        """The texts of a search's hits, standing preferences left out unless asked for."""
        return [text_of(memory) for memory in self.search(query, **{"standing": False, **body})["memories"]]

    def memories(self, **filters: str) -> list[Any]:
        query = "&".join(f"{name}={segment(value)}" for name, value in filters.items())
        return self.ok(self.api.get(f"{self.path}/memories?limit=200&{query}"))["memories"]

    def texts(self, **filters: str) -> list[str]:
        return sorted(text_of(memory) for memory in self.memories(**filters))

    def named(self, text: str, kind: str | None = None, **filters: str) -> Any:
        """The one entry of this text."""
        found = [item for item in self.memories(**filters) if text_of(item) == text and kind in (None, item["kind"])]
        assert len(found) == 1, found
        return found[0]

    # Forgetting

    def plan(self, **selection: Any) -> Any:
        return self.ok(self.api.post(f"{self.path}/memories:forget", {**selection, "dryRun": True}))

    def forget(self, **selection: Any) -> Any:
        return self.ok(self.api.post(f"{self.path}/memories:forget", {"reason": "asked to", **selection}))

    def forget_one(self, memory: Any) -> Any:
        return self.ok(self.api.delete(f"{self.path}/memories/{memory['id']}?reason=asked"))

    def tombstones(self) -> list[Any]:
        return self.ok(self.api.get(f"{self.path}/tombstones?limit=200"))["tombstones"]

    def lift(self, tombstone: str) -> None:
        self.ok(self.api.post(f"{self.path}/tombstones/{tombstone}/lift", {"reason": "a mistake"}))

    def erase(self) -> Any:
        return self.ok(self.api.delete(f"{self.path}?reason=left"))


def text_of(memory: Any) -> str:
    return "\n".join(part["text"] for part in memory["content"]["parts"])


def ago(days: float) -> float:
    """A moment in the past, as epoch seconds."""
    return time.time() - days * 86_400
