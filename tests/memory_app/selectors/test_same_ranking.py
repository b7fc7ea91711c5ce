"""SQLite and PostgreSQL give the same hits, in the same order, with the same scores, parts and misses."""

import json
import os
import random
import re
import subprocess
import sys
from typing import Any

import pytest

from devtools.paths import ROOT

pytestmark = pytest.mark.postgres

CORPORA, QUERIES = 12, 20

_ENGLISH = re.findall(
    r"\S+",
    "i you we the a of in not prefer like live work tea coffee train trains lake city weather temperature celsius "
    "yesterday went going children child mouse don't it's résumé naïve Straße İstanbul 2024 3.14 C++ e-mail hello ?",
)
_CHINESE = list("我你的了在喜欢住杭州西湖天气温度摄氏华氏改用请以后报告茶咖啡火车孩子吗？，。")
_OTHER = [
    "コーヒー",
    "が好き",
    "서울에",
    "살아요",
    "Москва",
    "чай",
    "👩‍👩‍👧",
    "ﬁ",
    "①",
    "%",
    "'",
    '"',
    "\\",
    "\u0301",
    "𝒳",
    "ｆｕｌｌ",
]
_KINDS = ("EXCERPT", "EXCERPT", "EXCERPT", "PREFERENCE", "FACT")


def make_corpus(seed: int) -> dict[str, Any]:
    """A few conversations in few words, so that much matches, ties are common, and borders are met."""
    chance = random.Random(seed)
    words = chance.choice([_ENGLISH, _CHINESE, _ENGLISH + _CHINESE + _OTHER])
    words = chance.sample(words, min(len(words), chance.choice([4, 12, 60])))
    sessions = {
        f"s{number}": [_make_entry(chance, words, f"s{number} e{turn}", turn) for turn in range(chance.randint(1, 60))]
        for number in range(chance.choice([1, 3, 10]))
    }
    events = [entry["candidate"]["event_id"] for entries in sessions.values() for entry in entries]
    return {
        "user": f"user {seed}",
        "sessions": sessions,
        "dropped": chance.sample(events, len(events) // 10),
        "expired": chance.sample(events, len(events) // 10),
        "queries": [_make_query(chance, words) for _ in range(QUERIES)],
    }


def _make_entry(chance: random.Random, words: list[str], event: str, turn: int) -> dict[str, Any]:
    text = _text(chance, words, 12)
    candidate = {
        "kind": chance.choice(_KINDS),
        "text": text,
        "confidence": 1.0,
        # Some of what was distilled shares its event with an excerpt, and collapses with it.
        "event_id": event if turn == 0 or chance.random() < 0.8 else event.rpartition("e")[0] + f"e{turn - 1}",
        "seq": turn + 1,
        "author": chance.choice(["user", "agent", "Ana"]),
        "end": len(text),
    }
    return {"candidate": candidate, "valid_from": 1_700_000_000.0 + chance.choice([0, turn, 86_400 * turn, 0.1 * turn])}


def _text(chance: random.Random, words: list[str], most: int) -> str:
    space = chance.choice([" ", " ", ""])
    return space.join(chance.choice(words) for _ in range(chance.randint(1, most)))


def _make_query(chance: random.Random, words: list[str]) -> dict[str, Any]:
    return {
        "text": chance.choice(["", "when ", "Ana ", "什么时候"]) + _text(chance, words, 5),
        "limit": chance.choice([1, 5, 10, 50]),
        "kinds": chance.choice([(), (), ("EXCERPT",), ("PREFERENCE", "FACT")]),
        "standing": chance.random() < 0.5,
        "explain": chance.random() < 0.5,
    }


def answers_of(database_url: str, corpora: list[dict[str, Any]]) -> list[Any]:
    environment = {**os.environ, "DATABASE_URL": database_url, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory_app.selectors.search_process"],
        input=json.dumps(corpora),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_databases_give_the_same_hits_scores_parts_and_misses() -> None:
    corpora = [make_corpus(seed) for seed in range(CORPORA)]
    on_postgresql = answers_of(os.environ["DATABASE_URL"], corpora)
    on_sqlite = answers_of("", corpora)
    for corpus, ours, theirs in zip(corpora, on_postgresql, on_sqlite, strict=True):
        for query, one, other in zip(corpus["queries"], ours, theirs, strict=True):
            assert one == other, (corpus["user"], query)
    found = [hits for answers in on_sqlite for hits, _ in answers]
    assert sum(map(bool, found)) > CORPORA * QUERIES // 2, "hardly anything was found: this compares nothing"
    assert any(misses for answers in on_sqlite for _, misses in answers)
