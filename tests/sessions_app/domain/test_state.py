"""Scopes and folds: D2, D3 (as design.md has it: null is a value), D5 and section 2.4."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_project.shared.errors import Damaged
from sessions_app.domain.json_text import dump_json, parse_json
from sessions_app.domain.state import (
    FoldedValue,
    LogRecord,
    ScopedDelta,
    ScopedKeys,
    SharedChange,
    decode_key,
    encode_key,
    fold,
    fold_shared,
    key_digest,
    merge_state_text,
    read_record,
    split_delta,
    split_key,
    split_keys,
)

# Any text that JSON can carry; two halves that stand side by side are one character there.
any_text = st.text(st.characters(exclude_categories=()), max_size=6).map(lambda text: json.loads(json.dumps(text)))
keys = st.builds(str.__add__, st.sampled_from(["", "app:", "user:", "temp:", "APP:", "app:user:"]), any_text)
values = st.none() | st.integers() | any_text | st.dictionaries(any_text, st.none() | st.integers(), max_size=2)
deltas = st.dictionaries(keys, values, max_size=5)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("k", ("session", "k")),
        ("", ("session", "")),
        ("app:k", ("app", "k")),
        ("user:k", ("user", "k")),
        ("temp:k", ("temp", "k")),
        ("app:", ("app", "")),
        ("user:", ("user", "")),
        ("temp:", ("temp", "")),
        ("app:user:x", ("app", "user:x")),
        ("user:temp:y", ("user", "temp:y")),
        ("APP:z", ("session", "APP:z")),
        (" app:k", ("session", " app:k")),
        ("app", ("session", "app")),
        ("application:k", ("session", "application:k")),
        ("app:a\u0000b", ("app", "a\u0000b")),
    ],
)
def test_only_the_first_prefix_counts_and_case_matters(key: str, expected: tuple[str, str]) -> None:
    assert split_key(key) == expected


def test_a_delta_is_split_by_scope_and_keeps_its_texts() -> None:
    delta = parse_json('{"a":1.00,"app:b":[1e308,-0.0],"user:c":null,"temp:d":"secret","app:user:e":{"x":null}}')
    assert isinstance(delta, dict)
    assert split_delta(delta) == ScopedDelta(
        {"a": "1.00"}, {"c": "null"}, {"b": "[1e308,-0.0]", "user:e": '{"x":null}'}
    )


def test_d2_temporary_values_are_in_no_scope() -> None:
    assert not split_delta({"temp:token": "abc", "temp:": 1})
    assert split_keys(["temp:token"]) == ScopedKeys()
    assert "abc" not in repr(split_delta({"temp:token": "abc", "k": "v"}))


def test_keys_are_split_by_scope() -> None:
    assert split_keys(["a", "app:b", "user:c", "temp:d", "app:"]) == ScopedKeys(("a",), ("c",), ("b", ""))


@given(keys)
def test_a_key_is_stored_as_ascii_and_comes_back(key: str) -> None:
    text = encode_key(key)
    assert text.isascii()
    assert "\x00" not in text
    assert decode_key(text) == key
    assert len(key_digest(key)) == 32


@given(keys, keys)
def test_key_digests_are_equal_only_for_equal_keys(one: str, other: str) -> None:
    assert (key_digest(one) == key_digest(other)) == (one == other)


def record(seq: int, kind: str = "conversation", removed: tuple[str, ...] = (), **delta: str) -> LogRecord:
    return LogRecord(seq, kind, delta, removed)


def test_a_fold_replaces_whole_values_and_notes_who_set_them() -> None:
    folded = fold([record(0, "genesis", region='"north"', d='{"a":1}'), record(1, draft="1"), record(2, d='{"b":2}')])
    assert folded == {
        "region": FoldedValue('"north"', 0),
        "d": FoldedValue('{"b":2}', 2),
        "draft": FoldedValue("1", 1),
    }


def test_d3_null_is_a_value() -> None:
    assert fold([record(1, a="1"), record(2, a="null")]) == {"a": FoldedValue("null", 2)}


def test_d3_a_state_event_removes_keys_and_they_can_be_set_again() -> None:
    records = [
        record(1, a="1", b="2"),
        record(2, "state", ("a", "unknown"), a="null", unknown="null"),
        record(3, b="3"),
    ]
    assert fold(records) == {"b": FoldedValue("3", 3)}
    assert fold([*records, record(4, a="5")]) == {"b": FoldedValue("3", 3), "a": FoldedValue("5", 4)}


@pytest.mark.parametrize("kind", ["genesis", "conversation", "compaction", "rewind"])
def test_only_a_state_event_can_remove_a_key(kind: str) -> None:
    assert fold([record(1, a="1"), record(2, kind, ("a",), b="1")]) == {
        "a": FoldedValue("1", 1),
        "b": FoldedValue("1", 2),
    }


def test_d5_the_state_given_at_creation_is_the_first_record() -> None:
    genesis = read_record(0, "genesis", '{"actions":{"stateDelta":{"region":"north","app:x":1}}}')
    assert fold([genesis]) == {"region": FoldedValue('"north"', 0)}


def test_a_fold_refuses_records_out_of_order() -> None:
    for seqs in ((2, 1), (1, 1)):
        with pytest.raises(ValueError, match="order"):
            fold([record(seq) for seq in seqs])
        with pytest.raises(ValueError, match="order"):
            fold_shared([SharedChange(seq, "k", "1") for seq in seqs])


def test_a_fold_does_not_change_its_start() -> None:
    start = {"a": FoldedValue("1", 1)}
    assert fold([record(2, "state", ("a",))], start=start) == {}
    assert start == {"a": FoldedValue("1", 1)}


def test_a_record_is_read_from_a_stored_body() -> None:
    body = '{"actions":{"stateDelta":{"a":1.0,"user:b":2,"temp:c":3,"gone":null}},"removedKeys":["gone","app:x",7]}'
    assert read_record(4, "state", body) == LogRecord(4, "state", {"a": "1.0", "gone": "null"}, ("gone",))
    assert read_record(4, "conversation", body) == LogRecord(4, "conversation", {"a": "1.0", "gone": "null"}, ())


@pytest.mark.parametrize(
    "body", ["{}", '{"actions":null}', '{"actions":{}}', '{"actions":{"stateDelta":null}}', "[]", '{"removedKeys":"a"}']
)
def test_a_body_without_a_delta_changes_nothing(body: str) -> None:
    assert fold([record(1, a="1"), read_record(2, "state", body)]) == {"a": FoldedValue("1", 1)}


def test_a_body_that_cannot_be_read_is_damage() -> None:
    with pytest.raises(Damaged):
        read_record(1, "conversation", '{"actions":')


log = st.lists(
    st.tuples(st.sampled_from(["conversation", "state", "rewind"]), deltas, st.lists(keys, max_size=2)), max_size=8
)


def bodies(entries: list) -> list[LogRecord]:
    return [
        read_record(seq, kind, json.dumps({"actions": {"stateDelta": delta}, "removedKeys": removed}))
        for seq, (kind, delta, removed) in enumerate(entries)
    ]


@given(log)
def test_a_fold_is_what_a_dictionary_would_hold(entries: list) -> None:
    expected: dict[str, object] = {}
    for kind, delta, removed in entries:
        expected |= {key: value for key, value in delta.items() if not key.startswith(("app:", "user:", "temp:"))}
        for key in removed if kind == "state" else ():
            expected.pop(key, None)
    assert {key: json.loads(value.value_text) for key, value in fold(bodies(entries)).items()} == expected


@given(log, st.integers(0, 8))
def test_a_fold_can_stop_and_go_on(entries: list, cut: int) -> None:
    """So that a checkpoint and the window behind it make the same state as the whole log."""
    records = bodies(entries)
    assert fold(records[cut:], start=fold(records[:cut])) == fold(records)


@given(log)
def test_the_delta_of_a_whole_state_is_that_state(entries: list) -> None:
    state = fold(bodies(entries))
    checkpoint = LogRecord(99, "compaction", {key: value.value_text for key, value in state.items()})
    assert {key: item.value_text for key, item in fold([checkpoint]).items()} == {
        key: item.value_text for key, item in state.items()
    }


def test_shared_state_folds_from_its_changes_alone() -> None:
    changes = [
        SharedChange(3, "a", "1"),
        SharedChange(5, "b", "null"),
        SharedChange(6, "a", None),
        SharedChange(9, "b", "2"),
        SharedChange(10, "x", None),
    ]
    assert fold_shared(changes[:2]) == {"a": FoldedValue("1", 3), "b": FoldedValue("null", 5)}
    assert fold_shared(changes) == {"b": FoldedValue("2", 9)}


def stored(items: dict[str, str]) -> list[tuple[str, str]]:
    return [(encode_key(key), value) for key, value in items.items()]


def test_the_merged_state_has_the_keys_in_order_and_the_texts_as_they_are() -> None:
    text = merge_state_text(
        [('"k"', "1.00"), ('""', "null")], [('"lang"', '"fr"')], [('"flag"', "1e308"), ('""', "[]")]
    )
    assert text == '{"k":1.00,"":null,"app:flag":1e308,"app:":[],"user:lang":"fr"}'
    assert merge_state_text([], [], []) == "{}"


@given(deltas)
def test_a_split_delta_merges_to_the_same_state(delta: dict) -> None:
    scoped = split_delta(delta)
    merged = merge_state_text(stored(scoped.session), stored(scoped.user), stored(scoped.app))
    expected = {key: value for key, value in delta.items() if not key.startswith("temp:")}
    assert json.loads(merged) == expected
    assert split_delta(parse_json(merged)) == scoped  # type: ignore[arg-type]
    assert dump_json(parse_json(merged)) == merged
