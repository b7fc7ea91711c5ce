"""Terms of texts and of queries: I1 (every script is found by its parts) and I2 (punctuation never breaks a query)."""

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.cues import asks_when, is_question, names_time
from memory_app.domain.english import IRREGULAR_FORMS, STOPWORDS
from memory_app.domain.text_forms import fold_text
from memory_app.domain.tokens import (
    MAX_TERM_LENGTH,
    index_terms,
    is_prefix,
    prefix_range,
    query_terms,
)

any_text = st.text(st.characters(exclude_categories=()), max_size=40)
mixed_text = st.text(st.sampled_from("aZé'’-_.?! 0９Ａ猫我的天气ハチ犬보리예ßİıкотह ि\u0301😀\u200d"), max_size=30)


def is_found(query: str, text: str) -> bool:
    """Whether a query's terms meet those of a text, as postings would."""
    stored = index_terms(text).terms
    for term in query_terms(query).terms:
        low, high = prefix_range(term)
        if term in stored or (is_prefix(term) and any(low <= known < high for known in stored)):
            return True
    return False


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ハチ", "妹の犬はハチです"),
        ("犬", "妹の犬はハチです"),
        ("ﾊﾁ", "妹の犬はハチです"),
        ("妹の犬の名前は何ですか", "妹の犬はハチです"),
        ("花生", "我对花生过敏"),
        ("我能吃花生酱吗？", "我对花生过敏"),
        ("敏", "我对花生过敏"),
        ("猫", "她家有一只猫"),
        ("猫", "猫"),
        ("보리", "우리 강아지는 보리예요"),
        ("강아지 이름이 보리였나요?", "우리 강아지는 보리예요"),
        ("кот", "Наш кот любит рыбу"),
        ("КОТ", "Наш кот любит рыбу"),
        ("Größe", "Die Gro\u0308ße passt"),
        ("GRÖSSE", "Die Größe passt"),
        ("naïve", "a nai\u0308ve idea"),
        ("naive", "a naïve idea"),
        ("cafe", "das Café am See"),
        ("istanbul", "İstanbul güzel"),
        ("İSTANBUL", "istanbul"),
        ("ABC", "型番はＡＢＣです"),
        ("ＡＢＣ", "型番はABCです"),
        ("Python", "私はPythonを使う"),
        ("使う", "私はPythonを使う"),
        ("हिन्दी", "मुझे हिन्दी पसंद है"),
        ("สวัสดี", "เขาพูดว่าสวัสดีครับ"),
        ("A4纸", "买了A4纸"),
    ],
)
def test_i1_a_text_in_any_script_is_found_by_its_part(query: str, text: str) -> None:
    assert is_found(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("Pferd", "妹の犬はハチです"), ("牛奶", "我对花生过敏"), ("кит", "Наш кот")]
)
def test_i1_another_word_does_not_find_it(query: str, text: str) -> None:
    assert not is_found(query, text)


PUNCTUATED = [
    "agent-core",
    "TODO: x",
    "C++",
    "GB/s",
    "don't",
    "a@b.org",
    "file.md",
    r"C:\Users\x",
    "ｆｕｌｌ－ｗｉｄｔｈ！",
    "x_y",
]


@pytest.mark.parametrize("text", PUNCTUATED)
@pytest.mark.parametrize("form", ["{}", '"{}"', '"{}', "({}", "{}*", "!{}", ":{}", "&|<>{}", "NOT {} OR", "{}'"])
def test_i2_literal_text_finds_its_text_in_any_quoting(text: str, form: str) -> None:
    assert is_found(form.format(text), f"please see {text}, thanks")


@pytest.mark.parametrize(
    "query", ["", " ", "_", "?!", '"', "()", "*", "&|<>", "。！？", "—…", "'", "’’", "\x00", "\ud800"]
)
def test_i2_only_punctuation_asks_for_nothing(query: str) -> None:
    assert query_terms(query).terms == {}


def test_i2_ten_thousand_characters_are_a_query_like_any_other() -> None:
    assert query_terms("hiking " * 1_400).terms == {"hike": 1_400}
    assert all(len(term) <= MAX_TERM_LENGTH for term in query_terms("x" * 10_000).terms)


def test_a_long_word_is_found_by_itself() -> None:
    assert is_found("x" * 10_000, "see " + "x" * 10_000)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Caroline's books", {"carolin", "book"}),
        ("She went and the children ran", {"go", "child", "run"}),
        ("I'm sure they're here and we'll see", {"sure", "see"}),
        ("studies, studying, studied", {"studi"}),
        (
            "以后请用摄氏度报告天气",
            {"以后", "后请", "请用", "用摄", "摄氏", "氏度", "度报", "报告", "告天", "天气", "气"},
        ),
        ("我们的天气", {"的天", "天气", "气"}),
        ("他的是", set()),
    ],
)
def test_the_terms_of_a_text(text: str, terms: set[str]) -> None:
    assert set(index_terms(text).terms) == terms


def test_author_and_date_are_terms_and_only_words_count_in_the_length() -> None:
    indexed = index_terms("I love 猫咪", author="Caroline", moment=date(2023, 5, 8))
    assert indexed.terms == {"@d05-08": 1, "@m05": 1, "@y2023": 1, "carolin": 1, "love": 1, "咪": 1, "猫咪": 1}
    assert indexed.length == 3


def test_a_query_of_one_character_asks_for_a_prefix() -> None:
    assert query_terms("猫").terms == {"猫*": 1}
    low, high = prefix_range("猫*")
    assert low <= "猫" < high and low <= "猫咪" < high and not low <= "狗" < high
    assert low.encode() <= "猫咪".encode() < high.encode()


def test_words_that_say_nothing_are_named_as_ignored() -> None:
    asked = query_terms("What is the weather 我们 of 的")
    assert asked.ignored == ("what", "is", "the", "我们", "of", "的")
    assert asked.terms == {"weather": 1}


def test_the_stemmer_is_the_one_the_index_was_built_with() -> None:
    words = "generously running happiness relational hopping skies dying news organization university"
    stems = ["generous", "run", "happi", "relat", "hop", "sky", "die", "news", "organiz", "universiti"]
    assert list(query_terms(words).terms) == sorted(stems)


def test_the_tables_are_in_their_own_form() -> None:
    for word in [*STOPWORDS, *IRREGULAR_FORMS, *IRREGULAR_FORMS.values()]:
        assert word == fold_text(word) and "'" not in word
    assert not STOPWORDS & set(IRREGULAR_FORMS.values())


@given(any_text | mixed_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


@given(any_text | mixed_text)
def test_composed_decomposed_and_upper_case_are_one_text(text: str) -> None:
    plain = index_terms(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert index_terms(unicodedata.normalize(form, text)) == plain
    assert index_terms(fold_text(text)) == plain


@given(any_text | mixed_text)
def test_terms_can_be_stored_anywhere(text: str) -> None:
    indexed = index_terms(text, author=text, moment=date(2024, 2, 29))
    for term, count in indexed.terms.items():
        assert 0 < len(term) <= MAX_TERM_LENGTH and count > 0
        assert term.encode().decode() == term and "\x00" not in term and not is_prefix(term)
    assert list(indexed.terms) == sorted(indexed.terms)
    assert indexed.length <= sum(indexed.terms.values())


@given(mixed_text, mixed_text)
def test_a_text_is_found_by_its_own_words_whatever_stands_around_them(text: str, around: str) -> None:
    if query_terms(text).terms:
        assert is_found(text, f"{around}\n{text}\n{around}")


@given(any_text, any_text)
def test_the_terms_of_two_lines_are_those_of_each(first: str, second: str) -> None:
    both = index_terms(f"{first}\n{second}").length
    assert both == index_terms(first).length + index_terms(second).length


@pytest.mark.parametrize("text", ["Really?", "真的吗？", 'He asked "why?"', "Why? ", "what?)"])
def test_a_text_that_ends_in_a_question_mark_is_a_question(text: str) -> None:
    assert is_question(text) and not is_question(text + " I see.")


@pytest.mark.parametrize(
    "text", ["I went yesterday", "two years ago", "昨天去了", "5月2日", "in June", "at 7pm", "2022"]
)
def test_words_of_time_are_seen(text: str) -> None:
    assert names_time(text)


@pytest.mark.parametrize("text", ["I like tea", "我喜欢茶", ""])
def test_other_words_are_no_time(text: str) -> None:
    assert not names_time(text)


@pytest.mark.parametrize(
    "query", ["When did she go?", "what time is it", "你什么时候去的", "哪天", "how long ago", "いつ"]
)
def test_a_query_that_asks_when_is_seen(query: str) -> None:
    assert asks_when(query)
    assert not asks_when("What did she say?")
