"""The searches that bench/recall.py compares: Threefold's ranking over an index in memory, and ADK's two services."""

import asyncio
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bench.recall import Scope, Turn
from memory_app.domain.cues import asks_when, is_question, names_time
from memory_app.domain.entries import EXCERPT, PREFERENCE, Entry, Place
from memory_app.domain.explanation import Ranking
from memory_app.domain.hits import rank_candidates
from memory_app.domain.ranking import ScopeStatistics, neighbour_places, plan_terms, score_candidates
from memory_app.domain.tokens import IndexedTerms, index_terms, is_prefix, prefix_range, query_terms


@dataclass
class MemoryIndex:
    """The tables of one scope as dictionaries; a search takes the same steps as one over a database."""

    entries: dict[str, Entry] = field(default_factory=dict)
    terms: dict[str, IndexedTerms] = field(default_factory=dict)
    postings: dict[str, dict[str, int]] = field(default_factory=dict)
    total_length: int = 0

    def add(self, entry: Entry, indexed: IndexedTerms) -> None:
        self.entries[entry.id] = entry
        self.terms[entry.id] = indexed
        self.total_length += indexed.length
        for term, occurrences in indexed.terms.items():
            self.postings.setdefault(term, {})[entry.id] = occurrences

    def delete(self, entry_id: str) -> None:
        indexed = self.terms.pop(entry_id)
        del self.entries[entry_id]
        self.total_length -= indexed.length
        for term in indexed.terms:
            del self.postings[term][entry_id]
            if not self.postings[term]:
                del self.postings[term]

    def occurrences(self, term: str) -> dict[str, int]:
        """In which entries a query's term occurs, and how often."""
        if not is_prefix(term):
            return self.postings.get(term, {})
        low, high = prefix_range(term)
        found: Counter[str] = Counter()
        for stored, entries in self.postings.items():
            if low <= stored < high:
                found.update(entries)
        return dict(found)

    def search(self, query: str, limit: int, now: float = 0.0, floor_points: int = 0) -> Ranking:
        asked = query_terms(query).terms
        by_term = {term: self.occurrences(term) for term in asked}
        frequencies = {term: len(found) for term, found in by_term.items()}
        statistics = ScopeStatistics(len(self.entries), self.total_length, frequencies)
        chosen = {entry_id for term in plan_terms(frequencies).leading for entry_id in by_term[term]}
        postings = {
            entry_id: {term: found[entry_id] for term, found in by_term.items() if entry_id in found}
            for entry_id in chosen
        }
        rows = [self.entries[entry_id] for entry_id in chosen]
        candidates = score_candidates(asked, statistics, rows, postings, now=now)
        return rank_candidates(
            candidates,
            limit=limit,
            now=now,
            neighbours=self._rows_at(neighbour_places(candidates)),
            standing=[entry for entry in self.entries.values() if entry.kind == PREFERENCE],
            query_asks_when=asks_when(query),
            floor_points=floor_points,
        )

    def _rows_at(self, places: tuple[Place, ...]) -> list[Entry]:
        wanted = set(places)
        return [entry for entry in self.entries.values() if entry.is_turn and entry.place in wanted]


class InMemoryIndex:
    """Threefold's ranking without a database."""

    name = "threefold (in memory)"

    def __init__(self) -> None:
        self.index = MemoryIndex()

    def load(self, scope: Scope) -> None:
        self.index = MemoryIndex()
        for turn in scope.turns:
            indexed = index_terms(turn.text, author=turn.author, moment=turn.moment)
            self.index.add(_entry(turn, indexed.length), indexed)

    def search(self, scope: Scope, query: str, limit: int) -> list[str]:
        return [hit.entry_id for hit in self.index.search(query, limit).hits]


class Database:
    """The search that the server runs, over its tables; within ``bench.database.own_database``."""

    def __init__(self, vendor: str) -> None:
        self.name = f"threefold ({vendor})"

    def load(self, scope: Scope) -> None:
        from bench.database import make_scope, store_turns

        # Two data sets may call a user by the same name.
        self.key = make_scope(f"{scope.name} {uuid.uuid4().hex}")
        sessions: dict[str, list[Turn]] = {}
        for turn in scope.turns:
            sessions.setdefault(turn.session, []).append(turn)
        for session, turns in sessions.items():
            store_turns(self.key, session, turns)

    def search(self, scope: Scope, query: str, limit: int) -> list[str]:
        from memory_app.selectors.search import SearchQuery, search

        return [str(hit.memory.event_id) for hit in search(self.key, SearchQuery(query, limit=limit)).hits]


def _entry(turn: Turn, length: int) -> Entry:
    return Entry(
        id=turn.id,
        kind=EXCERPT,
        time=turn.moment.timestamp(),
        length=length,
        source=turn.id,
        place=Place(turn.session, turn.seq),
        is_question=is_question(turn.text),
        names_time=names_time(turn.text),
    )


class _Adk:
    """One of ADK's memory services; each scope is a user of one app."""

    name = ""

    def __init__(self) -> None:
        self.service = self.make_service()
        self.runner = asyncio.Runner()

    def make_service(self) -> Any:
        raise NotImplementedError

    def entry_id(self, memory: Any) -> str:
        return str(memory.id)

    def load(self, scope: Scope) -> None:
        from google.adk.events import Event
        from google.genai import types

        sessions: dict[str, list[Any]] = {}
        for turn in scope.turns:
            content = types.Content(role="user", parts=[types.Part(text=turn.text)])
            event = Event(id=turn.id, author=turn.author, content=content, timestamp=turn.moment.timestamp())
            sessions.setdefault(turn.session, []).append(event)
        for session, events in sessions.items():
            self.runner.run(
                self.service.add_events_to_memory(
                    app_name="bench", user_id=scope.name, events=events, session_id=session
                )
            )

    def search(self, scope: Scope, query: str, limit: int) -> list[str]:
        found = self.runner.run(self.service.search_memory(app_name="bench", user_id=scope.name, query=query))
        return [self.entry_id(memory) for memory in found.memories[:limit]]


class AdkInMemory(_Adk):
    """It returns ten memories at most."""

    name = "adk InMemoryMemoryService"

    def make_service(self) -> Any:
        from google.adk.memory import InMemoryMemoryService

        return InMemoryMemoryService()


class AdkSqlite(_Adk):
    """Its full-text search, in a database in memory."""

    name = "adk SqliteMemoryService"

    def make_service(self) -> Any:
        from google.adk.memory import SqliteMemoryService

        return SqliteMemoryService(":memory:")

    def entry_id(self, memory: Any) -> str:
        return str(memory.custom_metadata["event_id"])
