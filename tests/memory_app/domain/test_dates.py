"""The dates that a question names."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.dates import date_terms, dates_in_query
from memory_app.domain.text_forms import fold_text


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What did I do on May 2nd?", ["@d05-02"]),
        ("on May the 2nd, 2023", ["@d05-02", "@y2023"]),
        ("on 2 May 2023", ["@d05-02", "@y2023"]),
        ("the 2nd of May", ["@d05-02"]),
        ("Sept. 9", ["@d09-09"]),
        ("in May", ["@m05"]),
        ("May 2022", ["@m05", "@y2022"]),
        ("June", ["@m06"]),
        ("in 2022", ["@y2022"]),
        ("2023-05-02", ["@d05-02", "@y2023"]),
        ("2023/5/2", ["@d05-02", "@y2023"]),
        ("5月2日", ["@d05-02"]),
        ("5月2号", ["@d05-02"]),
        ("５月２日", ["@d05-02"]),
        ("五月二号", ["@d05-02"]),
        ("十二月三十一日", ["@d12-31"]),
        ("2023年5月2日", ["@d05-02", "@y2023"]),
        ("2023年", ["@y2023"]),
        ("5月份", ["@m05"]),
        ("5월 2일", ["@d05-02"]),
        ("from May 1st to May 3rd", ["@d05-01", "@d05-03"]),
        ("5月1日和5月3日", ["@d05-01", "@d05-03"]),
    ],
)
def test_a_date_is_read_in_every_usual_form(query: str, terms: list[str]) -> None:
    assert list(dates_in_query(fold_text(query))) == terms


@pytest.mark.parametrize(
    "query",
    [
        "May I go?",
        "you may",
        "we march on",
        "a decent second",
        "mark my words",
        "3个月",
        "13月",
        "May 45",
        "1234",
        "12:30",
    ],
)
def test_what_only_looks_like_a_date_is_none(query: str) -> None:
    assert dates_in_query(fold_text(query)) == ()


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_every_date_is_read_as_it_was_stored(day: date) -> None:
    year, _, of_year = date_terms(day)
    forms = [
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        day.strftime("%B %d, %Y"),
        day.strftime("%d %b %Y"),
    ]
    for form in forms:
        assert dates_in_query(fold_text(form)) == (of_year, year)


def test_a_moment_has_the_terms_of_its_day() -> None:
    assert date_terms(datetime(2023, 5, 2, 23, 59)) == ("@y2023", "@m05", "@d05-02")


@given(st.text(max_size=60))
def test_any_text_may_be_asked(text: str) -> None:
    assert list(dates_in_query(fold_text(text))) == sorted(set(dates_in_query(fold_text(text))))
