"""JSON whose numbers keep their text: S7, S9, S10, F1 and F3."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_project.shared.errors import Damaged, Invalid
from sessions_app.domain.json_text import (
    MAX_DEPTH,
    STORED_DEPTH,
    JsonNumber,
    JsonText,
    canonical_json,
    dump_json,
    parse_json,
    parse_stored,
)

from .json_trees import number_texts, trees


def with_literals(text: str) -> object:
    """What the standard library reads, numbers as their literals."""
    return json.loads(text, parse_int=JsonNumber, parse_float=JsonNumber)


def refusal(text: bytes | str) -> tuple[str, str]:
    with pytest.raises(Invalid) as caught:
        parse_json(text)
    (broken,) = caught.value.fields
    assert caught.value.detail == f"{broken.field}: {broken.rule}"
    return broken.field, broken.rule


def nested(depth: int, opening: str = "[", inner: str = "1", closing: str = "]") -> str:
    return opening * depth + inner + closing * depth


@pytest.mark.parametrize(
    "literal",
    [
        "1e308",
        "-0.0",
        "-0",
        "0",
        "1180591620717411303424",
        "9" * 4300,
        "0.1" + "0" * 40 + "1",
        "1E+2",
        "1.0",
        "5e-324",
        "1e-400",
        "0e5",
    ],
)
def test_a_number_keeps_its_text(literal: str) -> None:
    """S10: nothing between the client and the database rewrites a number."""
    text = '{"n":[' + literal + "]}"
    tree = parse_json(text)
    assert tree == {"n": [literal]}
    assert type(tree["n"][0]) is JsonNumber  # type: ignore[index,call-overload]
    assert dump_json(tree) == text


@given(trees)
def test_what_is_dumped_reads_as_what_was_parsed(tree: object) -> None:
    text = json.dumps(tree)
    parsed = parse_json(text)
    assert parsed == with_literals(text)
    assert json.loads(dump_json(parsed)) == json.loads(text)
    assert with_literals(dump_json(parsed)) == with_literals(text)
    assert dump_json(parsed) == json.dumps(tree, separators=(",", ":"))
    assert parse_json(text.encode()) == parsed


@given(trees)
def test_python_values_are_dumped_too(tree: object) -> None:
    assert dump_json(tree) == json.dumps(tree, separators=(",", ":"))


@given(st.lists(number_texts, max_size=5))
def test_any_number_literal_survives(literals: list[str]) -> None:
    text = "[" + ",".join(literals) + "]"
    assert dump_json(parse_json(text)) == text


def test_key_order_is_kept() -> None:
    """S10: z, y, a, bb stay in this order."""
    assert dump_json(parse_json('{"z": 1, "y": 2, "a": 3, "bb": 4}')) == '{"z":1,"y":2,"a":3,"bb":4}'


@pytest.mark.parametrize(
    "text", [r'"a\u0000b"', r'"\ud800"', r'"\\u0000"', r'"\ud83d\ude00"', r'{"k\u0000":["\udfff"]}', r'[["a\u0000b"]]']
)
def test_f1_nul_and_lone_surrogates_survive_in_values_and_keys(text: str) -> None:
    parsed = parse_json(text.encode("ascii"))
    assert dump_json(parsed) == text
    assert json.loads(dump_json(parsed)) == json.loads(text)


def test_an_integer_that_no_python_agent_could_read_back_is_refused_by_path() -> None:
    field, rule = refusal('{"event":{"actions":{"stateDelta":{"n":' + "7" * 4_301 + "}}}}")
    assert field == 'body.event.actions.stateDelta["n"]'
    assert rule == "must be an integer of at most 4300 digits"


def test_dumped_text_is_ascii() -> None:
    assert dump_json({"ключ": "\U0001f600 é \x7f"}).isascii()


@pytest.mark.parametrize(
    "word", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e999999999999999", "1e-" + "9" * 5000]
)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("{}", "body"),
        ('{"event":{"actions":{"stateDelta":{"n":{}}}}}', 'body.event.actions.stateDelta["n"]'),
        (
            '{"event":{"content":{"parts":[{"functionCall":{"args":{"a":[0,{}]}}}]}}}',
            'body.event.content.parts[0].functionCall.args["a"][1]',
        ),
        ('{"event":{"timestamp":{}}}', "body.event.timestamp"),
        ('{"odd key":{"x":{}}}', 'body["odd key"].x'),
    ],
)
def test_f3_numbers_that_no_float_can_hold_are_refused_by_path(word: str, text: str, path: str) -> None:
    field, rule = refusal(text.replace("{}", word, 1) if text != "{}" else word)
    assert field == path
    assert "finite" in rule


def test_f3_the_same_words_as_strings_are_data() -> None:
    assert parse_json('["NaN","Infinity","1e400"]') == ["NaN", "Infinity", "1e400"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a":1,"a":1}', "body.a"),
        ('{"event":{"id":"x","author":"a","id":"x"}}', "body.event.id"),
        ('{"event":{"actions":{"stateDelta":{"k":1,"k":2}}}}', 'body.event.actions.stateDelta["k"]'),
        (
            '{"event":{"content":{"parts":[{"functionCall":{"args":{"k":1,"k":2}}}]}}}',
            'body.event.content.parts[0].functionCall.args["k"]',
        ),
        (r'{"k":1,"\u006b":2}', "body.k"),
        ('[{},{"":1,"":2}]', 'body[1][""]'),
    ],
)
def test_a_key_that_appears_twice_is_refused_everywhere(text: str, path: str) -> None:
    assert refusal(text) == (path, "appears more than once")


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert parse_json('[{"k":1},{"k":{"k":2}}]') == [{"k": "1"}, {"k": {"k": "2"}}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a":}',
        '{"a":1,}',
        "[1 2]",
        "tru",
        "'a'",
        '"a',
        '"\n"',
        r'"\x"',
        r'"\u12"',
        "01",
        "1.",
        ".5",
        "+1",
        "{}{}",
        "\x00",
        "nan",
    ],
)
def test_malformed_text_is_refused_by_position(text: str) -> None:
    field, rule = refusal(text)
    assert field == "body"
    assert rule.startswith("is not valid JSON at line ")


def test_a_refusal_never_repeats_content() -> None:
    with pytest.raises(Invalid) as caught:
        parse_json('{"token": "s3cret" oops}')
    assert "s3cret" not in str(caught.value)
    assert "oops" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_text_that_is_wrong_twice_is_refused_once() -> None:
    assert refusal('{"a":NaN,')[0] == "body"
    assert refusal('{"a":{"b":NaN},"a":1}') == ("body.a", "appears more than once")


@pytest.mark.parametrize("data", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc3', b'"\xc0\x80"', b"\x80"])
def test_s9_bytes_that_are_not_utf8_are_refused(data: bytes) -> None:
    field, rule = refusal(data)
    assert field == "body"
    assert "UTF-8" in rule


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf{}", "\ufeff{}"])
def test_a_byte_order_mark_is_refused(data: bytes | str) -> None:
    assert "byte order mark" in refusal(data)[1]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_depth_is_limited(opening: str, closing: str) -> None:
    levels = opening.count("[") + opening.count("{")
    parse_json(nested(MAX_DEPTH // levels, opening, "1", closing))
    _, rule = refusal(nested(MAX_DEPTH // levels + 1, opening, "1", closing))
    assert rule == "is nested deeper than 100 levels"


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, '{"a":' * 1_000_000, "[{" * 200, '["a",' * 200, r'["\"' + "[" * 500 + '",' + "[" * 200]
)
def test_deep_or_unfinished_text_never_exhausts_the_stack(text: str) -> None:
    refusal(text)


def test_brackets_inside_strings_do_not_count() -> None:
    text = json.dumps(["[" * 500, '"[{' * 500, "\\" * 501 + "["])
    assert parse_json(text) == json.loads(text)


def test_wide_documents_are_not_deep() -> None:
    text = json.dumps([[{"a": []}]] * 1000)
    assert dump_json(parse_json(text)) == text.replace(" ", "")


def test_an_endless_string_costs_linear_time() -> None:
    refusal('"' + '\\"' * 2_000_000 + "[" * 200)


def test_stored_text_may_stand_a_little_deeper() -> None:
    assert parse_stored(nested(STORED_DEPTH)) is not None
    with pytest.raises(Damaged):
        parse_stored("{")


def test_the_field_names_the_document() -> None:
    with pytest.raises(Invalid) as caught:
        parse_json('{"a":NaN}', field="state")
    assert caught.value.fields[0].field == "state.a"


def test_a_long_key_is_cut_in_the_path() -> None:
    key = "k" * 10_000
    assert len(refusal(json.dumps({key: 1})[:-1] + ',"x":NaN}')[0]) < 100
    assert len(refusal('{"' + key + '":NaN}')[0]) < 100


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_f3_a_float_that_is_not_finite_cannot_be_dumped(value: float) -> None:
    for write in (dump_json, canonical_json):
        with pytest.raises(ValueError, match="finite"):
            write({"a": [value]})


@pytest.mark.parametrize("value", [b"x", {1}, object(), (1,), 1j, Decimal(1), {1: "a"}])
def test_f4_what_is_not_json_cannot_be_dumped(value: object) -> None:
    with pytest.raises(TypeError):
        dump_json([value])


def test_text_that_is_json_already_is_put_in_as_it_stands() -> None:
    assert dump_json({"event": JsonText('{"n":1.00}'), "seq": 3}) == '{"event":{"n":1.00},"seq":3}'
