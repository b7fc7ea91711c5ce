"""Recall on the committed sample: a change that loses answers fails here. The goals are those of bench/recall.py."""

import gzip
import json
from pathlib import Path

import pytest

from bench.recall import SAMPLE, judge, main, measure, missed_goals, read_scopes
from bench.recall_searchers import AdkInMemory, AdkSqlite, InMemoryIndex

# What was measured, less about two questions of a hundred.
FLOORS = {
    "memorybank_zh": {"recall@5": 0.87, "recall@10": 0.955, "recall@20": 0.97, "mrr": 0.61, "ndcg@10": 0.70},
    "memorybank_en": {"recall@5": 0.87, "recall@10": 0.955, "recall@20": 0.97, "mrr": 0.61, "ndcg@10": 0.70},
}


@pytest.mark.parametrize("data_set", list(FLOORS))
def test_questions_bring_back_what_answers_them(data_set: str) -> None:
    figures = measure(InMemoryIndex(), read_scopes(SAMPLE / f"{data_set}.jsonl.gz"))
    assert missed_goals(data_set, figures) == []
    assert {name: figures[name] for name, floor in FLOORS[data_set].items() if figures[name] < floor} == {}


@pytest.mark.parametrize("service", [AdkInMemory, AdkSqlite])
def test_the_services_of_adk_are_measured_the_same_way(service: type[AdkInMemory] | type[AdkSqlite]) -> None:
    scopes = read_scopes(SAMPLE / "memorybank_en.jsonl.gz")[:2]
    figures = measure(service(), scopes)
    assert 0.2 < figures["recall@10"] <= measure(InMemoryIndex(), scopes)["recall@10"]


def test_the_figures_of_one_question() -> None:
    figures = judge(["x", "a", "y", "z", "w", "b"], frozenset({"a", "b", "c"}))
    assert figures["recall@5"] == pytest.approx(1 / 3) and figures["recall@10"] == pytest.approx(2 / 3)
    assert figures["mrr"] == 0.5 and 0 < figures["ndcg@10"] < 1
    assert set(judge([], frozenset({"a"})).values()) == {0.0}


def test_a_missed_goal_is_named() -> None:
    assert missed_goals("memorybank_zh", {"recall@10": 0.5}) == ["recall@10 is 0.500, below 0.95"]


def test_a_data_set_that_is_not_here_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = {
        "scope": "s",
        "memories": [{"id": "a", "session": 1, "author": "u", "ts": "2023-05-08T13:56:00", "text": "green tea"}],
        "questions": [{"question": "tea?", "evidence": ["a"]}],
    }
    for name in ("memorybank_zh", "memorybank_en"):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as lines:
            lines.write(json.dumps(scope) + "\n")
    monkeypatch.setattr("bench.recall.LOCOMO", tmp_path / "absent")
    monkeypatch.setattr("bench.recall.SAMPLE", tmp_path)
    assert main(["--only", "threefold", "--no-database", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert "locomo_dev: skipped" in told.err
    assert json.loads(told.out)["memorybank_zh"]["threefold (in memory)"]["recall@5"] == 1.0
