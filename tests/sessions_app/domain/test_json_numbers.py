"""Fields that must be a number or an integer: F3."""

import math

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.json_text import JsonNumber, integer, is_string, number


def test_a_number_field_reads_a_float() -> None:
    assert number(JsonNumber("1700000000.1234567"), "t") == 1700000000.1234567
    assert math.copysign(1, number(JsonNumber("-0.0"), "t")) == -1
    assert number(JsonNumber("5"), "t") == 5.0


@pytest.mark.parametrize("value", ["5", "nan", "1e400", True, None, [], {}, 5, 5.0, JsonNumber("9" * 400)])
def test_f3_a_number_field_refuses_everything_else(value: object) -> None:
    with pytest.raises(Invalid) as caught:
        number(value, "event.timestamp")
    assert caught.value.fields[0].field == "event.timestamp"


def test_an_integer_field_reads_an_int() -> None:
    assert integer(JsonNumber("9223372036854775807"), "n") == 2**63 - 1
    assert integer(JsonNumber("-9223372036854775808"), "n") == -(2**63)
    assert integer(JsonNumber("7"), "n", minimum=0, maximum=7) == 7


@pytest.mark.parametrize(
    "value",
    [
        "5",
        True,
        None,
        5,
        JsonNumber("5.0"),
        JsonNumber("5e0"),
        JsonNumber("9223372036854775808"),
        JsonNumber("9" * 5000),
    ],
)
def test_an_integer_field_refuses_everything_else(value: object) -> None:
    with pytest.raises(Invalid):
        integer(value, "expectedRevision")


def test_an_integer_field_has_bounds() -> None:
    for literal in ("-1", "8"):
        with pytest.raises(Invalid, match="from 0 to 7"):
            integer(JsonNumber(literal), "limit", minimum=0, maximum=7)


def test_a_number_is_not_a_string() -> None:
    assert is_string("1")
    assert not is_string(JsonNumber("1"))
    assert not is_string(None)
