"""A broken model never loses what the other extractors found: the job is tried again, then ends well without it."""

from collections.abc import Iterator

import pytest

from jobs_app.domain.records import DONE, WAITING
from jobs_app.models import Job
from jobs_app.selectors import get_operation
from jobs_app.services.drain import drain
from memory_app.models import Memory
from memory_app.services.ingestion import request_session_ingestion
from tests.jobs_app.work import make_due, row_of
from tests.memory_app.adapters.model_server import Answer, ModelServer, memory, model_server
from tests.sessions_app.services.steps import append_one, new_session

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "Please always answer in English. For the next trip I collect train timetables."


@pytest.fixture
def server(settings) -> Iterator[ModelServer]:
    with model_server() as running:
        settings.THREEFOLD_LLM_EXTRACTOR = "openai"
        settings.THREEFOLD_LLM_URL = f"{running.url}/v1"
        settings.THREEFOLD_LLM_MODEL = "a-model"
        settings.THREEFOLD_LLM_TIMEOUT_SECONDS = 2
        yield running


@pytest.fixture
def key():
    key = new_session()
    append_one(key, "e1", author="user", text=SAID)
    return key


def stored() -> list[tuple[str, str, str]]:
    return sorted(Memory.objects.filter(status="active").values_list("extractor", "kind", "text"))


def test_what_the_model_points_at_is_stored_beside_the_rest_and_the_bill_is_in_the_result(server, key):
    server.reply = lambda turns: [memory(0, "I collect train timetables"), memory(0, "I collect stamps")]
    operation = request_session_ingestion(key, {}, "test")
    drain()
    view = get_operation(operation)
    assert view.status == DONE
    assert view.result["model"] == {"calls": 1, "tokensIn": 11, "tokensOut": 7}
    assert view.result["skipped"]["not said in this turn"] == 1
    assert ("llm", "FACT", "I collect train timetables") in stored()
    assert ("excerpts", "EXCERPT", SAID) in stored()


def test_a_model_that_is_down_delays_and_loses_nothing(server, key):
    server.script = [Answer(status=503, headers={"Retry-After": "0"})]
    operation = request_session_ingestion(key, {}, "test")
    for _ in range(2):
        drain()
        assert (row_of(operation).status, row_of(operation).error) == (WAITING, "ModelUnavailable")
        assert stored() == []
        make_due()
    drain()
    view = get_operation(operation)
    assert view.status == DONE and view.result["model"]["failure"] == "server_error"
    assert ("excerpts", "EXCERPT", SAID) in stored()
    assert "rules" in {extractor for extractor, _, _ in stored()}


def test_a_model_that_recovers_is_used(server, key):
    server.script = [Answer(status=503, headers={"Retry-After": "0"})] * 2 + [Answer([memory(0, "train timetables")])]
    operation = request_session_ingestion(key, {}, "test")
    drain()
    make_due()
    drain()
    assert "failure" not in get_operation(operation).result["model"]
    assert ("llm", "FACT", "train timetables") in stored()


@pytest.mark.parametrize(
    "answer", [Answer(status=401), Answer(text="{"), Answer([{"turn": 0}])], ids=["401", "{", "form"]
)
def test_a_failure_that_does_not_pass_is_not_waited_for(server, key, answer):
    server.script = [answer]
    operation = request_session_ingestion(key, {}, "test")
    drain()
    assert get_operation(operation).status == DONE and get_operation(operation).result["model"]["failure"]
    assert ("excerpts", "EXCERPT", SAID) in stored()


def test_the_same_log_again_asks_only_about_what_is_new_and_stores_nothing_twice(server, key):
    server.reply = lambda turns: [memory(turn["turn"], "train timetables") for turn in turns]
    request_session_ingestion(key, {}, "test")
    request_session_ingestion(key, {}, "test")
    drain()
    before = stored()
    assert len(server.requests) == 1
    append_one(key, "e2", author="user", text="Also I love old train timetables of the lake line.")
    request_session_ingestion(key, {}, "test")
    drain()
    assert len(server.requests) == 2 and len(stored()) == len(before) + 1
    assert Job.objects.exclude(status=DONE).count() == 0


def test_without_a_model_nothing_is_asked_and_nothing_is_said_about_one(key):
    operation = request_session_ingestion(key, {}, "test")
    drain()
    assert "model" not in get_operation(operation).result
