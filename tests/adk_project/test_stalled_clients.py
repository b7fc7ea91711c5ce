"""Clients that stop in the middle of a request must not take the server with them."""

import socket
import time

import pytest

from tests.live import LiveServer, fresh_database

_HEAD = "POST /apps/demo/users/u/sessions HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n"


@pytest.mark.parametrize(
    "beginning", [_HEAD, _HEAD + "Content-Length: 9\r\n\r\n{{"], ids=["in the head", "in the body"]
)
def test_more_stalled_clients_than_threads_are_cut_off_and_the_server_goes_on(tmp_path, beginning):
    with fresh_database(tmp_path) as database_url:
        server = LiveServer.prepared(
            tmp_path / "server", database_url, THREEFOLD_CLIENT_TIMEOUT_SECONDS="1", THREEFOLD_WEB_THREADS="4"
        )
        stalled = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
        try:
            for connection in stalled:
                connection.sendall(beginning.format(key=server.key).encode())
            time.sleep(0.5)
            assert server.request("GET", "/health/live")[0] == 200
        finally:
            for connection in stalled:
                connection.close()
            server.kill()
