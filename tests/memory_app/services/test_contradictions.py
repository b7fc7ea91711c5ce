"""Of statements that contradict each other the later one holds, and the others stay as history."""

import pytest

from memory_app.models import Memory
from memory_app.services.rebuilding import rebuild_scope_index, scopes_to_rebuild
from tests.memory_app.person import Person, ago
from tests.memory_app.stored import statistics

pytestmark = pytest.mark.django_db


def test_i5_the_later_statement_holds_and_a_late_older_one_does_not_beat_it(ana: Person) -> None:
    """Users saw: "name is A" and "name is B" come back together with like scores."""
    ana.tell("january", "I live in Porto.", timestamp=ago(20))
    ana.tell("march", "I live in Gdansk.", timestamp=ago(5))
    assert ana.found("Where do I live?") == ["I live in Gdansk."]
    late = ana.tell("february", "I live in Turku.", timestamp=ago(10))
    assert late["late"] == 1
    assert ana.found("Where do I live?") == ["I live in Gdansk."]
    assert ana.found("Turku") == [] and ana.found("Porto") == []

    now = ana.named("I live in Gdansk.", "FACT")
    history = ana.ok(ana.api.get(f"{ana.path}/memories/{now['id']}/history"))["memories"]
    assert [item["content"]["parts"][0]["text"] for item in history] == [
        "I live in Gdansk.",
        "I live in Turku.",
        "I live in Porto.",
    ]
    assert [item["status"] for item in history] == ["active", "superseded", "superseded"]
    assert [item.get("supersededBy") for item in history] == [None, now["id"], now["id"]]


def test_i15_history_says_when_and_by_whom(ana: Person) -> None:
    """Users saw: nobody can prove when something was replaced or deleted, and by whom."""
    ana.tell("s1", "I live in Porto.", timestamp=ago(20))
    ana.tell("s2", "I live in Gdansk.", timestamp=ago(5))
    now = ana.named("I live in Gdansk.", "FACT")
    current, old = ana.ok(ana.api.get(f"{ana.path}/memories/{now['id']}/history"))["memories"]
    assert "endedAt" not in current and old["endedAt"] >= old["recordedAt"]
    assert current["recordedBy"].startswith("key:") and old["validFrom"] < current["validFrom"]
    ana.forget_one(now)
    [*_, tombstone] = ana.tombstones()
    assert tombstone["createdAt"] and tombstone["createdBy"].startswith("key:") and tombstone["reason"] == "asked"
    assert "Gdansk" not in ana.api.get(f"{ana.path}/tombstones").text
    ana.lift(tombstone["id"])
    lifted = {item["id"]: item for item in ana.tombstones()}[tombstone["id"]]
    assert lifted["liftedAt"] >= lifted["createdAt"] and lifted["liftReason"] == "a mistake"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_in_whatever_order_they_arrive_the_outcome_is_the_same(ana: Person, order: tuple[int, ...]) -> None:
    statements = [("I live in Porto.", ago(20)), ("I live in Turku.", ago(10)), ("I live in Gdansk.", ago(5))]
    for number in order:
        text, moment = statements[number]
        ana.tell(f"s{number}", text, timestamp=moment)
    assert ana.texts() == ["I live in Gdansk."] * 2
    assert ana.texts(status="superseded") == ["I live in Porto."] * 2 + ["I live in Turku."] * 2


def test_in_one_session_too(ana: Person) -> None:
    """Both are ingested at once, so the excerpt of the first is not there yet when the second comes."""
    ana.tell("s1", "I live in Porto.", "I live in Gdansk.")
    assert ana.found("Porto") == []
    assert ana.texts() == ["I live in Gdansk."] * 2


def test_the_excerpt_that_says_more_stays(ana: Person) -> None:
    ana.tell("s1", "I live in Porto. My dog is called Rex.", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.")
    assert "I live in Porto. My dog is called Rex." in ana.found("Rex")
    assert ana.texts(kind="FACT").count("I live in Porto.") == 0


def test_a_correction_retires_nothing_unrelated(ana: Person) -> None:
    others = ["My dog is called Rex.", "My name is Ana.", "I work as a nurse.", "I am allergic to peanuts."]
    ana.tell("s1", "I live in Porto.", *others, timestamp=ago(3))
    before = [item["id"] for item in ana.memories() if "Porto" not in str(item)]
    ana.tell("s2", "I live in Gdansk.")
    now = [item["id"] for item in ana.memories() if "Gdansk" not in str(item)]
    assert now == before


def test_languages_share_a_key(ana: Person) -> None:
    ana.tell("s1", "以后请用摄氏度报告天气", timestamp=ago(3))
    ana.tell("s2", "From now on use Fahrenheit")
    assert ana.texts(kind="PREFERENCE") == ["From now on use Fahrenheit"]
    assert ana.texts(kind="PREFERENCE", status="superseded") == ["以后请用摄氏度报告天气"]
    assert ana.found("摄氏度") == []


def test_saying_it_again_keeps_it_longer_and_makes_no_second_entry(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(20))
    before = ana.named("I live in Porto.", "FACT")
    ana.tell("s2", "I live in Porto.", timestamp=ago(1))
    after = ana.named("I live in Porto.", "FACT")
    assert after["id"] == before["id"] and after["expiresAt"] > before["expiresAt"] + 18 * 86_400
    # And a statement from between the two is older than what holds.
    ana.tell("s3", "I live in Gdansk.", timestamp=ago(10))
    assert ana.texts(kind="FACT") == ["I live in Porto."]


def test_direct_writes_contradict_by_their_key(ana: Person) -> None:
    ana.add("Size 41", key="shoe", timestamp=ago(2))
    ana.add("Size 42", key="shoe")
    ana.add("Size 40", key="shoe", timestamp=ago(3))
    ana.add("Size 43", key="shoe", kind="PREFERENCE")
    assert ana.texts(key="shoe") == ["Size 42", "Size 43"]
    assert ana.texts(key="shoe", status="superseded") == ["Size 40", "Size 41"]
    # The database itself holds one active row per key.
    assert Memory.objects.filter(status="active", kind="FACT", key="shoe").count() == 1


def test_rebuilding_the_index_changes_no_result(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", "天气很好 and Größe", "I like tea", timestamp=ago(3))
    ana.tell("s2", "I live in Gdansk.", "From now on use Fahrenheit")
    ana.forget(query="tea")
    queries = ["where do I live", "天气", "größe", "Fahrenheit", "tea", "Porto"]
    before = [ana.search(query, explain=True) for query in queries]
    numbers = statistics()
    assert sum(rebuild_scope_index(scope) for scope in scopes_to_rebuild(ana.project)) == len(ana.memories())
    assert statistics() == numbers
    assert [ana.search(query, explain=True) for query in queries] == before
