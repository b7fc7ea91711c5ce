"""Titles, labels and expiries of sessions."""

import pytest

from adk_project.shared.errors import Invalid
from sessions_app.domain.json_text import JsonNumber
from sessions_app.domain.metadata import clean_expiry, clean_labels, clean_title


def test_titles_and_labels_lose_their_outer_blanks() -> None:
    assert clean_title("  Trip ") == "Trip"
    assert clean_labels({" a ": " b "}) == {"a": "b"}


def test_blank_and_null_clear() -> None:
    assert clean_title(" ") is None and clean_title(None) is None
    assert clean_labels(None) == {}
    assert clean_expiry(None, now=1.0) is None


def test_two_labels_that_differ_by_outer_blanks_are_refused_and_none_is_lost() -> None:
    with pytest.raises(Invalid, match=r"labels\.a"):
        clean_labels({"a": "x", " a": "y"})


def test_an_expiry_must_lie_ahead() -> None:
    assert clean_expiry(JsonNumber("10.5"), now=10.0) == 10.5
    with pytest.raises(Invalid, match="expiresAt"):
        clean_expiry(JsonNumber("10"), now=10.0)
