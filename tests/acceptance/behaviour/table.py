"""``docs/behaviour.md``: made from the probes, and read again by the test that holds our column to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from google.adk.sessions.base_session_service import BaseSessionService

from devtools.paths import ROOT
from tests.acceptance.behaviour import appending, keys_and_state, reading_and_races  # noqa: F401 - they register
from tests.acceptance.behaviour.backends import ADK_BACKENDS, Backend
from tests.acceptance.behaviour.bench import PROBES, Bench

PAGE = ROOT / "docs" / "behaviour.md"
OURS = "Threefold"
_HEADER = f"""\
# How Threefold behaves beside ADK's own session services

Every row is a small program that was run against the five services: google-adk's four and `ThreefoldSessionService` on
a real server. "=" means: the same as InMemory. Made by `python -m tests.acceptance.behaviour`; the test of the same
name runs our column again and compares.

What is meant to differ: ids are trimmed and a blank one is generated everywhere (06); ids have at most 255 characters
and no control characters, and a `ValueError` says so (08); NaN, infinities, bytes and functions in state are a
`ValueError` before anything is written (11, 12); U+0000, lone surrogates, numbers and key order come back exactly
(10, 13, 46b); order is the order of appending, never that of the clocks (19, 20, 32); a superseded copy is always
refused, also when the timestamps are equal (16-18, 44); repeating an append stores nothing twice, and another event
under a used id is `AlreadyExistsError` (21); a refused append leaves the caller's objects alone (22, 23); times are
exact (24); no app or user key is lost by writers that meet (45-45d). Rewinding is computed inside ADK and sets keys
that were given at creation to None in all of them (47).

| # | probe | {OURS} | {" | ".join(ADK_BACKENDS)} |
|---|---|{"---|" * (len(ADK_BACKENDS) + 1)}
"""


async def run_probes(backend: Backend, directory: Path) -> dict[str, str]:
    """What each probe says of one backend. An unforeseen exception is a result too: its class."""
    results = {}
    async with backend(directory) as service:
        for each in PROBES:
            try:
                results[each.number] = await each.run(Bench(service))
            except Exception as error:
                results[each.number] = f"breaks off: {type(error).__name__}"
    return results


def backend_of(service: BaseSessionService) -> Backend:
    @asynccontextmanager
    async def made(directory: Path) -> AsyncIterator[BaseSessionService]:
        yield service

    return made


def render(columns: dict[str, dict[str, str]]) -> str:
    """The page. ``columns`` are results by backend; a backend that could not be run is shown as such."""
    ordered = sorted(PROBES, key=lambda each: each.number)
    rows = [f"| {each.number} | {_cell(each.claim)} | {' | '.join(_row(each.number, columns))} |" for each in ordered]
    return _HEADER + "\n".join(rows) + "\n"


def _row(number: str, columns: dict[str, dict[str, str]]) -> list[str]:
    reference = columns["InMemory"][number]
    cells = [code(columns[OURS][number]) + (" =" if columns[OURS][number] == reference else "")]
    for name in ADK_BACKENDS:
        result = columns.get(name, {}).get(number, "not run")
        cells.append("=" if name != "InMemory" and result == reference else code(result))
    return cells


def read_our_column() -> dict[str, str]:
    """Our results as the page has them."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) > 3 and cells[0] != "| #":
            found[cells[0].removeprefix("| ")] = cells[2].removesuffix(" =")
    return found


def code(result: str) -> str:
    return f"`{_cell(result)}`"


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("\n", " ")
