import logging

from adk_project.shared.request_log import RequestLogMiddleware, route_of


def test_it_logs_the_route_and_never_the_ids_in_the_path(client, caplog, db):
    with caplog.at_level(logging.INFO, logger="threefold.requests"):
        client.get("/apps/demo/users/secret-person/sessions?token=secret-token")
    [record] = [record for record in caplog.records if record.name == "threefold.requests"]
    assert "users/<segment:user>/sessions 401" in record.getMessage()
    assert "secret" not in record.getMessage()


def test_a_request_without_a_route_is_named_so(rf):
    assert route_of(rf.get("/nowhere")) == "(no route)"


def test_it_is_silent_above_info(rf, caplog):
    with caplog.at_level(logging.WARNING, logger="threefold.requests"):
        RequestLogMiddleware(lambda request: None)(rf.get("/"))
    assert not caplog.records
