"""Stores corpora and answers queries on a database of its own: JSON from standard input, the answers as JSON on stdout.

The second database of ``test_same_ranking``, which one Django process cannot have beside its own.
"""

import contextlib
import json
import sys
from typing import Any

from bench.database import own_database


def answer_all(corpora: list[dict[str, Any]]) -> list[Any]:
    return [answer(corpus) for corpus in corpora]


def answer(corpus: dict[str, Any]) -> list[Any]:
    """What each query of one corpus finds: places in the corpus, scores, parts and misses."""
    from bench.database import make_scope
    from memory_app.selectors.search import SearchQuery, search

    key = make_scope(corpus["user"])
    places = _store(key, corpus)
    answers = []
    for query in corpus["queries"]:
        found = search(key, SearchQuery(**query))
        hits = [
            [
                places[hit.memory.memory_id],
                hit.score,
                [[part.kind, part.points, places.get(part.source, part.source)] for part in hit.parts],
                [places[memory_id] for memory_id in hit.collapsed],
            ]
            for hit in found.hits
        ]
        misses = [[places[miss.memory_id], miss.reason, miss.score] for miss in found.misses]
        answers.append([hits, misses])
    return answers


def _store(key: Any, corpus: dict[str, Any]) -> dict[str, str]:
    """Store the entries session by session; what names each, by the id that this database gave it."""
    from adk_project.shared.transactions import write_transaction
    from memory_app.domain.entries import KINDS, Candidate
    from memory_app.domain.policy import KindRule, MemoryPolicy
    from memory_app.domain.proposals import Proposal, Source
    from memory_app.models import Memory
    from memory_app.services.index import drop_from_index
    from memory_app.services.scopes import ingested, lock_scope
    from memory_app.services.storing import store_proposals
    from sessions_app.selectors import project_id

    policy = MemoryPolicy({kind: KindRule(persist=True) for kind in KINDS})
    for session, entries in corpus["sessions"].items():
        proposals = [
            Proposal(Candidate(**entry["candidate"]), "{}", entry["valid_from"], extractor="test") for entry in entries
        ]
        source = Source(f"s:{session}", session)
        with write_transaction():
            scope = lock_scope(project_id(key.project), key.user_id)
            store_proposals(scope, source, proposals, policy, "test", ingested(scope, source.ref))
    with write_transaction():
        scope = lock_scope(project_id(key.project), key.user_id)
        gone = Memory.objects.filter(scope=scope, source_event_id__in=corpus["dropped"], status="active")
        drop_from_index(scope, list(gone))
        gone.update(status="superseded")
        Memory.objects.filter(scope=scope, source_event_id__in=corpus["expired"]).update(expires_at=1.0)
    rows = Memory.objects.filter(scope=scope).order_by("pk")
    return {str(row.memory_id): f"{number} {row.kind} {row.source_event_id}" for number, row in enumerate(rows)}


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr), own_database():
        answers = answer_all(json.load(sys.stdin))
    json.dump(answers, sys.stdout)
