"""What a refusal must be: a problem with a stable code that names the field, and a database that is as it was."""

from collections.abc import Mapping
from typing import Any

from tests.sessions_app.http_client import Answer, Api
from tests.sessions_app.tables import nothing_changes


def refuses(
    api: Api,
    method: str,
    target: str,
    body: object = None,
    *,
    field: str | None = "body",
    status: int = 400,
    code: str = "invalid_request",
    headers: Mapping[str, str] | None = None,
    **environ: Any,
) -> Answer:
    """Send it, hold the answer against what is expected, and return it. ``field`` None: no field is to blame."""
    with nothing_changes():
        answer = api(method, target, body, headers, **environ)
    assert answer.status == status, answer.text
    assert answer.code == code
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json
    assert problem["status"] == status and problem["type"] == f"urn:threefold:problem:{code}" and problem["title"]
    assert problem["requestId"] == answer.headers["x-request-id"]
    assert None not in problem.values()
    assert answer.fields == ([] if field is None else [field]), answer.text
    if field is not None:
        assert problem["errors"][0]["rule"] and field in problem["detail"]
    return answer
