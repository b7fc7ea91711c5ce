"""Ids and keys: S11 (trimmed, blank is absent), S12 and F1 (what no id may hold is a 400 that names the field)."""

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.json_text import JsonNumber
from sessions_app.domain.keys import MAX_ID_LENGTH, InvalidKey, SessionKey, UserKey, clean_id, optional_id


@pytest.mark.parametrize(
    "value",
    [
        "a",
        "a/b",
        "a%2Fb",
        "50%",
        "a:b",
        "ключ",
        "\U0001f600",
        "e\u0301",
        "?",
        "#",
        "a b",
        "+",
        "...",
        "..a",
        "x" * 255,
        "\U0001f600" * 255,
    ],
)
def test_it_keeps_an_id_as_it_is(value: str) -> None:
    assert clean_id(value, "userId") == value


@pytest.mark.parametrize("value", [" s1 ", "\ts1\n", "\u3000s1\u00a0", "s1 "])
def test_it_trims_outer_whitespace(value: str) -> None:
    assert clean_id(value, "id") == "s1"


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("", "must not be blank"),
        (" \t\u3000", "must not be blank"),
        ("a\u0000b", "control"),
        ("a\nb", "control"),
        ("a\x7fb", "control"),
        ("a\x85b", "control"),
        ("a\x9fb", "control"),
        ("\ud800", "surrogates"),
        ("a\udfff", "surrogates"),
        (".", "must not be"),
        ("..", "must not be"),
        (" .. ", "must not be"),
        ("x" * (MAX_ID_LENGTH + 1), "at most 255"),
        (None, "must be a string"),
        (5, "must be a string"),
        (True, "must be a string"),
        (JsonNumber("5"), "must be a string"),
        (b"s1", "must be a string"),
        (["s1"], "must be a string"),
    ],
)
def test_it_refuses_an_id_and_names_the_field(value: object, rule: str) -> None:
    with pytest.raises(Invalid) as caught:
        clean_id(value, "event.id")
    (broken,) = caught.value.fields
    assert broken.field == "event.id"
    assert rule in broken.rule
    assert broken.rule in str(caught.value)


@pytest.mark.parametrize("value", [None, "", "   ", "\u3000"])
def test_blank_is_absent_where_an_id_is_optional(value: object) -> None:
    assert optional_id(value, "id") is None


def test_an_optional_id_follows_the_same_rules() -> None:
    assert optional_id(" s1 ", "id") == "s1"
    for value in ("a\u0000", JsonNumber("1"), 0, False, ".."):
        with pytest.raises(Invalid):
            optional_id(value, "id")


def test_keys_are_values() -> None:
    key = SessionKey("app1", "ana", "s1")
    assert key == SessionKey("app1", "ana", "s1")
    assert key.user_key == UserKey("app1", "ana")
    assert len({key, SessionKey("app1", "ana", "s1"), SessionKey("app1", "bo", "s1")}) == 2
    with pytest.raises(AttributeError):
        key.user_id = "bo"  # type: ignore[misc]


def test_the_parts_of_a_key_are_never_joined() -> None:
    assert SessionKey("a", "b/c", "d") != SessionKey("a", "b", "c/d")
    assert UserKey("shop", "2a") != UserKey("shop2", "a")


def test_a_key_is_trimmed_where_it_is_made() -> None:
    assert SessionKey(" app1 ", "ana\n", " s1") == SessionKey("app1", "ana", "s1")


@pytest.mark.parametrize(
    "parts", [("", "ana", "s1"), ("app1", " ", "s1"), ("app1", "ana", ""), ("app1", None, "s1"), ("app1", "ana", "..")]
)
def test_an_incomplete_key_is_a_value_error_and_a_400(parts: tuple) -> None:
    with pytest.raises(InvalidKey) as caught:
        SessionKey(*parts)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, Invalid)
    assert len(caught.value.fields) == 1


def test_an_incomplete_key_names_every_missing_part() -> None:
    with pytest.raises(ValueError, match="project") as caught:
        UserKey("", None)  # type: ignore[arg-type]
    assert [item.field for item in caught.value.fields] == ["project", "user_id"]
