"""The OpenAPI document says what the routes do: nothing less, nothing else, and without a warning."""

import re
from typing import Any

import jsonschema
import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from adk_project.shared import errors as shared_errors
from adk_project.shared.problems import CODE_OF_STATUS, status_of
from sessions_app.domain import errors, event_body
from tests.sessions_app.api.routes import BODIES, Call, every_call
from tests.sessions_app.http_client import Api

CALLS = [call for call in every_call() if call.method != "HEAD"]
ALL_CALLS = pytest.mark.parametrize("call", CALLS, ids=str)
ALWAYS = {"200", "400", "401", "403", "404", "405", "429", "500", "503"}
CONFLICTS = {
    ("user-sessions", "POST"),
    ("session", "PUT"),
    ("session", "POST"),
    ("events", "POST"),
    ("events-batch", "POST"),
}
# What only a command's caller can meet, and the kinds that every named error narrows down.
NOT_OVER_REST = {"project_exists", "api_key_not_found", "error", "conflict", "damaged", "not_acceptable", "forbidden"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    with GENERATOR_STATS.silence():
        generated = SchemaGenerator().get_schema(public=True)
    assert not GENERATOR_STATS._warn_cache and not GENERATOR_STATS._error_cache
    validate_schema(generated)
    return generated


def operation(document: dict[str, Any], call: Call) -> dict[str, Any]:
    return document["paths"][re.sub(r"<segment:(\w+)>", r"{\1}", f"/{call.route}")][call.method.lower()]


def test_every_route_is_documented_and_nothing_else_of_the_sessions(document: dict[str, Any]) -> None:
    documented = {
        (path, method.upper())
        for path, operations in document["paths"].items()
        for method, described in operations.items()
        if "sessions" in described["tags"]
    }
    assert documented == {(re.sub(r"<segment:(\w+)>", r"{\1}", f"/{call.route}"), call.method) for call in CALLS}
    assert not any(path.startswith("/api/v1") for path in document["paths"])


@ALL_CALLS
def test_every_status_of_a_route_is_documented(call: Call, document: dict[str, Any]) -> None:
    responses = operation(document, call)["responses"]
    expected = ALWAYS | ({"413", "415"} if call.body is not None else set())
    assert set(responses) == expected | ({"409"} if call.key in CONFLICTS else set())
    for status, response in responses.items():
        [media_type] = response["content"]
        assert media_type == ("application/json" if status == "200" else "application/problem+json")
        if status != "200":
            assert response["content"][media_type]["schema"] == {"$ref": "#/components/schemas/Problem"}
            assert response["description"]


@ALL_CALLS
def test_a_route_says_what_it_does_and_takes(call: Call, document: dict[str, Any]) -> None:
    described = operation(document, call)
    assert described["description"] and described["security"] == [{"bearer": []}, {"apiKey": []}]
    in_path = [each for each in described["parameters"] if each["in"] == "path"] if call.parts else []
    assert {each["name"] for each in in_path} == set(call.parts)
    assert all(each["schema"] == {"type": "string", "minLength": 1, "maxLength": 255} for each in in_path)
    assert ("requestBody" in described) == (call.body is not None)


def test_every_code_is_documented_where_it_can_come_back(document: dict[str, Any]) -> None:
    texts: dict[str, str] = {}
    for call in CALLS:
        for status, response in operation(document, call)["responses"].items():
            texts[status] = texts.get(status, "") + response.get("description", "")
    modules = (shared_errors, errors, event_body)
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    named = [
        kind for kind in kinds if issubclass(kind, shared_errors.ThreefoldError) and kind.code not in NOT_OVER_REST
    ]
    for kind in named:
        assert kind.code in texts[str(status_of(kind()))], kind
    for status, code in CODE_OF_STATUS.items():
        assert code in NOT_OVER_REST or code in texts[str(status)]


@pytest.mark.django_db
@ALL_CALLS
def test_answers_have_the_documented_shape(
    call: Call, document: dict[str, Any], api: Api, project: str, session: str
) -> None:
    api.patch(session, {"title": "T", "labels": {"a": "b"}, "expiresAt": 4e9, "stateDelta": {"a": None}})
    api.post(f"{session}/events:batch", {"events": [{"author": "x"}, {"author": "y"}]})
    name = "s2" if call.key == ("session", "POST") else "s1"
    target = call.target(app=project, user="ana", session=name)
    limited = "?limit=1" if call.key in (("events", "GET"), ("project-sessions", "GET")) else ""
    answer = api(call.method, target + limited, call.body).json
    schema = operation(document, call)["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(answer, _closed({**schema, "components": document["components"]}))
    problem = api(call.method, f"{target}?bogus=1", call.body).json
    if call.name != "list-apps":
        jsonschema.validate(problem, _closed({**document["components"]["schemas"]["Problem"]}))


def _closed(schema: Any) -> Any:
    """The schema with no member allowed beyond those it names, so that an undocumented one is found."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if isinstance(schema.get("properties"), dict) else closed


@pytest.mark.django_db
@pytest.mark.parametrize("key", sorted(BODIES), ids=str)
def test_the_documented_body_holds_every_member_that_is_read(
    key: tuple[str, str], document: dict[str, Any], api: Api, project: str, session: str
) -> None:
    call = next(call for call in CALLS if call.key == key)
    if call.body is None or key == ("session", "POST"):
        return
    answer = api(call.method, call.target(app=project, user="ana", session="s1"), {**call.body, "bogus": 1})
    accepted = set(answer.json["errors"][0]["rule"].split("accepted are: ")[1].split(", "))
    schema = operation(document, call)["requestBody"]["content"]["application/json"]["schema"]
    assert set(schema["properties"]) == accepted


def test_the_document_is_served_to_everybody() -> None:
    answer = Client().get("/openapi.json")
    assert answer.status_code == 200 and answer.json()["openapi"].startswith("3.")
    assert answer.json()["components"]["securitySchemes"].keys() == {"bearer", "apiKey"}


def test_the_docs_page_loads_nothing_from_elsewhere() -> None:
    page = Client().get("/docs")
    html = page.content.decode()
    links = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert page.status_code == 200 and links
    assert all(link.startswith("/") and not link.startswith("//") for link in links)
    assert all(Client().get(link).status_code == 200 for link in links)
    assert not re.search(r"<script(?![^>]*src=)", html), "the content security policy would block it"
    script = Client().get(next(link for link in links if link.startswith("/docs"))).content.decode()
    assert "http://" not in script and "https://" not in script
    assert "'self'" in page.headers["Content-Security-Policy"]
