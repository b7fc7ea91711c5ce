"""``python -m bench``: the session benchmarks, side by side in one run. ``bench/recall.py`` is a program of its own."""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from bench.adk_peer import AdkPeer
from bench.threefold_peer import ThreefoldPeer
from tests.live import fresh_database

_CONNECTIONS = (1, 16)


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer operations and rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and their ratios")
    options = parser.parse_args()
    rounds, operations = (3, 60) if options.quick else (5, 200)
    with tempfile.TemporaryDirectory() as directory, fresh_database(Path(directory)) as database_url:
        figures = measure(Path(directory), database_url, rounds, operations)
    report = {"database": database_url.partition(":")[0], "figures": figures, "ratios": ratios_of(figures)}
    print_report(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2))


def measure(directory: Path, database_url: str, rounds: int, operations: int) -> dict[str, dict[str, float]]:
    """Medians of alternating rounds, in operations a second: workload -> peer -> figure."""
    found: dict[str, dict[str, list[float]]] = {}
    with ThreefoldPeer(directory, database_url) as threefold, AdkPeer(directory, database_url) as adk:
        for _ in range(rounds):
            for connections in _CONNECTIONS:
                for workload in ("append", "window20"):
                    for peer in (threefold, adk):
                        rate = getattr(peer, workload)(connections, operations)
                        name = f"{workload}_{connections}"
                        found.setdefault(name, {}).setdefault(peer.name, []).append(rate)
    return {
        workload: {peer: statistics.median(rates) for peer, rates in peers.items()} for workload, peers in found.items()
    }


def ratios_of(figures: dict[str, dict[str, float]]) -> dict[str, float]:
    """How many times as fast Threefold over HTTP is as ADK's service in process."""
    return {f"{workload}_rest_vs_adk": peers["threefold"] / peers["adk"] for workload, peers in figures.items()}


def print_report(report: dict) -> None:
    print(f"{'workload':<14}{'Threefold, REST':>18}{'ADK, in process':>18}{'ratio':>8}   ({report['database']})")
    for workload, peers in report["figures"].items():
        ratio = report["ratios"][f"{workload}_rest_vs_adk"]
        print(f"{workload:<14}{peers['threefold']:>16.0f}/s{peers['adk']:>16.0f}/s{ratio:>8.2f}")


if __name__ == "__main__":
    main()
