"""``dev.py up``: from a bare checkout to a server that answers."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from devtools.paths import ROOT, Refusal
from devtools.place import Place
from devtools.supervisor import Supervisor
from devtools.venvs import AGENT, main_venv

_GUNICORN = ("-m", "gunicorn", "-c", "python:adk_project.gunicorn_conf", "adk_project.wsgi:application")

_CURL = (
    'curl -sS -H "Authorization: Bearer $(cat {key})" -H "Content-Type: application/json" '
    """-d '{{"state": {{"colour": "green"}}}}' {url}/apps/demo/users/ana/sessions"""
)
_WELCOME = """
Threefold is ready at {url}
  Admin: {url}/admin/   Docs: {url}/docs   API key: in {key_file}

Try it with curl:
  {curl}

Or with the client that agents use ({python}):
{python} - <<'END'
import asyncio, threefold
service = threefold.ThreefoldSessionService(uri="threefold://{host}", api_key=open({key_file_text!r}).read().strip())
session = asyncio.run(service.create_session(app_name="demo", user_id="ana", state={{"colour": "green"}}))
print("session", session.id)
print("state", session.state)
END

Ctrl-C stops it.
"""


def run(data_dir: Path, port: int) -> int:
    """Serve ``data_dir`` on ``port`` until a signal. Raises Refusal before anything is changed."""
    # A signal during the preparations ends them too; the supervisor sets handlers of its own.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # The database holds what was said: it is nobody else's, whoever made the directory.
    os.umask(0o077)
    place = Place(data_dir.expanduser().resolve(), port)
    place.check()
    venv = main_venv().ensure(AGENT)
    with place.hold():
        bootstrap(venv.python, place)
        supervisor = Supervisor([venv.python, *_GUNICORN], place)
        return supervisor.run(when_ready=lambda: print(welcome(venv.python, place), flush=True))


def bootstrap(python: str, place: Place) -> None:
    """Migrate, and make the first user, project and key unless they exist. Raises Refusal when that fails."""
    done = subprocess.run([python, "manage.py", "bootstrap"], cwd=ROOT, env=place.environment)
    if done.returncode:
        raise Refusal("The database could not be prepared; the messages above say why.")


def welcome(python: str, place: Place) -> str:
    """What to do next: addresses, a curl line and a Python snippet that work when pasted."""
    return _WELCOME.format(
        curl=_CURL.format(url=place.url, key=shlex.quote(str(place.key_file))),
        url=place.url,
        host=place.url.removeprefix("http://"),
        key_file=place.key_file,
        key_file_text=str(place.key_file),
        python=shlex.quote(python),
    )
