"""How fast memory is searched and filled: at 1k, 10k and 100k entries in the scope, a million in all.

    [DATABASE_URL=postgresql://…] python bench/memory.py [--quick] [--format json]

ADK's InMemoryMemoryService answers the same questions over the same entries in the same run.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bench.database import make_scope, own_database, store_turns  # noqa: E402 - needs the path

# Milliseconds that 95 of 100 searches may take, by entries in the scope; and entries stored a second.
SEARCH_LIMITS = {1_000: 10.0, 10_000: 30.0, 100_000: 50.0}
INGEST_LIMITS = {"postgresql": 800.0, "sqlite": 3_000.0}
MOST_GROWTH = 1.5
LEAST_RATIO_AT_100K = 100.0

Figures = dict[str, Any]


def timed(call: Callable[[str], object], questions: Sequence[str], warm: int = 20) -> dict[str, float]:
    """p50 and p95 of the calls in milliseconds; the first ones only warm up."""
    for question in questions[:warm]:
        call(question)
    times = []
    for question in questions[warm:]:
        started = time.perf_counter()
        call(question)
        times.append(1000 * (time.perf_counter() - started))
    times.sort()
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "searches": len(times)}


def measure_search(user: str, questions: Sequence[str]) -> dict[str, float]:
    from memory_app.selectors.search import SearchQuery, search

    key = make_scope(user)
    assert any(search(key, SearchQuery(question)).hits for question in questions[:5])
    return timed(lambda question: search(key, SearchQuery(question)), questions)


def measure_in_memory(pool: Sequence[Any], size: int, questions: Sequence[str]) -> dict[str, float]:
    from google.adk.events import Event
    from google.adk.memory import InMemoryMemoryService
    from google.genai import types

    service = InMemoryMemoryService()
    by_session: dict[str, list[Event]] = {}
    for said in pool[:size]:
        content = types.Content(role="user", parts=[types.Part(text=said.text)])
        event = Event(id=str(said.number), author=said.author, content=content, timestamp=said.moment.timestamp())
        by_session.setdefault(str(said.number // 20), []).append(event)
    with asyncio.Runner() as runner:
        for session, events in by_session.items():
            facts = {"app_name": "bench", "user_id": "u", "session_id": session}
            runner.run(service.add_events_to_memory(events=events, **facts))
        ask = lambda query: runner.run(service.search_memory(app_name="bench", user_id="u", query=query))  # noqa: E731
        return timed(ask, questions[: max(8, 100_000 // size)], warm=1)


def measure_ingest(user: str, batch: int, entries: int) -> float:
    """Entries a second, stored in batches as an ingestion's transaction does."""
    from bench.memory_load import make_pool
    from bench.recall import Turn

    key = make_scope(user)
    turns = [
        Turn(f"new {batch} {said.number}", "s", said.number + 1, said.author, said.moment, said.text)
        for said in make_pool(entries)
    ]
    started = time.perf_counter()
    for start in range(0, entries, batch):
        session = f"new {batch} {start}"
        store_turns(key, session, turns[start : start + batch])
    return entries / (time.perf_counter() - started)


def run(vendor: str, quick: bool) -> Figures:
    from bench.memory_load import Loader, make_pool, make_questions

    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000)
    pool = make_pool(sizes[-1])
    questions = make_questions(pool[:1_000], 220)
    figures: Figures = {"database": vendor, "search": {}, "in_memory": {}, "ingest": {}}
    loader = _noted("pool", lambda: Loader(pool))
    small = _noted("20 scopes of 1,000", lambda: loader.load([1_000] * (5 if quick else 20)))
    figures["search_1000_of_few"] = measure_search(small[0], questions)
    # The first scopes begin where the pool begins: all answer the same questions over the same entries.
    loader._offset = 0
    rest = [sizes[-1], *sizes[:-1]] + ([100] * 300 if quick else [10_000] * 4 + [1_000] * 60 + [100] * 7_690)
    users = _noted(f"{sum(rest):,} more", lambda: loader.load(rest))
    for size, user in zip((sizes[-1], *sizes[:-1]), users, strict=False):
        figures["search"][size] = measure_search(user, questions)
    figures["search_1000_of_all"] = measure_search(small[0], questions)
    figures["entries"] = sum(rest) + 1_000 * len(small)
    for batch in (20, 100):
        figures["ingest"][f"batches of {batch}"] = measure_ingest("fresh", batch, 1_000 if quick else 4_000)
    figures["ingest"][f"batches of 20, into {sizes[-1]:,}"] = measure_ingest(users[0], 20, 1_000)
    for size in sizes:
        measured = _noted(f"ADK, {size:,}", lambda size=size: measure_in_memory(pool, size, questions))
        figures["in_memory"][size] = measured
    return figures


def _noted(what: str, call: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    result = call()
    print(f"{what}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
    return result


def missed_limits(figures: Figures) -> list[str]:
    missed = [
        f"search at {size:,}: p95 {figures['search'][size]['p95']:.1f} ms, above {limit:g}"
        for size, limit in SEARCH_LIMITS.items()
        if size in figures["search"] and figures["search"][size]["p95"] > limit
    ]
    growth = figures["search_1000_of_all"]["p50"] / figures["search_1000_of_few"]["p50"]
    if growth > MOST_GROWTH:
        missed.append(f"search at 1,000 takes {growth:.2f} times as long among all, above {MOST_GROWTH}")
    if 100_000 in figures["search"] and _ratio(figures, 100_000) < LEAST_RATIO_AT_100K:
        missed.append(f"search at 100,000 is {_ratio(figures, 100_000):.0f} times as fast as ADK's, below 100")
    limit = INGEST_LIMITS[figures["database"]]
    rate = figures["ingest"]["batches of 20"]
    return missed + ([f"ingest in batches of 20: {rate:.0f}/s, below {limit:g}"] if rate < limit else [])


def _ratio(figures: Figures, size: int) -> float:
    return figures["in_memory"][size]["p95"] / figures["search"][size]["p95"]


def print_table(figures: Figures) -> None:
    print(f"{figures['database']}, {figures['entries']:,} entries in all")
    for size in sorted(figures["search"]):
        ours, theirs = figures["search"][size], figures["in_memory"][size]
        print(
            f"search at {size:>7,}: p50 {ours['p50']:7.1f} ms  p95 {ours['p95']:7.1f} ms   "
            f"ADK in memory p50 {theirs['p50']:8.1f}  p95 {theirs['p95']:8.1f}   x{_ratio(figures, size):.0f} at p95"
        )
    few, everything = figures["search_1000_of_few"], figures["search_1000_of_all"]
    print(f"search at   1,000 among few: p50 {few['p50']:.1f} ms, among all: p50 {everything['p50']:.1f} ms")
    for name, rate in figures["ingest"].items():
        print(f"ingest in {name}: {rate:,.0f} entries/s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="smaller sizes: no scope above 10,000")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args(arguments)
    with own_database() as vendor:
        figures = run(vendor, options.quick)
    if options.format == "json":
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures)
    missed = missed_limits(figures)
    for line in missed:
        print(f"MISSED {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
