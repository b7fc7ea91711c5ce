"""kill -9 in the middle of appends: what was answered is there, nothing is doubled, the state is the fold."""

import http.client
import json
import threading
import uuid
from typing import Any

from tests.live import LiveServer

WRITERS = 8
ROUNDS = 2
SESSIONS = "/apps/demo/users/ana/sessions"


def test_a_killed_server_has_everything_it_answered_once_and_in_a_row(own_server: LiveServer) -> None:
    server = own_server
    sessions = ["s0", "s1"]
    for session in sessions:
        assert server.request("PUT", f"{SESSIONS}/{session}", {"state": {"given": 1}})[0] == 200
    answered: dict[str, dict[str, int]] = {session: {} for session in sessions}
    unanswered: list[tuple[str, dict[str, Any]]] = []

    for _ in range(ROUNDS):
        writers = [_Writer(server, sessions[place % 2], answered, unanswered) for place in range(WRITERS)]
        server.wait_for(lambda writers=writers: sum(writer.count for writer in writers) > 60)
        server.kill()
        for writer in writers:
            writer.join()
        server.start()
        for session in sessions:
            _check(server, session, answered[session])

    assert unanswered, "no append was in flight when the server was killed"
    # A client that repeats what was not answered neither doubles nor loses it.
    for session, event in unanswered:
        status, _, body = server.request("POST", f"{SESSIONS}/{session}/events", {"event": event})
        assert status == 200
        answered[session][event["id"]] = json.loads(body)["seq"]
    for session in sessions:
        log = _check(server, session, answered[session])
        assert {event["id"] for event in log} == answered[session].keys()


class _Writer:
    """Appends over one connection until the server is gone, each event with a state key of its own."""

    def __init__(
        self,
        server: LiveServer,
        session: str,
        answered: dict[str, dict[str, int]],
        unanswered: list[tuple[str, dict[str, Any]]],
    ) -> None:
        self.count = 0
        self._answered, self._unanswered = answered[session], unanswered
        self._session = session
        self._target = f"{SESSIONS}/{session}/events"
        self._headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            name = uuid.uuid4().hex
            delta = {f"k-{name}": self.count, "last": name, "user:last": name, "app:last": name}
            event = {"id": name, "author": "agent", "invocationId": "i", "actions": {"stateDelta": delta}}
            try:
                self._connection.request("POST", self._target, json.dumps({"event": event}), self._headers)
                response = self._connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException):
                self._unanswered.append((self._session, event))
                return
            assert response.status == 200, body
            self._answered[name] = json.loads(body)["seq"]
            self.count += 1


def _check(server: LiveServer, session: str, answered: dict[str, int]) -> list[dict[str, Any]]:
    status, _, body = server.request("GET", f"{SESSIONS}/{session}")
    assert status == 200
    stored = json.loads(body)
    log = _log(server, session)
    seqs = {event["id"]: event["seq"] for event in log}

    assert len(seqs) == len(log)
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    assert answered.items() <= seqs.items()
    assert (stored["lastSeq"], stored["revision"]) == (len(log), len(log))
    expected: dict[str, Any] = {"given": 1}
    for event in log:
        expected |= event["actions"]["stateDelta"]
    state = stored["state"]
    shared = {name: state.pop(name) for name in ("user:last", "app:last")}
    assert state == {name: value for name, value in expected.items() if name not in shared}
    return log


def _log(server: LiveServer, session: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        _, _, body = server.request("GET", f"{SESSIONS}/{session}/events?limit=1000&afterSeq={after}")
        page = json.loads(body)
        events += page["events"]
        after = page.get("next")
    return events
