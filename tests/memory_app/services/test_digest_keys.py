"""A rotated digest key still blocks, a missing one is refused, and a restart changes nothing."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from memory_app.domain.digests import DigestKey
from memory_app.domain.errors import UnknownDigestKey
from memory_app.models import Tombstone
from memory_app.services.digest_keys import checked_keys, refuse_to_start
from tests.live import LiveServer
from tests.memory_app.person import Person
from tests.memory_app.stored import rows_holding

SECRET = "I am allergic to peanuts."
MISSING = "an older key that nobody kept"


@pytest.fixture
def forgotten(ana: Person) -> Person:
    ana.tell("s1", SECRET)
    ana.forget(query="peanuts")
    return ana


@pytest.mark.django_db
def test_a_rotated_key_still_blocks(forgotten: Person, settings: Settings) -> None:
    settings.THREEFOLD_OLD_DIGEST_KEYS = (settings.THREEFOLD_DIGEST_KEY,)
    settings.THREEFOLD_DIGEST_KEY = "a new key of which the tombstones know nothing"
    forgotten.tell("s2", SECRET, "Hello")
    assert forgotten.add(SECRET)["memories"] == []
    assert forgotten.texts() == ["Hello"]
    # What is forgotten now is marked with the new key, and both block.
    forgotten.forget(query="Hello")
    assert Tombstone.objects.values("digest_key_id").distinct().count() == 2
    forgotten.tell("s3", SECRET, "Hello")
    assert forgotten.texts() == []
    assert rows_holding("peanuts") == []


@pytest.mark.django_db
def test_a_key_that_is_kept_as_an_old_one_lets_it_start(ana: Person, settings: Settings) -> None:
    ana.forget(sessionId="never", reason="x")
    settings.THREEFOLD_OLD_DIGEST_KEYS = (settings.THREEFOLD_DIGEST_KEY,)
    settings.THREEFOLD_DIGEST_KEY = "another new key"
    refuse_to_start()


@pytest.mark.django_db
def test_a_row_that_names_an_unknown_key_is_refused_at_the_start(
    forgotten: Person, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = DigestKey.of(settings.THREEFOLD_DIGEST_KEY).id
    settings.THREEFOLD_DIGEST_KEY = "a new key, and the old one is not kept"
    with pytest.raises(SystemExit):
        refuse_to_start()
    assert lost in capsys.readouterr().err
    with pytest.raises((SystemCheckError, CommandError), match=lost):
        call_command("check", "--database", "default", stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.django_db
def test_with_an_unknown_key_nothing_is_written(forgotten: Person, settings: Settings) -> None:
    """A process that was started all the same would not see what is forgotten, so it takes nothing in."""
    settings.THREEFOLD_DIGEST_KEY = "yet another key, and the old one is not kept"
    body = {"memories": [{"content": {"parts": [{"text": SECRET}]}}]}
    answer = forgotten.api.post(f"{forgotten.path}/memories", body)
    assert (answer.status, answer.code) == (503, "unknown_digest_key")
    assert "yet another" not in answer.text
    forgotten.say("s2", SECRET)
    forgotten.request("s2")
    with pytest.raises(UnknownDigestKey):
        checked_keys()
    assert rows_holding("peanuts", "memory_app") == []


@pytest.mark.django_db
def test_a_database_without_rows_starts_with_any_key(settings: Settings) -> None:
    settings.THREEFOLD_DIGEST_KEY = "the first key"
    refuse_to_start()


def test_a_restarted_server_has_forgotten_too(own_server: LiveServer, tmp_path: Path) -> None:
    """A new process on the same database; then one with a key that the rows do not know, which does not start."""
    user = "/apps/demo/users/ana"

    def post(path: str, body: object) -> bytes:
        status, _, answer = own_server.request("POST", user + path, body)
        assert status == 200, answer
        return answer

    post("/sessions", {"sessionId": "s1", "events": [{"author": "user", "content": {"parts": [{"text": SECRET}]}}]})
    post("/sessions/s1/ingest?wait=true", {})
    assert b"peanuts" in post("/memories:search", {"query": "peanuts"})
    post("/memories:forget", {"query": "peanuts", "reason": "asked"})
    own_server.restart()
    post("/sessions/s1/ingest?wait=true", {})
    assert b'"memories":[]' in post("/memories", {"memories": [{"content": {"parts": [{"text": SECRET}]}}]})
    assert b"peanuts" not in post("/memories:search", {"query": "peanuts", "explain": True})

    own_server.kill()
    own_server.environment["THREEFOLD_DIGEST_KEY"] = "k" * 50
    own_server.start(wait=False)
    assert own_server.process is not None and own_server.process.wait(60) != 0
    assert "threefold:" in own_server.log and "the key with the id" in own_server.log
