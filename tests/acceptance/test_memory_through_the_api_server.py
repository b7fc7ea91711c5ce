"""``adk api_server`` with ``services.yaml`` for sessions and memory, as a process of its own, spoken to over HTTP."""

import json

import pytest

from tests.acceptance.api_server import ApiServer, copy_agents

STATEMENT = "Please always report the weather in Celsius"
QUESTION = "How is the weather in Hangzhou?"


@pytest.fixture
def agents(tmp_path):
    return copy_agents(tmp_path)


class Recaller(ApiServer):
    """Speaks to the agent of ``agents/recaller``, whose answer depends on what memory put into its prompt."""

    def begin(self, session_id, user="ana"):
        answer = self.http.post(f"/apps/recaller/users/{user}/sessions", json={"sessionId": session_id})
        assert answer.status_code == 200, answer.text

    def say(self, session_id, text, user="ana"):
        message = {"role": "user", "parts": [{"text": text}]}
        body = {"appName": "recaller", "userId": user, "sessionId": session_id, "newMessage": message}
        answer = self.http.post("/run", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()[-1]["content"]["parts"][0]["text"]

    def remember(self, session_id, user="ana"):
        return self.http.patch(f"/apps/recaller/users/{user}/memory", json={"sessionId": session_id})


def test_a_session_added_over_rest_is_recalled_in_the_next_one_and_after_restarts_until_it_is_forgotten(
    own_server, agents
):
    own_server.manage("create_project", "recaller")
    with Recaller(agents, own_server.uri, own_server.key, memory=True) as server:
        for session_id in ("s1", "s2"):
            server.begin(session_id)
        assert server.say("s1", STATEMENT) == "warm"
        assert server.say("s2", QUESTION) == "warm"
        assert server.remember("none").status_code == 404
        done = server.remember("s1")
        assert (done.status_code, done.json()) == (200, None)
        own_server.wait_for(lambda: memories(own_server))
        assert server.say("s2", QUESTION) == "22 °C"
        server.begin("s1", user="ben")
        assert server.say("s1", QUESTION, user="ben") == "warm"
        assert server.say("s1", "look up Celsius weather", user="ben") == "found 0"

    own_server.restart()
    with Recaller(agents, own_server.uri, own_server.key, memory=True) as server:
        server.begin("s3")
        assert server.say("s3", QUESTION) == "22 °C"
        selection = {"query": "Celsius", "reason": "the user asked for it"}
        status, _, body = own_server.request("POST", "/apps/recaller/users/ana/memories:forget", selection)
        assert status == 200 and json.loads(body)["forgotten"], body
        assert server.say("s3", QUESTION) == "warm"
        assert server.remember("s1").status_code == 200 and server.remember("s3").status_code == 200
        own_server.wait_for(lambda: any("Hangzhou" in text for text in memories(own_server)))
        assert server.say("s3", QUESTION) == "warm" and not [text for text in memories(own_server) if "Celsius" in text]


def test_a_key_without_memory_fails_no_turn_and_its_refusal_shows_neither_address_nor_key(own_server, agents):
    own_server.manage("create_project", "recaller")
    key = own_server.make_key("--all-projects", "--scope", "sessions:read", "--scope", "sessions:write")
    with Recaller(agents, own_server.uri, key, memory=True) as server:
        server.begin("s1")
        # preload_memory only logs that there is no memory for this key: the turn goes on.
        assert server.say("s1", QUESTION) == "warm"
        refused = server.remember("s1")
        assert refused.status_code == 500
        assert not [word for word in (key, "tf_", str(own_server.port)) if word in refused.text]
    assert key not in server.log_path.read_text()


def test_the_plugin_named_on_the_command_line_fills_memory_without_a_line_of_code(own_server, agents):
    own_server.manage("create_project", "recaller")
    option = "--extra_plugins=threefold.IngestPlugin"
    with Recaller(agents, own_server.uri, own_server.key, option, memory=True) as server:
        for session_id in ("s1", "s2"):
            server.begin(session_id)
        assert server.say("s1", STATEMENT) == "warm"
        own_server.wait_for(lambda: STATEMENT in memories(own_server))
        assert server.say("s2", QUESTION) == "22 °C"


def memories(server):
    body = json.loads(server.request("GET", "/apps/recaller/users/ana/memories")[2])
    return [memory["content"]["parts"][0]["text"] for memory in body["memories"]]
