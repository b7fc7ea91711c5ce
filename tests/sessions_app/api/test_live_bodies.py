"""Bodies as they come over a real connection: chunked, lying about their length, cut off, too large."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import LiveServer

MIB = 1024 * 1024
LIMIT = 32 * MIB


@pytest.fixture
def session(live: LiveServer, app: str) -> str:
    path = f"/apps/{app}/users/ana/sessions/s1"
    assert live.request("PUT", path, {})[0] == 200
    return path


@pytest.fixture(autouse=True)
def no_crash(live: LiveServer) -> Iterator[None]:
    before = len(live.log)
    yield
    assert "Traceback" not in live.log[before:]


def raw(live: LiveServer, head: str, body: bytes) -> bytes:
    """What the server sends back for these bytes, up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", live.port), timeout=30) as connection:
        headers = f"Host: 127.0.0.1\r\nAuthorization: Bearer {live.key}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}\r\n{headers}Connection: close\r\n\r\n".replace("\n\r\n\r", "\n\r").encode())
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(body)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
        return received


def answer(received: bytes) -> tuple[int, Any]:
    head, _, body = received.partition(b"\r\n\r\n")
    with contextlib.suppress(ValueError):
        return int(head.split()[1]), json.loads(body)
    return int(head.split()[1]), None


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def last_seq(live: LiveServer, session: str) -> int:
    return json.loads(live.request("GET", session)[2])["lastSeq"]


def test_a_chunked_body_is_read_whole(live: LiveServer, session: str) -> None:
    event = json.dumps({"event": {"id": "e", "author": "x" * 200}}).encode()
    body = chunked(*(event[start : start + 7] for start in range(0, len(event), 7)))
    status, stored = answer(raw(live, f"POST {session}/events HTTP/1.1\r\nTransfer-Encoding: chunked", body))
    assert (status, stored["event"]["author"]) == (200, "x" * 200)


def test_a_chunked_body_over_the_limit_is_refused(live: LiveServer, session: str) -> None:
    body = chunked(b'{"event": {"x": "', *[b"x" * MIB] * 33, b'"}}')
    status, problem = answer(raw(live, f"POST {session}/events HTTP/1.1\r\nTransfer-Encoding: chunked", body))
    assert (status, problem["code"], problem["limit"]) == (413, "payload_too_large", LIMIT)
    assert last_seq(live, session) == 0


def test_a_body_that_says_it_is_over_the_limit_is_refused(live: LiveServer, session: str) -> None:
    """Whether it comes or not: the client reads the answer, and not a closed connection."""
    head = f"POST {session}/events HTTP/1.1\r\nContent-Length: {LIMIT + 1}"
    for body in (b"", b" " * (LIMIT + 1)):
        status, problem = answer(raw(live, head, body))
        assert (status, problem["code"], problem["limit"]) == (413, "payload_too_large", LIMIT)
        assert str(LIMIT) in problem["detail"]


@pytest.mark.parametrize("length", ["0", "5", "1000"])
def test_a_length_that_lies_is_no_event(length: str, live: LiveServer, session: str) -> None:
    body = b'{"event": {"id": "e"}}'
    status, problem = answer(raw(live, f"POST {session}/events HTTP/1.1\r\nContent-Length: {length}", body))
    assert (status, problem["code"]) == (400, "invalid_request")
    assert last_seq(live, session) == 0


@pytest.mark.parametrize("body", [b'5\r\n{"eve', b"zz\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n0\r\n\r\n", b""])
def test_a_broken_chunk_is_no_event_and_no_crash(body: bytes, live: LiveServer, session: str) -> None:
    received = raw(live, f"POST {session}/events HTTP/1.1\r\nTransfer-Encoding: chunked", body)
    assert not received or 400 <= answer(received)[0] < 500, received[:300]
    assert last_seq(live, session) == 0


@pytest.mark.parametrize("length", ["-1", "abc", "1, 2", "0x10", "9" * 30])
def test_a_length_that_is_no_number_is_refused(length: str, live: LiveServer, session: str) -> None:
    received = raw(live, f"POST {session}/events HTTP/1.1\r\nContent-Length: {length}", b"{}")
    assert 400 <= answer(received)[0] < 500
    assert last_seq(live, session) == 0


def test_an_event_that_is_too_large_is_told_apart_from_a_body_that_is(live: LiveServer, session: str) -> None:
    event = {"content": {"parts": [{"text": "x" * (17 * MIB)}]}}
    status, _, text = live.request("POST", f"{session}/events", {"event": event})
    problem = json.loads(text)
    assert (status, problem["code"], problem["limit"]) == (413, "event_too_large", 16 * MIB)
    status, _, text = live.request("PATCH", session, {"stateDelta": {"a": "x" * (17 * MIB)}})
    assert (status, json.loads(text)["code"]) == (413, "state_too_large")
    assert last_seq(live, session) == 0


def test_the_server_goes_on_after_all_of_this(live: LiveServer, session: str) -> None:
    assert live.request("POST", f"{session}/events", {"event": {"id": "e"}})[0] == 200
