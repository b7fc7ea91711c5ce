"""How much of what a question needs a search brings back, beside ADK's own memory services in the same run.

    [DATABASE_URL=postgresql://…] python bench/recall.py [--questions 100] [--only threefold] [--format json]

LoCoMo is CC BY-NC and no part of this repository: its path comes from BENCH_LOCOMO, by default ../shared/data.
"""

import argparse
import gzip
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bench.database import own_database  # noqa: E402 - needs the path

SAMPLE = ROOT / "tests" / "memory_app" / "data"
LOCOMO = Path(os.environ.get("BENCH_LOCOMO") or ROOT.parent / "shared" / "data" / "locomo_dev.jsonl.gz")
DEPTH = 20
CUTS = (5, 10, 20)

GOALS = {
    "locomo_dev": {"recall@5": 0.70, "recall@10": 0.79, "mrr": 0.58, "ndcg@10": 0.61},
    "memorybank_zh": {"recall@10": 0.95},
    "memorybank_en": {"recall@10": 0.95},
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One remembered turn. ``seq`` is its place in its session."""

    id: str
    session: str
    seq: int
    author: str
    moment: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scope:
    """What one user of one project remembers, and what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class Searcher(Protocol):
    """A search under measurement: the one in memory, ADK's, or one with a database behind it."""

    name: str

    def load(self, scope: Scope) -> None: ...

    def search(self, scope: Scope, query: str, limit: int) -> list[str]: ...


def read_scopes(path: Path) -> list[Scope]:
    """The scopes of one data set; a picture's caption is part of what was said."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_read_scope(json.loads(line)) for line in lines]


def _read_scope(data: dict[str, Any]) -> Scope:
    seqs: dict[str, int] = {}
    turns = []
    for memory in data["memories"]:
        session = str(memory["session"])
        seqs[session] = seqs.get(session, 0) + 1
        caption = f" [shares {memory['caption']}]" if memory.get("caption") else ""
        moment = datetime.fromisoformat(memory["ts"])
        turns.append(Turn(memory["id"], session, seqs[session], memory["author"], moment, memory["text"] + caption))
    questions = tuple(Question(item["question"], frozenset(item["evidence"])) for item in data["questions"])
    return Scope(data["scope"], tuple(turns), questions)


def judge(found: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """The figures of one answered question."""
    ranks = [rank for rank, entry_id in enumerate(found, 1) if entry_id in evidence]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(evidence)) + 1))
    figures = {f"recall@{cut}": sum(rank <= cut for rank in ranks) / len(evidence) for cut in CUTS}
    figures["mrr"] = 1 / ranks[0] if ranks else 0.0
    figures["ndcg@10"] = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10) / ideal
    return figures


def measure(searcher: Searcher, scopes: Iterable[Scope], most_questions: int | None = None) -> dict[str, float]:
    """The mean figures over all questions, and the mean time of one search in milliseconds."""
    judged: list[dict[str, float]] = []
    seconds = 0.0
    for scope in scopes:
        searcher.load(scope)
        for question in scope.questions[:most_questions]:
            started = time.perf_counter()
            found = searcher.search(scope, question.text, DEPTH)
            seconds += time.perf_counter() - started
            judged.append(judge(found, question.evidence))
    means = {name: sum(item[name] for item in judged) / len(judged) for name in judged[0]}
    return means | {"questions": len(judged), "ms": 1000 * seconds / len(judged)}


def missed_goals(data_set: str, figures: dict[str, float]) -> list[str]:
    """Each goal that the figures do not reach, as a line."""
    goals = GOALS[data_set].items()
    return [f"{name} is {figures[name]:.3f}, below {goal}" for name, goal in goals if figures[name] < goal]


def data_sets() -> Iterator[tuple[str, list[Scope]]]:
    """The data sets at hand; one that is absent is named on standard error and left out."""
    for name in GOALS:
        path = LOCOMO if name == "locomo_dev" else SAMPLE / f"{name}.jsonl.gz"
        if path.is_file():
            yield name, read_scopes(path)
        else:
            print(f"{name}: skipped, its file is not here (LoCoMo is not distributed with Threefold)", file=sys.stderr)


def searchers(vendor: str | None, only: str | None = None) -> list[Searcher]:
    """The searches to compare; the server's own on a database of this ``vendor``, where there is one."""
    from bench.recall_searchers import AdkInMemory, AdkSqlite, Database, InMemoryIndex

    found: list[Searcher] = [InMemoryIndex(), AdkInMemory(), AdkSqlite()]
    if vendor:
        found.insert(0, Database(vendor))
    return [searcher for searcher in found if only is None or only.lower() in searcher.name.lower()]


def _print_table(data_set: str, name: str, figures: dict[str, float]) -> None:
    columns = [f"{key} {figures[key]:.3f}" for key in (*(f"recall@{cut}" for cut in CUTS), "mrr", "ndcg@10")]
    print(f"{data_set:14} {name:28} {'  '.join(columns)}  {figures['ms']:6.2f} ms", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--questions", type=int, help="at most so many per scope")
    parser.add_argument("--only", help="only searches with this in their name")
    parser.add_argument("--no-database", action="store_true", help="leave out the server's search over its tables")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args(arguments)
    if options.no_database:
        return _compare(None, options)
    with own_database() as vendor:
        return _compare(vendor, options)


def _compare(vendor: str | None, options: argparse.Namespace) -> int:
    results: dict[str, dict[str, dict[str, float]]] = {}
    missed = []
    for data_set, scopes in data_sets():
        for searcher in searchers(vendor, options.only):
            figures = measure(searcher, scopes, options.questions)
            results.setdefault(data_set, {})[searcher.name] = figures
            if options.format == "table":
                _print_table(data_set, searcher.name, figures)
            if searcher.name.startswith("threefold") and options.questions is None:
                missed += [f"{data_set}, {searcher.name}: {line}" for line in missed_goals(data_set, figures)]
    if options.format == "json":
        print(json.dumps(results, indent=2))
    for line in missed:
        print(f"MISSED {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
