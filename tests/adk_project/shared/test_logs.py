"""What a failed request leaves in the log: the route and the request's id, never a path."""

import logging

from django.db import OperationalError

from adk_project.shared.logs import OneLineFormatter, hide_path
from adk_project.shared.request_id import add_request_id


def test_the_record_of_a_failed_request_names_its_route_and_its_id(client, caplog, db, monkeypatch):
    def fail(*_: object) -> None:
        raise OperationalError("secret-detail")

    monkeypatch.setattr("sessions_app.api.authentication.find_caller", fail)
    with caplog.at_level(logging.ERROR, logger="django.request"):
        answer = client.get(
            "/apps/demo/users/secret-person/state", headers={"X-API-Key": "tf_a_b", "X-Request-Id": "r-1"}
        )
    assert answer.status_code == 503
    [record] = [record for record in caplog.records if record.name == "django.request"]
    assert hide_path(record) and add_request_id(record)
    line = OneLineFormatter("[%(request_id)s] %(message)s").format(record)
    assert line == "[r-1] Service Unavailable: /apps/<segment:app>/users/<segment:user>/state"


def test_the_settings_put_the_rule_in_force(settings):
    rules = settings.LOGGING["loggers"]
    assert rules["django.request"]["filters"] == ["hide_path"]
    assert rules["django.security"]["level"] == "CRITICAL"
