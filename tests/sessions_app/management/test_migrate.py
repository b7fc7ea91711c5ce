"""H4 of the known failures: migrations run in place, repeatedly, and from two replicas at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from devtools.paths import ROOT
from tests.live import fresh_database
from tests.server_process import ServerProcess


def test_h4_migrate_runs_again_and_changes_nothing(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database_url:
        server = ServerProcess(tmp_path / "server", database_url)
        assert "Applying sessions_app.0001" in server.manage("migrate")
        assert "No migrations to apply." in server.manage("migrate")


@pytest.mark.postgres
def test_h4_replicas_that_migrate_at_once_do_not_meet(tmp_path: Path) -> None:
    with fresh_database(tmp_path) as database_url:
        server = ServerProcess(tmp_path / "server", database_url, THREEFOLD_STATEMENT_TIMEOUT_MS="50")
        command = [sys.executable, "manage.py", "migrate", "--no-input"]
        replicas = [
            subprocess.Popen(command, cwd=ROOT, env=server.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(3)
        ]
        outputs = [replica.communicate(timeout=120) for replica in replicas]
    assert [replica.returncode for replica in replicas] == [0, 0, 0], outputs
    assert sum(b"Applying sessions_app.0001" in out for out, _ in outputs) == 1
