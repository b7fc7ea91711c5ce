"""At the second it expires a memory is gone from every answer; the sweep takes its words away later."""

import io
import json
import time

import pytest
from django.core.management import call_command

from memory_app.models import Memory, Posting
from memory_app.services import erasing
from memory_app.services.erasing import count_expired, sweep_expired
from tests.memory_app.person import Person, ago
from tests.memory_app.stored import rows_holding, statistics

pytestmark = pytest.mark.django_db

SECRET = "I am allergic to peanuts."


def expire(text: str, moment: float) -> None:
    """As if the clock had moved on; the index repeats the moment, as the ingestion writes it."""
    rows = Memory.objects.filter(text=text)
    Posting.objects.filter(memory__in=rows).update(live_until=moment)
    rows.update(expires_at=moment)


@pytest.mark.parametrize("offset", [-1.0, 0.0])
def test_i13_at_that_second_it_is_gone_from_every_answer(
    ana: Person, offset: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Users saw: expired items were served until a sweep ran, or for ever."""
    ana.tell("s1", SECRET, "What a day")
    memory = ana.named(SECRET, "FACT")
    now = time.time() + 100
    expire(SECRET, now + offset)
    assert ana.found("peanuts")[0] == SECRET
    monkeypatch.setattr(time, "time", lambda: now)
    assert SECRET not in ana.found("peanuts") and SECRET not in ana.texts() and SECRET not in ana.texts(status="any")
    assert ana.found("peanuts") == []
    assert ana.api.get(f"{ana.path}/memories/{memory['id']}").status == 404
    assert ana.api.get(f"{ana.path}/memories/{memory['id']}/history").status == 404
    monkeypatch.setattr(time, "time", lambda: now + offset - 0.001)
    assert ana.found("peanuts")[0] == SECRET


def test_i13_the_sweep_takes_words_terms_postings_and_statistics(ana: Person) -> None:
    ana.tell("s0", "What a day")
    before = statistics()
    ana.tell("s1", SECRET)
    expire(SECRET, time.time() - 1)
    assert count_expired() == 2 and rows_holding("peanuts")
    assert sweep_expired() == 2 and count_expired() == 0 and sweep_expired() == 0
    assert rows_holding("peanuts") == [] and rows_holding("allerg") == []
    assert statistics() == before
    assert set(Memory.objects.filter(status="expired").values_list("text", "content", "terms")) == {("", "", "{}")}


def test_the_sweep_takes_superseded_statements_too(ana: Person) -> None:
    ana.tell("s1", "I live in Porto.", timestamp=ago(2))
    ana.tell("s2", "I live in Gdansk.")
    Memory.objects.filter(status="superseded").update(expires_at=time.time() - 1)
    assert sweep_expired() == 2
    assert rows_holding("Porto") == [] and ana.found("Gdansk") == ["I live in Gdansk."]


def test_the_sweep_goes_through_all_scopes_in_portions(
    ana: Person, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "_PORTION", 3)
    for person in (ana, bo):
        for number in range(8):
            person.add(f"tea {number}")
    Memory.objects.update(expires_at=time.time() - 1)
    assert sweep_expired() == 16
    assert statistics() == {"scopes": [], "terms": [], "postings": []}


def test_what_has_expired_may_be_said_again(ana: Person) -> None:
    ana.tell("s1", SECRET)
    expire(SECRET, time.time() - 1)
    ana.tell("s2", SECRET)
    assert ana.texts() == [SECRET] * 2 and ana.found("peanuts")[0] == SECRET
    assert sweep_expired() == 1
    assert ana.texts() == [SECRET] * 2 and ana.found("peanuts")[0] == SECRET


def test_kinds_expire_by_their_policy(ana: Person) -> None:
    day = 86_400
    ana.tell("s1", SECRET, "From now on use Fahrenheit")
    ages = {item["kind"]: round((item["expiresAt"] - item["validFrom"]) / day) for item in ana.memories()}
    assert ages == {"FACT": 30, "EXCERPT": 90, "PREFERENCE": 90}


def test_the_command_counts_and_sweeps(ana: Person) -> None:
    ana.add("tea")
    Memory.objects.update(expires_at=time.time() - 1)
    for arguments, expected in ((["--dry-run"], (1, 0)), ([], (1, 1)), ([], (0, 0))):
        out = io.StringIO()
        call_command("sweep_expired", "--format", "json", *arguments, stdout=out)
        report = json.loads(out.getvalue())
        assert (report["expired"], report["erased"]) == expected
