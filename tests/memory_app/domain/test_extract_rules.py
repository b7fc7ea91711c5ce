"""What users plainly state or ask for, in English and Chinese."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.claims import LATE, SUPERSEDE, Statement, compare_statements
from memory_app.domain.entries import FACT, PREFERENCE
from memory_app.domain.extract_excerpts import SourceEvent
from memory_app.domain.extract_rules import NOT_FROM_USER, TOO_LONG, extract_rules, find_statements
from memory_app.domain.policy import DEFAULT_POLICY

UNIT, LANGUAGE = "preference/temperature_unit", "preference/language"


def readings(text: str) -> list[tuple[str, str]]:
    return [(found.key, found.value) for found in find_statements(text)]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("以后请用摄氏度报告天气", UNIT, "celsius"),
        ("以后温度都用华氏度", UNIT, "fahrenheit"),
        ("改用华氏度", UNIT, "fahrenheit"),
        ("温度单位改成华氏度吧", UNIT, "fahrenheit"),
        ("不用摄氏度了，改用华氏度", UNIT, "fahrenheit"),
        ("我更喜欢摄氏度", UNIT, "celsius"),
        ("我習慣用攝氏度", UNIT, "celsius"),
        ("请用℃显示温度", UNIT, "celsius"),
        ("from now on use Fahrenheit", UNIT, "fahrenheit"),
        ("From now on, please use Fahrenheit.", UNIT, "fahrenheit"),
        ("Please always report the weather in Celsius.", UNIT, "celsius"),
        ("Switch back to Celsius", UNIT, "celsius"),
        ("I prefer Fahrenheit", UNIT, "fahrenheit"),
        ("Use Fahrenheit instead of Celsius from now on", UNIT, "fahrenheit"),
        ("My preferred temperature unit is Celsius", UNIT, "celsius"),
        ("please always answer in French", LANGUAGE, "fr"),
        ("From now on answer in Spanish", LANGUAGE, "es"),
        ("请用法语回答我", LANGUAGE, "fr"),
        ("以后都用中文跟我交流", LANGUAGE, "zh"),
        ("please use metric units", "preference/measurement_system", "metric"),
        ("use 24-hour time please", "preference/time_format", "24h"),
        ("以后时间都用24小时制", "preference/time_format", "24h"),
        ("Please keep your answers short.", "preference/answer_length", "short"),
        ("回答请简短一点", "preference/answer_length", "short"),
        ("call me Sam", "preference/form_of_address", "Sam"),
        ("Please call me Bob from now on", "preference/form_of_address", "Bob"),
        ("叫我小王", "preference/form_of_address", "小王"),
        ("My favorite color is blue.", "preference/favorite/color", "blue"),
        ("我最喜欢的颜色是蓝色", "preference/favorite/color", "蓝色"),
        ("Hello, my name is Emily. Nice to meet you.", "fact/name", "Emily"),
        ("你好，我叫张曼婷，很高兴认识你。", "fact/name", "张曼婷"),
        ("my name is A", "fact/name", "A"),
        ("My name's Ana.", "fact/name", "Ana"),
        ("I live in Porto", "fact/residence", "Porto"),
        ("I moved to Gdansk last month.", "fact/residence", "Gdansk"),
        ("我现在住在北京", "fact/residence", "北京"),
        ("我搬到上海了", "fact/residence", "上海"),
        ("I work at Google", "fact/workplace", "Google"),
        ("I work as a nurse", "fact/occupation", "nurse"),
        ("我是一名程序员", "fact/occupation", "程序员"),
        ("My birthday is May 4th", "fact/birthday", "05-04"),
        ("My birthday's on the 4th of May", "fact/birthday", "05-04"),
        ("我的生日是5月4日", "fact/birthday", "05-04"),
        ("I'm vegetarian", "fact/diet", "vegetarian"),
        ("I’m a strict vegan.", "fact/diet", "vegan"),
        ("我吃素", "fact/diet", "vegetarian"),
        ("I'm allergic to peanuts", "fact/allergy/peanut", "yes"),
        ("I have a severe peanut allergy", "fact/allergy/peanut", "yes"),
        ("我对花生过敏", "fact/allergy/peanut", "yes"),
        ("我花生过敏", "fact/allergy/peanut", "yes"),
        ("I'm no longer allergic to peanuts", "fact/allergy/peanut", "no"),
        ("我不再对花生过敏了", "fact/allergy/peanut", "no"),
    ],
)
def test_a_plain_statement_has_one_key_in_both_languages(text: str, key: str, value: str) -> None:
    assert readings(text) == [(key, value)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please always start with the conclusion.", PREFERENCE),
        ("From now on, never use emojis", PREFERENCE),
        ("以后请先给结论", PREFERENCE),
        ("以后回答不要用表情", PREFERENCE),
        ("Remember that my locker code is 4417.", FACT),
        ("请记住我的柜子密码是4417", FACT),
    ],
)
def test_a_lasting_request_that_no_rule_names_is_kept_without_a_key(text: str, kind: str) -> None:
    (found,) = find_statements(text)
    assert (found.kind, found.key, text[found.start : found.end]) == (kind, "", text)
    assert found.confidence >= 0.8


def test_facts_of_one_sentence_stand_apart() -> None:
    text = "My name is Emily and I live in Porto, please always answer in French."
    found = find_statements(text)
    assert [(item.key, text[item.start : item.end]) for item in found] == [
        ("fact/name", "My name is Emily"),
        ("fact/residence", "I live in Porto"),
        ("preference/language", "please always answer in French."),
    ]


def test_a_statement_beside_a_question_is_read_without_the_question() -> None:
    text = "I'm allergic to peanuts, shrimp and milk, what can I eat?"
    found = find_statements(text)
    assert [item.key.rpartition("/")[2] for item in found] == ["peanut", "shrimp", "milk"]
    assert {text[item.start : item.end] for item in found} == {"I'm allergic to peanuts, shrimp and milk"}
    assert readings("我对花生和虾过敏，有什么推荐吗？") == [
        ("fact/allergy/peanut", "yes"),
        ("fact/allergy/shrimp", "yes"),
    ]


def test_a_span_begins_with_the_words_that_make_it_last() -> None:
    text = "Thanks! From now on, use Fahrenheit. Bye."
    (found,) = find_statements(text)
    assert text[found.start : found.end] == "From now on, use Fahrenheit."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("用华氏度", False),
        ("use Fahrenheit", False),
        ("请用华氏度", True),
        ("please use Fahrenheit", True),
        ("改用华氏度", True),
        ("I prefer Fahrenheit", True),
    ],
)
def test_a_request_for_once_is_below_the_strict_policy(text: str, kept: bool) -> None:
    (candidate,) = extract_rules([said("e1", text)]).candidates
    assert bool(DEFAULT_POLICY.should_persist(candidate)) == kept


def said(event_id: str, text: str, seq: int = 1, author: str = "user") -> SourceEvent:
    return SourceEvent(event_id, seq, {"author": author, "content": {"parts": [{"text": text}]}})


def test_i5_a_later_contradiction_has_the_same_key_whatever_its_language() -> None:
    events = [said("e1", "以后请用摄氏度报告天气", 1), said("e2", "From now on use Fahrenheit", 5)]
    old, new = extract_rules(events).candidates
    assert old.key == new.key == UNIT and old.kind == new.kind == PREFERENCE
    before, after = Statement(str(old.value), 10.0, old.seq), Statement(str(new.value), 20.0, new.seq)
    assert compare_statements(before, after) == SUPERSEDE and compare_statements(after, before) == LATE


def test_a_candidate_carries_its_source() -> None:
    (found,) = extract_rules([said("e9", "Hi. I'm allergic to peanuts.", 7)]).candidates
    assert (found.event_id, found.seq, found.author, found.kind) == ("e9", 7, "user", FACT)
    assert (found.text, found.start, found.end) == ("I'm allergic to peanuts.", 4, 28)
    assert found.confidence >= 0.8


def test_i8_what_an_agent_says_states_nothing_about_the_user() -> None:
    result = extract_rules([said("e1", "My name is Bob.", author="assistant")])
    assert not result.candidates and [item.reason for item in result.skipped] == [NOT_FROM_USER]


def test_a_pasted_document_is_not_read() -> None:
    result = extract_rules([said("e1", "My name is Bob. " * 1_000)])
    assert not result.candidates and [item.reason for item in result.skipped] == [TOO_LONG]


HOSTILE = [
    "a,",
    "so ",
    "always  ",
    "use when ",
    "温度单位",
    "以后请",
    "'a ",
    '" ',
    "I'm allergic to a, ",
    ".",
    "用摄氏度来去",
    "5月",
    "hi ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    for text in ((piece * 500)[:499], (piece * 10_000)[:9_999], "\n".join([(piece * 500)[:499]] * 20)[:9_999]):
        find_statements(text)
    assert time.process_time() - started < 3


fragments = st.sampled_from(
    [
        "my name is Bob",
        "我叫小明",
        "always use Celsius",
        "请用华氏度",
        "?",
        "。",
        ", ",
        "“",
        "”",
        '"',
        "if ",
        "如果",
        "\n",
        "I'm",
        "Ａ",
    ]
)


@given(st.lists(fragments | st.text(max_size=6), max_size=10).map("".join))
def test_spans_lie_in_the_text_and_no_statement_comes_twice(text: str) -> None:
    found = find_statements(text)
    for item in found:
        assert 0 <= item.start < item.end <= len(text) and text[item.start : item.end].strip()
    named = [(item.key, item.value) for item in found if item.key]
    assert len(named) == len(set(named))
    assert find_statements(text) == found
