"""Writes ``docs/behaviour.md``. With DATABASE_URL naming a PostgreSQL, its column is made too.

``python -m tests.acceptance.behaviour``
"""

import asyncio
import os
import tempfile
from pathlib import Path

from tests.acceptance.behaviour.backends import ADK_BACKENDS
from tests.acceptance.behaviour.table import OURS, PAGE, backend_of, render, run_probes
from tests.live import running_server


def main() -> None:
    columns = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for label, backend in ADK_BACKENDS.items():
            if label == "Database (PostgreSQL)" and not os.environ.get("DATABASE_URL", "").startswith("postgres"):
                print(f"{label}: not run, DATABASE_URL names none")
                continue
            columns[label] = asyncio.run(run_probes(backend, directory))
        with running_server(directory) as server:
            columns[OURS] = asyncio.run(run_probes(backend_of(server.client()), directory))
    PAGE.write_text(render(columns), encoding="utf-8")
    print(f"wrote {PAGE.name}")


main()
