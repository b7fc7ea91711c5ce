"""On SQLite the file itself must not hold what was forgotten: deleted pages keep their bytes unless told otherwise."""

from pathlib import Path

import pytest
from django.db import connection

from tests.memory_app.person import Person

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's files are vacuumed by PostgreSQL"),
]

SECRET = "zanzibarpeanuts"


def files_hold(text: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    name = connection.settings_dict["NAME"]
    files = [Path(f"{name}{suffix}") for suffix in ("", "-wal")]
    return any(text.encode() in file.read_bytes() for file in files if file.exists())


def test_what_was_added_and_forgotten_is_in_no_page(ana: Person) -> None:
    for number in range(30):
        ana.add(f"{SECRET} is word number {number} of {'many ' * 200}")
    assert files_hold(SECRET)
    ana.forget(query=SECRET)
    ana.forget(all=True)
    assert not files_hold(SECRET)


def test_an_erased_user_is_in_no_page(ana: Person) -> None:
    ana.tell("s1", f"My secret is {SECRET}", *[f"{SECRET} {number} {'x' * 3000}" for number in range(20)])
    ana.say("s2", SECRET)
    ana.request("s2")
    assert files_hold(SECRET)
    ana.erase()
    assert not files_hold(SECRET)
