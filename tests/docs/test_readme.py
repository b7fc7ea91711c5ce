"""The README's own code, run as it stands against a server."""

import re
import subprocess
import sys

from devtools.paths import ROOT


def _here(text: str, server) -> str:
    return text.replace(".threefold/", f"{server.place.data_dir}/").replace(
        "127.0.0.1:8000", f"127.0.0.1:{server.port}"
    )


def test_the_first_conversation_keeps_its_session(live):
    [snippet] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    session = 'await sessions.create_session(app_name="demo", user_id="readme", session_id="r1")'
    run = f"import asyncio\nasync def main():\n    {session}\nasyncio.run(main())\nprint(runner.app_name)"
    code = f"{_here(snippet, live)}\n{run}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "demo"), done.stderr
    assert live.request("GET", "/apps/demo/users/readme/sessions/r1")[0] == 200


def test_the_curl_line_creates_a_session(live):
    [line] = re.findall(r"```\n(curl .*?)```", (ROOT / "README.md").read_text(), re.S)
    done = subprocess.run(["bash", "-c", _here(line, live)], capture_output=True, text=True)
    assert '"unit":"celsius"' in done.stdout.replace(" ", ""), done.stdout + done.stderr
