"""L1 and L2 with real processes: whatever is killed and whatever is delivered twice, each job takes effect once."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.conftest import missing
from tests.jobs_app.processes import Killable, celery_worker, has_redis_server, own_redis, python, wait_until
from tests.live import fresh_database
from tests.server_process import ServerProcess

SESSIONS, TURNS = 40, 5
JOBS = SESSIONS * TURNS


class Stage:
    """A database of the test's own with what its workers need to know, and questions to it."""

    def __init__(self, directory: Path, database_url: str, redis_url: str = "") -> None:
        self.directory, self.database_url = directory, database_url
        server = ServerProcess(directory / "server", database_url)
        server.prepare()
        self.environment = {
            **server.environment,
            "REDIS_URL": redis_url,
            "JOBS_TEST_WORK": "0.03",
            "JOBS_TEST_APPLY": "0.03",
            "JOBS_TEST_LEASE": "4",
        }
        for table in ("started", "effect"):
            self.ask(f"CREATE TABLE {table} (job_id bigint)")

    def ask(self, statement: str) -> list[tuple]:
        if self.database_url.startswith("sqlite"):
            with sqlite3.connect(self.database_url.removeprefix("sqlite:///"), timeout=30) as connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def count(self, what: str) -> int:
        return self.ask(f"SELECT count(*) FROM {what}")[0][0]

    def done(self) -> int:
        return self.count("jobs_app_job WHERE status = 'done'")

    def fill(self, sessions: int = SESSIONS, turns: int = TURNS) -> Killable:
        arguments = (str(sessions), str(turns))
        log = self.directory / "fill.log"
        return python("tests.jobs_app.fill", *arguments, environment=self.environment, log=log).start()

    def check_that_each_job_had_one_effect(self, jobs: int) -> None:
        assert self.ask("SELECT status, count(*) FROM jobs_app_job GROUP BY status") == [("done", jobs)]
        assert self.count("effect") == self.count("(SELECT DISTINCT job_id FROM effect) e") == jobs
        assert self.count("jobs_app_job WHERE payload <> ''") == 0


@pytest.fixture
def database_url(tmp_path: Path) -> Iterator[str]:
    with fresh_database(tmp_path) as url:
        yield url


@pytest.fixture
def on_redis(tmp_path: Path, database_url: str) -> Iterator[Stage]:
    if not has_redis_server():
        missing("A redis-server to start")
    with own_redis(tmp_path) as server:
        yield Stage(tmp_path, database_url, server.url)


@pytest.mark.postgres
@pytest.mark.redis
def test_l2_celery_workers_killed_while_they_ingest_lose_and_double_nothing(on_redis: Stage) -> None:
    stage = on_redis
    worker = celery_worker(stage.environment, stage.directory / "worker.log").start()
    filling = stage.fill()
    try:
        for number, kill in enumerate((worker.kill_child, worker.kill, worker.kill_child, worker.kill), 1):
            wait_until(lambda number=number: stage.done() >= number * JOBS // 5, lambda: worker.log)
            kill()
            if kill == worker.kill:
                worker.start()
        assert filling.wait() == 0, filling.log
        wait_until(lambda: stage.done() >= JOBS, lambda: worker.log)
    finally:
        worker.kill(), filling.kill()
    stage.check_that_each_job_had_one_effect(JOBS)
    assert stage.count("memory_app_memory") == JOBS
    assert stage.count("started") > JOBS, "no kill hit a job at work"


def test_l2_an_embedded_worker_killed_while_it_ingests_loses_and_doubles_nothing(tmp_path: Path, database_url) -> None:
    stage = Stage(tmp_path, database_url)
    worker = python("tests.jobs_app.slow_embedded", environment=stage.environment, log=tmp_path / "worker.log").start()
    filling = stage.fill()
    try:
        for number in range(1, 5):
            wait_until(lambda number=number: stage.done() >= number * JOBS // 5, lambda: worker.log)
            worker.kill()
            worker.start()
        assert filling.wait() == 0, filling.log
        wait_until(lambda: stage.done() >= JOBS, lambda: worker.log)
    finally:
        worker.kill(), filling.kill()
    stage.check_that_each_job_had_one_effect(JOBS)
    assert stage.count("memory_app_memory") == JOBS
    assert stage.count("started") > JOBS, "no kill hit a job at work"


@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.parametrize("lease", [60, 2])
def test_l1_a_visibility_time_out_shorter_than_the_work_has_one_effect(on_redis: Stage, lease: int) -> None:
    """Redis gives the message to another worker while the first is still at it; with a short lease the job as well."""
    stage = on_redis
    stage.environment |= {"JOBS_TEST_FIRST": "8", "JOBS_TEST_VISIBILITY": "2", "JOBS_TEST_LEASE": str(lease)}
    worker = celery_worker(stage.environment, stage.directory / "worker.log", processes=3).start()
    try:
        wait_until(lambda: "ready." in worker.log, lambda: worker.log)
        assert stage.fill(1, 1).wait() == 0
        wait_until(lambda: stage.done() == 1, lambda: worker.log)
        # The task that began first has ended too, whatever became of the job meanwhile.
        wait_until(lambda: max(seconds_of_drains(worker), default=0) >= 8, lambda: worker.log)
        assert max(Counter(re.findall(r"drain_jobs\[(\S+)\] received", worker.log)).values()) > 1
    finally:
        worker.kill()
    stage.check_that_each_job_had_one_effect(1)
    assert stage.count("memory_app_memory") == 1
    assert stage.count("started") == 1 if lease == 60 else stage.count("started") > 1


def seconds_of_drains(worker: Killable) -> list[float]:
    return [float(seconds) for seconds in re.findall(r"drain_jobs\[\S+\] succeeded in ([\d.]+)s", worker.log)]
