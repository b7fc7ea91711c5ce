"""Every case that the known failures of sessions and the sharp edges of ADK number has a test that is named for it.

A test is named for its case when its name begins with ``test_<case>_``, as in ``test_a8_parallel_appends_…``; it may
name several. Groups A to G are about sessions; those that follow belong to memory, artifacts and workers.
"""

import re
from pathlib import Path

NUMBERS = {
    "A": (1, 2, 3, 4, 5, 6, 8, 10, 11),
    "B": (1, 3),
    "C": (1, 2, 3, 4, 6, 7, 9),
    "D": (1, 2, 3, 4, 5, 7),
    "E": (1, 2, 3, 4, 5, 7, 9, 10, 11, 13, 15, 16),
    "F": (1, 3, 4, 6, 7),
    "G": (1, 2, 3),
    "S": range(1, 24),
}
CASES = [f"{group}{number}" for group, numbers in NUMBERS.items() for number in numbers]

OF_ANOTHER_LAYER = {
    "E11": "artifacts of two apps under one root: it comes with artifacts_app; of sessions E1 says it",
    "S23": "a switch of ADK's in-memory service, which no server has",
}

TESTS = Path(__file__).parents[2]
_NAME = re.compile(r"def test_((?:[a-gs][0-9]+_)+)")


def named_cases() -> set[str]:
    names = set()
    for file in TESTS.rglob("test_*.py"):
        for prefix in _NAME.findall(file.read_text()):
            names |= {case.upper() for case in prefix.split("_") if case}
    return names


def test_every_known_failure_has_a_test_that_names_it() -> None:
    assert set(CASES) - named_cases() - OF_ANOTHER_LAYER.keys() == set()
