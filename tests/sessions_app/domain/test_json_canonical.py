"""One text for all spellings of one value, and never one text for two values."""

import json
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions_app.domain.json_text import JsonNumber, canonical_json, digest, parse_json

from .json_trees import number_texts, trees


@pytest.mark.parametrize(
    "spellings",
    [
        ["1.0", "1.00", "1e0", "1", "10e-1", "0.1E1", "100e-2", "1E+0", "0.0001e4"],
        ["0", "0.0", "0e7", "0.000e-3", "0E+99"],
        ["-0", "-0.0", "-0e1"],
        [str(2**70), f"{2**70}.0", f"{2**70}e0"],
        ["100", "1e2", "1.00e2"],
        ["-2.50", "-25e-1"],
    ],
)
def test_one_number_has_one_canonical_text(spellings: list[str]) -> None:
    assert len({canonical_json(parse_json(text)) for text in spellings}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        ("0", "-0.0"),
        (str(2**70), str(2**70 + 1)),
        ("0.1" + "0" * 38 + "1", "0.1"),
        ("9" * 4000, "9" * 3999 + "8"),
        ("1e-400", "1e-401"),
        ("1e-400", "0"),
        ("1", "-1"),
        ("1", '"1"'),
        ('"1e0"', "1"),
        ("1", "true"),
        ("0", "false"),
        ("null", '"null"'),
        ("[]", "{}"),
        ("[1,[2]]", "[[1],2]"),
        ('"\\ud83d"', '"\\ude00"'),
        ('{"a":null}', "{}"),
    ],
)
def test_different_values_have_different_digests(pair: tuple[str, str]) -> None:
    left, right = (digest(parse_json(text)) for text in pair)
    assert left != right
    assert len(left) == 32


@given(number_texts, number_texts)
@example("1e2", "100")
def test_canonical_numbers_are_equal_exactly_when_the_numbers_are(left: str, right: str) -> None:
    same = Decimal(left).compare(Decimal(right)) == 0 and Decimal(left).is_signed() == Decimal(right).is_signed()
    assert (canonical_json(JsonNumber(left)) == canonical_json(JsonNumber(right))) == same


@given(number_texts)
def test_a_canonical_number_is_a_fixed_point(text: str) -> None:
    once = canonical_json(JsonNumber(text))
    assert canonical_json(JsonNumber(once)) == once
    assert Decimal(once) == Decimal(text)


def test_huge_exponents_and_digits_cost_nothing() -> None:
    assert canonical_json(parse_json("1e-99999999999999999")) == "1e-99999999999999999"
    assert canonical_json(parse_json("0e99999999999999999")) == "0"
    digits = "7" * 1_000_000
    assert canonical_json(parse_json(f"0.{digits}")) == f"{digits}e-1000000"


@given(trees, st.randoms(use_true_random=False))
def test_canonical_text_ignores_key_order_and_whitespace(tree: object, random: object) -> None:
    def shuffled(value: object) -> object:
        if isinstance(value, dict):
            members = list(value.items())
            random.shuffle(members)  # type: ignore[attr-defined]
            return {key: shuffled(item) for key, item in members}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    one = parse_json(json.dumps(tree))
    other = parse_json(
        json.dumps(shuffled(tree), indent=3, ensure_ascii=False)
        .encode("utf-8", "surrogatepass")
        .decode("utf-8", "surrogatepass")
    )
    assert canonical_json(one) == canonical_json(other)
    assert digest(one) == digest(other)


@given(trees)
def test_python_numbers_and_literals_have_one_canonical_text(tree: object) -> None:
    assert canonical_json(tree) == canonical_json(parse_json(json.dumps(tree)))


@given(trees, trees)
def test_digests_are_equal_only_for_equal_values(one: object, other: object) -> None:
    assert (digest(one) == digest(other)) == (canonical_json(one) == canonical_json(other))
    if digest(one) == digest(other):
        assert one == other
