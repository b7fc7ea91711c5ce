"""The behaviour table: our column is what the page says, and ADK's services can still be put beside it."""

import pytest

from tests.acceptance.behaviour.backends import ADK_BACKENDS
from tests.acceptance.behaviour.table import backend_of, code, read_our_column, run_probes
from tests.conftest import ON_POSTGRESQL


async def test_threefold_behaves_as_the_page_says(live, tmp_path):
    results = await run_probes(backend_of(live.client()), tmp_path)
    found = {number: code(result) for number, result in results.items()}
    assert found == read_our_column()
    assert not [result for result in results.values() if "breaks off" in result]


@pytest.mark.parametrize("name", ADK_BACKENDS)
async def test_the_probes_run_on_adks_own_services(name, tmp_path):
    if name == "Database (PostgreSQL)" and not ON_POSTGRESQL:
        pytest.skip("this run is on SQLite")
    results = await run_probes(ADK_BACKENDS[name], tmp_path)
    # These hold for every service; a probe that reports otherwise is itself broken.
    assert results["25"] == "True" and results["26"] == "equal" and results["34"] == "0 / 0"
    assert results["04"] == "AlreadyExistsError" and results["42"] == "{'d': {'a': 9}}"
