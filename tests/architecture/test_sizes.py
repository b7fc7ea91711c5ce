import ast

import pytest

from devtools.paths import ROOT
from tests.architecture.tracked_files import python_files

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
NAMES_FOR_ANYTHING = {"utils.py", "util.py", "helpers.py", "common.py", "misc.py"}
FILES = [str(path.relative_to(ROOT)) for path in python_files()]


@pytest.mark.parametrize("name", FILES)
def test_no_file_takes_everything(name):
    lines = (ROOT / name).read_text().count("\n")
    assert lines <= MOST_FILE_LINES, f"{name} has {lines} lines: split it by noun"


@pytest.mark.parametrize("name", FILES)
def test_no_function_is_longer_than_a_page(name):
    tree = ast.parse((ROOT / name).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [f"{node.name}: {_length(node)}" for node in functions if _length(node) > MOST_FUNCTION_LINES]
    assert long == []


def test_no_file_is_named_for_anything_at_all():
    assert [name for name in FILES if name.rpartition("/")[2] in NAMES_FOR_ANYTHING] == []


def _length(node):
    return node.end_lineno - node.lineno + 1
