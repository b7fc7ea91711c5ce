"""``adk api_server`` as a process of its own, told about Threefold by ``threefold init``, spoken to over HTTP."""

import json
import os
import subprocess
import sys

import pytest

from devtools.paths import ROOT
from tests.acceptance.api_server import ApiServer, copy_agents

SESSION = "/apps/shopper/users/ana/sessions/main"


class Shopper(ApiServer):
    """Speaks to the agent of ``agents/shopper`` in one session."""

    def say(self, text):
        message = {"role": "user", "parts": [{"text": text}]}
        body = {"appName": "shopper", "userId": "ana", "sessionId": "main", "newMessage": message}
        answer = self.http.post("/run", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()[-1]["content"]["parts"][0]["text"]

    def session(self):
        answer = self.http.get(SESSION)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def agents(tmp_path):
    return copy_agents(tmp_path)


def test_a_session_continues_over_restarts_of_both_servers(own_server, agents):
    own_server.manage("create_project", "shopper")
    with Shopper(agents, own_server.uri, own_server.key) as server:
        body = {"sessionId": "main", "state": {"shop": "corner"}, "options": {"title": "Groceries", "ttl": "3600s"}}
        created = server.http.post("/apps/shopper/users/ana/sessions", json=body)
        assert created.status_code == 200, created.text
        assert server.http.post("/apps/shopper/users/ana/sessions", json=body).status_code == 409
        assert server.say("put 2 apples") == "done: {'apples': 2}"
        before = server.session()
    own_server.restart()
    with Shopper(agents, own_server.uri, own_server.key) as server:
        assert server.session() == before and before["state"]["shop"] == "corner"
        assert server.say("put 1 pear") == "done: {'apples': 2, 'pear': 1}"
        # A form or a webhook writes beside the conversation.
        assert server.http.patch(SESSION, json={"stateDelta": {"note": "ring twice"}}).status_code == 200
        assert server.say("what") == "you said: put 2 apples | put 1 pear"
        after = server.session()
        assert after["events"][: len(before["events"])] == before["events"]
        assert after["state"]["note"] == "ring twice" and after["state"]["basket"] == {"apples": 2, "pear": 1}
        listed = server.http.get("/apps/shopper/users/ana/sessions").json()
        assert [each["id"] for each in listed] == ["main"] and listed[0]["state"] == after["state"]
        assert server.http.get("/apps/shopper/users/bo/sessions/main").status_code == 404
        assert server.http.delete(SESSION).status_code == 200
        assert server.http.get(SESSION).status_code == 404


def test_errors_reach_the_callers_of_the_api_server_without_address_key_or_content(own_server, agents):
    key = own_server.make_key("--all-projects", "--scope", "sessions:read", "--scope", "sessions:write")
    with Shopper(agents, own_server.uri, key) as server:
        wrong = server.http.post("/apps/shopper/users/ana/sessions", json={"options": {"colour": "red"}})
        assert wrong.status_code == 400 and "colour" in wrong.text
        # This key may not create projects, and the server's text says who can.
        missing = server.http.post("/apps/shopper/users/ana/sessions", json={"state": {"k": "private-value"}})
        assert missing.status_code == 400 and "create_project" in missing.text
        own_server.kill()
        down = server.http.post("/apps/shopper/users/ana/sessions", json={"state": {"k": "private-value"}})
        assert down.status_code == 500 and "did not answer" in down.text
        for answer in (wrong, missing, down):
            assert not [word for word in (key, "tf_", str(own_server.port), "private-value") if word in answer.text]
    assert key not in server.log_path.read_text()


def test_adk_run_finds_the_file_in_the_agents_own_folder(own_server, agents, tmp_path):
    own_server.manage("create_project", "shopper")
    environment = {**os.environ, "THREEFOLD_API_KEY": own_server.key, "PYTHONPATH": str(ROOT / "client" / "src")}
    command = [sys.executable, "-m", "threefold.cli", "init", str(agents), "--agents"]
    subprocess.run(command, check=True, env=environment)
    command = [sys.executable, "-m", "google.adk.cli", "run", f"--session_service_uri={own_server.uri}"]
    done = subprocess.run(
        [*command, str(agents / "shopper")],
        env=environment,
        input="put 2 apples\nexit\n",
        capture_output=True,
        text=True,
        timeout=180,
        cwd=tmp_path,
    )
    assert "done: {'apples': 2}" in done.stdout, done.stdout + done.stderr
    status, _, body = own_server.request("GET", "/apps/shopper/sessions")
    assert status == 200 and [each["state"]["app:calls"] for each in json.loads(body)["sessions"]] == [1]
