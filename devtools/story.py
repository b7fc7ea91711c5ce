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
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.genai import types

from devtools.paths import Refusal
from devtools.place import is_ready, running_server
from threefold import ThreefoldSessionService

_APP = "demo"
_RESTART_SECONDS = 30
_WITH_PREFERENCE = "22 °C, in Celsius as you asked."
_WITHOUT_PREFERENCE = "72 °F. You have told me no preference."


class ScriptedModel(BaseLlm):
    """Knows nothing but the conversation it is sent: Celsius only for somebody who asked for it there."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said = [part.text or "" for content in llm_request.contents for part in content.parts or []]
        if "prefer" in said[-1]:
            answer = "Understood."
        else:
            answer = _WITH_PREFERENCE if any("prefer Celsius" in text for text in said) else _WITHOUT_PREFERENCE
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=answer)]))


class Story:
    """Two users, two sessions, one killed server."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        note = self._server()
        self._url: str = note["url"]
        self._service = ThreefoldSessionService(
            uri=self._url.replace("http://", "threefold://"),
            api_key=(data_dir / "first-api-key").read_text().strip(),
        )
        agent = LlmAgent(name="weather", model=ScriptedModel(model="scripted"))
        self._runner = Runner(app_name=_APP, agent=agent, session_service=self._service)
        tail = secrets.token_hex(3)
        self._of_ana, self._of_ben = f"s1-{tail}", f"s2-{tail}"

    async def play(self) -> bool:
        """True when every answer was the right one."""
        await self._service.create_session(app_name=_APP, user_id="ana", session_id=self._of_ana)
        await self._service.create_session(app_name=_APP, user_id="ben", session_id=self._of_ben)
        stated = await self._say("ana", self._of_ana, "I prefer Celsius.") == "Understood."
        self._kill_server()
        kept = await self._say("ana", self._of_ana, "How warm is it?") == _WITH_PREFERENCE
        apart = await self._say("ben", self._of_ben, "How warm is it?") == _WITHOUT_PREFERENCE
        hidden = await self._cannot_read("ben", self._of_ana)
        await self._service.close()
        self._report(stated and kept, apart and hidden)
        return stated and kept and apart and hidden

    async def _say(self, user: str, session: str, text: str) -> str:
        print(f"[{session}] {user}: {text}")
        message = types.Content(role="user", parts=[types.Part(text=text)])
        answer = ""
        async for event in self._runner.run_async(user_id=user, session_id=session, new_message=message):
            answer += "".join(part.text or "" for part in (event.content and event.content.parts) or [])
        print(f"[{session}] agent: {answer}", flush=True)
        return answer

    async def _cannot_read(self, user: str, session: str) -> bool:
        found = await self._service.get_session(app_name=_APP, user_id=user, session_id=session)
        print(f"[{session}] {user} asks for this session and gets: {found}")
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

    def _report(self, kept: bool, apart: bool) -> None:
        print(f"Ana's session went on after the kill, preference included: {'yes' if kept else 'NO'}")
        print(f"Ben sees nothing of it: {'yes' if apart else 'NO'}")
        print(f"See it in the admin: {self._url}/admin/sessions_app/session/?{urlencode({'q': self._of_ana})}")


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
