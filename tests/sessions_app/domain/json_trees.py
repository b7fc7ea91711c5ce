"""JSON as hypothesis makes it."""

import json

from hypothesis import strategies as st

# Any text that JSON can carry; two halves that stand side by side are one character there.
anything = st.text(st.characters(exclude_categories=()), max_size=8).map(lambda text: json.loads(json.dumps(text)))
number_texts = st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
leaves = st.none() | st.booleans() | anything | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(anything, inner, max_size=4), max_leaves=20
)
