"""The ``threefold`` command."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from threefold import scaffold

_INIT_HELP = """\
Writes services.yaml into DIR, so that ADK knows threefold:// addresses.

`adk web DIR` and `adk api_server DIR` read the file in the directory they are given, which holds one folder per
agent. `adk run DIR/AGENT` reads it in the agent's own folder. --agents writes both.
"""
_NEXT_STEPS = """
export THREEFOLD_API_KEY=…
adk web --session_service_uri=threefold://HOST:PORT --memory_service_uri=threefold://HOST:PORT {directory}

Check it with: threefold doctor {directory} --uri threefold://HOST:PORT"""
_ADK_RUN = """
`adk run` looks into the agent's own folder instead: `threefold init {agent}`, or --agents for all of them."""
_SIGNS = {True: "ok", False: "FAIL", None: "--"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Exit codes: 0 fine, 1 a check failed or a file was in the way, 2 wrong usage."""
    options = _parser().parse_args(arguments)
    result: int = options.run(options)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="threefold", description="Connect an ADK agent to a Threefold server.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    raw = argparse.RawDescriptionHelpFormatter
    init = commands.add_parser("init", help="write services.yaml", description=_INIT_HELP, formatter_class=raw)
    init.add_argument("directory", metavar="DIR", type=Path)
    init.add_argument("--agents", action="store_true", help="also write into each agent's folder, for `adk run`")
    init.add_argument("--force", action="store_true", help="replace a services file that is not from `threefold init`")
    init.set_defaults(run=_init)
    doctor = commands.add_parser("doctor", help="check the server, the key and ADK's registration")
    doctor.add_argument("directory", metavar="DIR", type=Path, nargs="?", help="the directory given to `adk web`")
    doctor.add_argument("--uri", help="such as threefold://localhost:8000 (default: THREEFOLD_URI)")
    doctor.add_argument("--app", help="the project to try the key on (default: the first one it sees)")
    doctor.set_defaults(run=_doctor)
    return parser


def _init(options: argparse.Namespace) -> int:
    agents = scaffold.agent_folders(options.directory)
    for directory in [options.directory, *(agents if options.agents else [])]:
        try:
            print(f"wrote {scaffold.write_services(directory, force=options.force)}")
        except scaffold.ForeignFile as error:
            print(f"{directory / str(error)} is not from `threefold init`.", file=sys.stderr)
            print(f"Add these entries to it, or use --force:\n\n{scaffold.services_yaml()}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"cannot write into {directory}: {error.strerror}", file=sys.stderr)
            return 1
    print(_NEXT_STEPS.format(directory=options.directory))
    if agents and not options.agents:
        print(_ADK_RUN.format(agent=agents[0]))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from threefold import doctor

    uri = options.uri or os.environ.get("THREEFOLD_URI", "").strip()
    if not uri and options.directory is None:
        print("Nothing to check: give --uri (or THREEFOLD_URI), a directory, or both.", file=sys.stderr)
        return 2
    findings = asyncio.run(doctor.check_server(uri, app_name=options.app)) if uri else []
    if options.directory is not None:
        findings += doctor.check_registration(options.directory)
    for finding in findings:
        print(f"{_SIGNS[finding.passed]:<4} {finding.subject}: {finding.text}")
    return 1 if any(finding.passed is False for finding in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
