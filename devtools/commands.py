"""The commands of ``dev.py``: which there are, and what they are called with."""

import argparse
import sys
from pathlib import Path

from devtools import bench, checks, demo, testing, up
from devtools.paths import DEFAULT_DATA_DIR, Refusal
from devtools.place import DEFAULT_PORT

_PASS_ON = ("test", "bench")


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code; 2 means that it was refused, with a sentence on stderr."""
    options, rest = _parser().parse_known_args(arguments)
    if rest and options.command not in _PASS_ON:
        _parser().parse_args(arguments)
    try:
        return _run(options, rest)
    except Refusal as refusal:
        print(f"dev.py: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, rest: list[str]) -> int:
    if options.command == "up":
        return up.run(options.data_dir, options.port)
    if options.command == "demo":
        return demo.run(options.data_dir)
    if options.command == "test":
        return testing.run(rest)
    if options.command == "bench":
        return bench.run(rest)
    return checks.run()


def _port(text: str) -> int:
    if not (text.isdecimal() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError("must be a number from 1 to 65535")
    return int(text)


def _directory(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be blank")
    return Path(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py", description="Run, test and check Threefold from this checkout.")
    commands = parser.add_subparsers(dest="command", required=True)
    up_parser = commands.add_parser("up", help="start a server here, with everything it needs")
    up_parser.add_argument("--port", type=_port, default=DEFAULT_PORT)
    demo_parser = commands.add_parser("demo", help="play a conversation that survives a killed server")
    for each in (up_parser, demo_parser):
        each.add_argument("--data-dir", type=_directory, default=DEFAULT_DATA_DIR)
    # Their own options go on unread, -h too: a path or -k runs just that.
    commands.add_parser("test", help="run the tests on SQLite and on PostgreSQL [pytest arguments]", add_help=False)
    commands.add_parser("bench", help="run the benchmarks [their arguments]", add_help=False)
    commands.add_parser("check", help="format, lint, types, import contracts, migrations, lock files")
    return parser
