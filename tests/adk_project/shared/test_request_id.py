import logging

import pytest

from adk_project.shared.logs import OneLineFormatter
from adk_project.shared.request_id import RequestIdMiddleware, add_request_id, current_request_id


@pytest.mark.parametrize("given", ["abc-123", "a" * 128, "trace:1.2_3"])
def test_a_sane_id_is_kept(client, given):
    assert client.get("/health/live", headers={"X-Request-Id": given})["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "a" * 129, "two words", "läng", "a\tb"])
def test_anything_else_is_replaced(client, given):
    answered = client.get("/health/live", headers={"X-Request-Id": given})["X-Request-Id"]
    assert answered != given
    assert len(answered) == 32


def test_code_and_log_records_inside_the_request_see_it(rf):
    seen = {}

    def view(request):
        record = logging.makeLogRecord({})
        add_request_id(record)
        seen.update(request=request.request_id, current=current_request_id(), record=record.request_id)
        return _Response()

    RequestIdMiddleware(view)(rf.get("/", headers={"X-Request-Id": "abc"}))
    assert seen == {"request": "abc", "current": "abc", "record": "abc"}
    assert current_request_id() == "-"


class _Response:
    def __init__(self):
        self.headers = {}


def test_a_log_record_is_one_line_whatever_it_holds():
    record = logging.LogRecord("x", logging.INFO, "f", 1, "one\ntwo\r%s", ("three\nfour",), None)
    assert OneLineFormatter("%(message)s").format(record) == "one\\ntwo\\rthree\\nfour"
