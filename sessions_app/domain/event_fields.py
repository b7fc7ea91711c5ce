"""The names and shapes of an event's own fields, after ADK's schema. What stands in free values is never looked at."""

from typing import NamedTuple

from adk_project.shared.errors import invalid_field

from .adk_schema import MODELS
from .json_text import Json, join_path


class _Field(NamedTuple):
    snake: str
    camel: str
    model: str | None
    container: str
    takes_null: bool


def _index_fields() -> dict[str, dict[str, _Field]]:
    """The schema by both spellings of each name."""
    index: dict[str, dict[str, _Field]] = {}
    for model, fields in MODELS.items():
        names = index[model] = {}
        for snake, (camel, below, container) in fields.items():
            kind = container or ""
            names[snake] = names[camel] = _Field(snake, camel, below, kind.rstrip("?"), kind.endswith("?"))
    return index


_FIELDS = _index_fields()


def rename_fields(members: dict[str, Json], model: str, path: str) -> dict[str, Json]:
    """A copy with the model's own fields in camelCase, down to the last model below it; values and free keys stay."""
    fields = _FIELDS[model]
    renamed: dict[str, Json] = {}
    for name, value in members.items():
        item = fields.get(name)
        if item is None:
            renamed[name] = value
        elif item.camel in renamed:
            raise invalid_field(f"{path}.{name}", f"{item.camel} and {item.snake} are the same field; send one of them")
        else:
            renamed[item.camel] = _rename_below(value, item, f"{path}.{name}")
    return renamed


def _rename_below(value: Json, item: _Field, path: str) -> Json:
    if not item.container or (value is None and item.takes_null):
        return value
    if item.container == "list":
        values = expect_list(value, path)
        if item.model is None:
            return values
        below = (expect_object(each, join_path(path, index)) for index, each in enumerate(values))
        return [rename_fields(each, item.model, join_path(path, index)) for index, each in enumerate(below)]
    members = expect_object(value, path)
    if item.model is None:
        return members
    if item.container == "object":
        return rename_fields(members, item.model, path)
    # ADK leaves a value of such a map alone when it is no object.
    return {
        key: rename_fields(each, item.model, join_path(path, key, quoted=True)) if isinstance(each, dict) else each
        for key, each in members.items()
    }


def written_path(tree: Json, model: str, camel: str, path: str) -> str:
    """The path of a field in the spelling that the caller used."""
    snake = _FIELDS[model][camel].snake
    return f"{path}.{snake}" if snake in members_of(tree) else f"{path}.{camel}"


def expect_object(value: Json, path: str) -> dict[str, Json]:
    """The object. Raises Invalid for anything else."""
    if not isinstance(value, dict):
        raise invalid_field(path, "must be an object")
    return value


def expect_list(value: Json, path: str) -> list[Json]:
    """The list. Raises Invalid for anything else."""
    if not isinstance(value, list):
        raise invalid_field(path, "must be a list")
    return value


def members_of(value: Json) -> dict[str, Json]:
    """The members of an object, none of anything else."""
    return value if isinstance(value, dict) else {}
