"""The seeds' example through the whole domain: what is said, kept, found by its words or without them, and replaced."""

from dataclasses import replace

import pytest

from bench.recall_searchers import MemoryIndex
from memory_app.domain.claims import SUPERSEDE, Statement, compare_statements
from memory_app.domain.entries import EXCERPT, SUPERSEDED_STATUS, Candidate
from memory_app.domain.explanation import SUPERSEDED
from memory_app.domain.extract_excerpts import SourceEvent, extract_excerpts
from memory_app.domain.extract_rules import extract_rules
from memory_app.domain.policy import DEFAULT_POLICY
from tests.memory_app.domain.entries import make_entry

CASES = [
    ("以后请用摄氏度报告天气", "杭州天气怎么样，温度单位跟上次一样", "还记得我偏好的温度单位吗", "改用华氏度"),
    (
        "Please always report the weather in Celsius",
        "How is the weather in Hangzhou? Same unit as last time.",
        "Do you remember which unit I prefer?",
        "From now on use Fahrenheit",
    ),
]


def candidates_of(text: str) -> list[Candidate]:
    event = SourceEvent("e1", 1, {"author": "user", "content": {"parts": [{"text": text}]}})
    found = extract_excerpts([event]).candidates + extract_rules([event]).candidates
    return [candidate for candidate in found if DEFAULT_POLICY.should_persist(candidate)]


def keep(index: MemoryIndex, session: str, candidates: list[Candidate], time: float) -> None:
    for candidate in candidates:
        row = make_entry(
            f"{session}/{candidate.kind}", candidate.text, kind=candidate.kind, session=session, seq=1, time=time
        )
        index.add(*row)


@pytest.mark.parametrize(("statement", "by_words", "by_none", "correction"), CASES)
def test_the_preference_is_found_first_stands_and_is_superseded(
    statement: str, by_words: str, by_none: str, correction: str
) -> None:
    index = MemoryIndex()
    first = candidates_of(statement)
    keep(index, "s1", first, 1.0)

    hit = index.search(by_words, 8).hits[0]
    assert hit.entry_id == "s1/PREFERENCE" and hit.collapsed == ("s1/EXCERPT",)
    assert hit.matched_terms and sum(part.points for part in hit.parts) == hit.points
    (standing,) = index.search(by_none, 8).hits
    assert standing.entry_id == "s1/PREFERENCE" and standing.is_standing

    later = candidates_of(correction)
    old, new = (next(item for item in found if item.kind != EXCERPT) for found in (first, later))
    assert old.key == new.key
    assert compare_statements(Statement(str(old.value), 1.0), Statement(str(new.value), 2.0)) == SUPERSEDE
    index.entries["s1/PREFERENCE"] = replace(index.entries["s1/PREFERENCE"], status=SUPERSEDED_STATUS)
    keep(index, "s2", later, 2.0)

    (standing,) = index.search(by_none, 8).hits
    assert standing.entry_id == "s2/PREFERENCE"
    misses = {miss.entry_id: miss.reason for miss in index.search(by_words, 8).near_misses}
    assert misses["s1/PREFERENCE"] == SUPERSEDED
