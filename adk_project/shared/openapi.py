"""What the OpenAPI document lists, and under which names."""

from typing import Any

Endpoint = tuple[str, str, str, Any]


def keep_one_mount(endpoints: list[Endpoint]) -> list[Endpoint]:
    """The routes below ``/`` only: those below ``/api/v1`` are the same ones, and would be documented twice."""
    return [endpoint for endpoint in endpoints if not endpoint[0].startswith("/api/v1/")]


def name_schemas(result: dict[str, Any], **context: object) -> dict[str, Any]:
    """Each object schema with a title becomes a component of that name: one type of it in generated clients."""
    named: dict[str, Any] = {}
    paths = {path: _refer(operations, named) for path, operations in result["paths"].items()}
    components = {**result.get("components", {}), "schemas": dict(sorted(named.items()))}
    return {**result, "paths": paths, "components": components}


def _refer(node: Any, named: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_refer(item, named) for item in node]
    if not isinstance(node, dict):
        return node
    members = {key: _refer(value, named) for key, value in node.items()}
    # A schema's title is a text; a property that is called title is a schema.
    name = members.pop("title", None) if node.get("type") == "object" and isinstance(node.get("title"), str) else None
    if name is None:
        return members
    named[name] = members
    return {"$ref": f"#/components/schemas/{name}"}
