import os
import subprocess
import sys

from devtools.paths import ROOT
from devtools.place import running_server


def test_the_story_goes_as_it_should_and_its_server_is_stopped(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "dev.py", "demo", "--data-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed with -9" in done.stdout
    assert "Ana's session went on after the kill, preference included: yes" in done.stdout
    assert "A new session of hers recalled the preference: yes" in done.stdout
    assert "Ben sees nothing of it: yes" in done.stdout
    assert "--- forgotten: one PREFERENCE that came from [s1-" in done.stdout
    assert "Once forgotten it stayed gone, also after its session was added again: yes" in done.stdout
    assert "/admin/sessions_app/session/?q=s1-" in done.stdout
    assert running_server(tmp_path) is None
