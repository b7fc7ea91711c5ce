"""What holds for every search, whatever is stored: order of rows, sums of parts, adding and deleting."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_app.domain.entries import EXCERPT, FACT, PREFERENCE, Entry
from memory_app.domain.tokens import IndexedTerms
from tests.memory_app.domain.entries import make_entry, make_index

words = st.sampled_from(
    ["tea", "blue", "tea blue", "天气", "天气如何？", "yesterday tea", "green?", "nothing", "blue blue"]
)
rows_of_one_scope = st.lists(
    st.tuples(
        words,
        st.sampled_from([EXCERPT, EXCERPT, EXCERPT, FACT, PREFERENCE]),
        st.sampled_from(["s1", "s2"]),
        st.integers(1, 8),
        st.sampled_from([0.0, 1.0, 2.0]),
        st.sampled_from(["active", "active", "active", "superseded"]),
        st.sampled_from([None, None, 5.0]),
    ),
    max_size=14,
)
queries = st.sampled_from(["tea", "tea blue", "天气", "when was the tea", "nothing blue 天", ""])


def build(rows: list[tuple[str, str, str, int, float, str, float | None]]) -> list[tuple[Entry, IndexedTerms]]:
    made, taken = [], set()
    for number, (text, kind, session, seq, time, status, expires_at) in enumerate(rows):
        # One excerpt to a place, as the database holds it.
        if kind == EXCERPT and (session, seq) in taken:
            continue
        taken.add((session, seq) if kind == EXCERPT else number)
        entry_id = f"e{number:02}"
        made.append(
            make_entry(
                entry_id, text, kind=kind, session=session, seq=seq, time=time, status=status, expires_at=expires_at
            )
        )
    return made


@given(rows_of_one_scope, queries, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_changes_nothing(rows, query, random) -> None:  # type: ignore[no-untyped-def]
    made = build(rows)
    shuffled = made[:]
    random.shuffle(shuffled)
    assert make_index(*made).search(query, 8, now=3.0) == make_index(*shuffled).search(query, 8, now=3.0)


@given(rows_of_one_scope, queries, st.sampled_from([1, 3, 20]))
@settings(deadline=None)
def test_the_parts_of_every_hit_add_up_to_its_score(rows, query, limit) -> None:  # type: ignore[no-untyped-def]
    ranking = make_index(*build(rows)).search(query, limit, now=3.0)
    assert len(ranking.hits) <= limit
    for hit in ranking.hits:
        assert hit.points == sum(part.points for part in hit.parts) > 0
        assert round(sum(part.score for part in hit.parts), 6) == round(hit.score, 6)
    assert [hit.points for hit in ranking.hits] == sorted((hit.points for hit in ranking.hits), reverse=True)
    ids = [hit.entry_id for hit in ranking.hits] + [miss.entry_id for miss in ranking.near_misses]
    assert len(ids) == len(set(ids))


@given(rows_of_one_scope, rows_of_one_scope, queries)
@settings(deadline=None)
def test_adding_and_deleting_leaves_everything_as_before(rows, more, query) -> None:  # type: ignore[no-untyped-def]
    before = make_index(*build(rows))
    after = make_index(*build(rows))
    for number, (entry, indexed) in enumerate(build(more)):
        extra = Entry(f"x{number}", entry.kind, entry.time, indexed.length, f"x{number}")
        after.add(extra, indexed)
    for entry_id in [entry_id for entry_id in after.entries if entry_id.startswith("x")]:
        after.delete(entry_id)
    assert (after.entries, after.postings, after.total_length) == (before.entries, before.postings, before.total_length)
    assert after.search(query, 8) == before.search(query, 8)
