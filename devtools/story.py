"""The story ``dev.py demo`` plays, with ADK's own Runner, the real client and a model whose lines are written here.

Run by the environment's Python: ``python -m devtools.story DATA_DIR``. Exit code 0 when everything went as it should.
"""

import asyncio
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.tools.preload_memory_tool import preload_memory_tool
from google.genai import types

from devtools.paths import Refusal
from devtools.place import is_ready, running_server
from threefold import IngestPlugin, ThreefoldMemoryService, ThreefoldSessionService

_APP = "demo"
_RESTART_SECONDS = 30
_WITH_PREFERENCE = "It is 22 °C."
_WITHOUT_PREFERENCE = "It is 72 °F."


class ScriptedModel(BaseLlm):
    """Knows nothing but what it is sent: Celsius only for somebody who asked for it there."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said = [part.text or "" for content in llm_request.contents for part in content.parts or []]
        if not any(text.endswith("?") for text in said):
            answer = "Understood."
        else:
            answer = _WITH_PREFERENCE if any("prefer Celsius" in text for text in said) else _WITHOUT_PREFERENCE
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=answer)]))


class Story:
    """Two users, one killed server, and a memory that is recalled and then forgotten."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        note = self._server()
        self._url: str = note["url"]
        uri = self._url.replace("http://", "threefold://")
        key = (data_dir / "first-api-key").read_text().strip()
        self._sessions = ThreefoldSessionService(uri, api_key=key)
        self._memories = ThreefoldMemoryService(uri, api_key=key, wait=True)
        agent = LlmAgent(name="weather", model=ScriptedModel(model="scripted"), tools=[preload_memory_tool])
        self._runner = Runner(
            app=App(name=_APP, root_agent=agent, plugins=[IngestPlugin(strict=True)]),
            session_service=self._sessions,
            memory_service=self._memories,
            auto_create_session=True,
        )
        self._tail = secrets.token_hex(3)
        # Everybody is new at each telling: what an earlier one remembers is nobody's here.
        self._ana, self._ben = f"ana-{self._tail}", f"ben-{self._tail}"

    async def play(self) -> bool:
        """True when every answer was the right one."""
        stated = await self._say(self._ana, "s1", "I prefer Celsius.") == "Understood."
        self._kill_server()
        kept = await self._asks(self._ana, "s1", _WITH_PREFERENCE)
        recalled = await self._asks(self._ana, "s2", _WITH_PREFERENCE)
        apart = await self._asks(self._ben, "b1", _WITHOUT_PREFERENCE)
        hidden = await self._cannot_read(self._ben, self._id("s1"))
        await self._forget("prefer Celsius")
        gone = await self._asks(self._ana, "s3", _WITHOUT_PREFERENCE)
        await self._add_again("s1")
        gone = await self._asks(self._ana, "s4", _WITHOUT_PREFERENCE) and gone
        await self._runner.close()
        await self._sessions.close()
        await self._memories.close()
        self._report(stated and kept, recalled, apart and hidden, gone)
        return stated and kept and recalled and apart and hidden and gone

    async def _asks(self, user: str, session: str, expected: str) -> bool:
        return await self._say(user, session, "How warm is it?") == expected

    async def _forget(self, words: str) -> None:
        found = await self._memories.search_memory(app_name=_APP, user_id=self._ana, query=words)
        for memory in found.memories:
            if words in "".join(part.text or "" for part in memory.content.parts or []):
                await self._memories.delete_memory(app_name=_APP, user_id=self._ana, memory_id=memory.id)
                kind, session = memory.custom_metadata["kind"], memory.custom_metadata["session_id"]
                print(f"--- forgotten: one {kind} that came from [{session}]")

    async def _add_again(self, session: str) -> None:
        """What the plug-in does after each turn: the session's log still holds the sentence."""
        name = self._id(session)
        stored = await self._sessions.get_session(app_name=_APP, user_id=self._ana, session_id=name)
        if stored is None:
            raise Refusal("The session is gone.")
        await self._memories.add_session_to_memory(stored)
        print(f"--- [{stored.id}] added to memory again, the sentence still in its log")

    def _id(self, session: str) -> str:
        return f"{session}-{self._tail}"

    async def _say(self, user: str, session: str, text: str) -> str:
        session = self._id(session)
        print(f"[{session}] {_name(user)}: {text}")
        message = types.Content(role="user", parts=[types.Part(text=text)])
        answer = ""
        async for event in self._runner.run_async(user_id=user, session_id=session, new_message=message):
            answer += "".join(part.text or "" for part in (event.content and event.content.parts) or [])
        print(f"[{session}] agent: {answer}", flush=True)
        return answer

    async def _cannot_read(self, user: str, session: str) -> bool:
        found = await self._sessions.get_session(app_name=_APP, user_id=user, session_id=session)
        print(f"[{session}] {_name(user)} asks for this session and gets: {found}")
        return found is None

    def _server(self) -> dict[str, Any]:
        note = running_server(self._data_dir)
        if note is None:
            raise Refusal(f"No server runs for {self._data_dir}.")
        return note

    def _kill_server(self) -> None:
        """kill -9, then wait for the supervisor to bring the server back. Raises Refusal when it does not."""
        killed = self._server()["server_pid"]
        port = int(self._url.rpartition(":")[2])
        os.kill(killed, signal.SIGKILL)
        start = time.monotonic()
        while time.monotonic() - start < _RESTART_SECONDS:
            note = running_server(self._data_dir)
            if note and note["server_pid"] != killed and is_ready(port):
                seconds = time.monotonic() - start
                print(f"--- server process {killed} killed with -9; {note['server_pid']} answers {seconds:.1f} s later")
                return
            time.sleep(0.1)
        raise Refusal("The server did not come back.")

    def _report(self, kept: bool, recalled: bool, apart: bool, gone: bool) -> None:
        print(f"Ana's session went on after the kill, preference included: {_yes(kept)}")
        print(f"A new session of hers recalled the preference: {_yes(recalled)}")
        print(f"Ben sees nothing of it: {_yes(apart)}")
        print(f"Once forgotten it stayed gone, also after its session was added again: {_yes(gone)}")
        print(f"See it in the admin: {self._url}/admin/sessions_app/session/?{urlencode({'q': self._id('s1')})}")


def _name(user: str) -> str:
    return user.partition("-")[0]


def _yes(fine: bool) -> str:
    return "yes" if fine else "NO"


def main(data_dir: str) -> int:
    # A scripted model counts no tokens, and ADK warns about it at every answer.
    logging.getLogger("google_adk").setLevel(logging.ERROR)
    try:
        return 0 if asyncio.run(Story(Path(data_dir)).play()) else 1
    except Refusal as refusal:
        print(f"dev.py demo: {refusal}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
