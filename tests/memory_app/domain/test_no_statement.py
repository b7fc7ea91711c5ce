"""What only looks like a statement: the ``rules`` extractor would rather miss than invent."""

import pytest

from memory_app.domain.extract_rules import find_statements


def readings(text: str) -> list[tuple[str, str]]:
    return [(found.key, found.value) for found in find_statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Am I allergic to peanuts?",
        "I'm allergic to peanuts?",
        "So I live in Porto, right?",
        "What is my name?",
        "Should I use Celsius?",
        "我对花生过敏吗？",
        "我叫什么名字？",
        "还记得我偏好的温度单位吗",
        "你记得我住在上海，对吗？",
        "杭州天气怎么样，温度单位跟上次一样",
    ],
)
def test_a_question_states_nothing(text: str) -> None:
    assert readings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'm not allergic to peanuts",
        "Don't use Celsius",
        "please don't always answer in French",
        "I don't live in Porto anymore",
        "I used to live in Porto",
        "我对花生不过敏",
        "以后别用摄氏度",
        "我以前住在上海",
        "请不要用华氏度",
    ],
)
def test_a_negation_states_nothing(text: str) -> None:
    assert readings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "If I were allergic to peanuts, what would happen?",
        "If my name is Bob, the form fails.",
        "Suppose my name is Bob.",
        "Imagine I live in Porto",
        "Maybe I live in Porto",
        "I wish I lived in Porto",
        "如果我对花生过敏，该怎么办",
        "假设我住在上海",
        "我可能对花生过敏",
    ],
)
def test_a_supposition_states_nothing(text: str) -> None:
    assert readings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'He said "I\'m allergic to peanuts"',
        "She wrote: 'my name is Bob'",
        "She told me, I'm allergic to peanuts",
        "`my name is Bob`",
        "```\nmy name is Bob\n```",
        "> my name is Bob",
        "他说：“我对花生过敏”",
        "他说，我对花生过敏",
        "《我叫刘跃进》很好看",
        "Translate: my name is Bob",
        "Please translate this. My name is Bob.",
        "翻译：我叫小明",
    ],
)
def test_a_quotation_states_nothing(text: str) -> None:
    assert readings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "use Fahrenheit this time",
        "Just for now, use Fahrenheit",
        "这次用华氏度",
        "convert 30 Celsius to Fahrenheit",
        "tell me about Fahrenheit",
        "write a letter in French",
        "I like Chinese",
        "我喜欢英语",
        "美国人用华氏度",
        "我的朋友用华氏度",
        "My friend's name is Bob",
        "我朋友叫小明",
        "我叫外卖",
        "call me later",
        "I live in fear",
        "My job is stable but not exciting at all",
        "我目前在一家公司工作",
        "I always go to the park",
        "I am always tired",
        "Always a pleasure!",
        "Never give up!",
        "In the future, cars will fly.",
        "以后我要去上海",
        "以后都不去那家店了",
        "Remember to buy milk",
    ],
)
def test_what_only_looks_like_a_statement_is_none(text: str) -> None:
    assert readings(text) == []
