"""Which texts make the same claim, and which of two claims holds: I5."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.domain.claims import (
    ADD,
    LATE,
    REPEAT,
    SUPERSEDE,
    Statement,
    claim_digest,
    compare_statements,
    is_later,
    normalize_claim,
    statement_in_force,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm allergic to peanuts.", "i’m allergic to PEANUTS"),
        ("I live in Porto", "  I live\nin   Porto!! "),
        ("以后请用摄氏度报告天气", "以后，请用 摄氏度 报告天气。"),
        ("ＡＢＣ", "abc"),
        ("Größe", "Gro\u0308sse"),
        ("«Yes», he (really) likes it", "yes he really likes it"),
        ("妹の犬はハチです", "妹の犬はﾊﾁです。"),
    ],
)
def test_case_space_width_and_punctuation_do_not_matter(one: str, other: str) -> None:
    assert normalize_claim(one) == normalize_claim(other)
    assert claim_digest(b"k", one) == claim_digest(b"k", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like C++", "I like C"),
        ("I like C#", "I like C"),
        ("it costs 3.5", "it costs 35"),
        ("at 5:30", "at 530"),
        ("therapist", "the rapist"),
        ("I am 5", "I am 50"),
        ("!!!", "???"),
        ("🙂", "🙁"),
        ("I like tea", "I don't like tea"),
        ("用摄氏度", "不用摄氏度"),
    ],
)
def test_other_words_are_another_claim(one: str, other: str) -> None:
    assert normalize_claim(one) != normalize_claim(other)


def test_the_digest_needs_its_key_and_shows_no_text() -> None:
    digest = claim_digest(b"one key", "I live in Porto")
    assert len(digest) == 32 and digest != claim_digest(b"another key", "I live in Porto")
    assert b"porto" not in digest


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_normalizing_twice_changes_nothing_and_never_empties_a_text(text: str) -> None:
    once = normalize_claim(text)
    assert normalize_claim(once) == once
    assert bool(once) == bool(text.split()) or not once
    claim_digest(b"k", text)


JANUARY, FEBRUARY, MARCH = 1.0, 2.0, 3.0
PORTO = Statement("Porto", JANUARY, seq=1)
LISBON = Statement("Lisbon", FEBRUARY, seq=9)
GDANSK = Statement("Gdansk", MARCH, seq=2)


def test_i5_the_newest_statement_holds_and_a_late_older_one_does_not_beat_it() -> None:
    assert compare_statements(None, PORTO) == ADD
    assert compare_statements(PORTO, GDANSK) == SUPERSEDE
    assert compare_statements(GDANSK, LISBON) == LATE
    assert statement_in_force([PORTO, GDANSK, LISBON]) == GDANSK


def test_i5_what_held_earlier_can_still_be_asked() -> None:
    everything = [GDANSK, LISBON, PORTO]
    assert statement_in_force(everything, as_of=FEBRUARY) == LISBON
    assert statement_in_force(everything, as_of=JANUARY) == PORTO
    assert statement_in_force(everything, as_of=0.5) is None


def test_i5_the_same_value_again_is_no_contradiction() -> None:
    assert compare_statements(PORTO, Statement(" porto. ", MARCH)) == REPEAT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Statement("a", 1.0, seq=1), Statement("b", 1.0, seq=2)),
        (Statement("a", 1.0, seq=1, start=0), Statement("b", 1.0, seq=1, start=20)),
        (Statement("b", 1.0, seq=9), Statement("a", 1.5, seq=1)),
    ],
)
def test_i5_seq_and_place_in_the_event_break_a_tie_of_times(old: Statement, new: Statement) -> None:
    assert compare_statements(old, new) == SUPERSEDE
    assert compare_statements(new, old) == LATE


statements = st.builds(
    Statement,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from(["s", "t"]),
)


@given(st.lists(statements, min_size=1, max_size=4))
def test_i5_the_order_of_arrival_never_decides(arriving: list[Statement]) -> None:
    held = set()
    for order in itertools.permutations(arriving):
        active: Statement | None = None
        for new in order:
            if active is None or is_later(new, active):
                active = new
        assert active is not None
        held.add(active.value)
    assert held == {statement_in_force(arriving).value}  # type: ignore[union-attr]
