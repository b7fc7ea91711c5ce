"""``threefold doctor``: is the server there, does the key work, and does ADK really know the scheme?

Each check is one line: what was looked at, ok or not, and what to do. The key is never printed.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

from threefold.errors import ThreefoldError
from threefold.refusals import is_missing, refuse
from threefold.scaffold import SERVICE_CLASSES
from threefold.transport import Answer, Transport
from threefold.uri import Action, parse_uri

_SERVICE_FILES = ("services.yaml", "services.yml", "services.py")
_USER = ("users", "threefold-doctor")
# Scope, route below the app, and what is sent. The server checks the key's scope, then refuses these bodies: no session
# has such an id, and there is nothing to remember or to forget. Nothing is written.
_PROBES: tuple[tuple[str, tuple[str, ...], dict[str, object] | None], ...] = (
    ("sessions:read", ("sessions",), None),
    ("sessions:write", (*_USER, "sessions"), {"sessionId": {}}),
    ("memory:read", (*_USER, "memories"), None),
    ("memory:write", (*_USER, "memories"), {"memories": []}),
    ("memory:forget", (*_USER, Action("memories:forget")), {}),
)
# An agent that never calls delete_memory does without it.
_OPTIONAL = {"memory:forget": "not granted: delete_memory will be refused"}


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``passed`` None means: could not be checked."""

    subject: str
    passed: bool | None
    text: str


async def check_server(uri: str, *, app_name: str | None = None) -> list[Finding]:
    """Connection, version, key and scopes, in this order; stops where the next check would make no sense."""
    try:
        transport = Transport(parse_uri(uri), max_attempts=2, timeout_seconds=5.0)
    except ValueError as error:
        return [Finding("address", False, str(error))]
    try:
        return await _examine(transport, app_name)
    except (ThreefoldError, ValueError) as error:
        return [Finding("connection", False, f"{error} Is it running, and is the address right?")]
    finally:
        await transport.close()


def check_registration(directory: Path) -> list[Finding]:
    """Loads the directory's services file the way ADK does, and looks at what ADK then knows.

    ADK only logs a warning when a class in the file cannot be imported, and later answers with an unrelated error.
    """
    from google.adk.cli import service_registry

    if not any((directory / name).is_file() for name in _SERVICE_FILES):
        text = "no services.yaml in this directory: run `threefold init` on it"
        return [Finding("registration", False, text)]
    heard = _Listener()
    service_registry.logger.addHandler(heard)
    try:
        service_registry.load_services_module(str(directory))
    finally:
        service_registry.logger.removeHandler(heard)
    return [_registered(kind, heard.text) for kind in SERVICE_CLASSES]


async def _examine(transport: Transport, app_name: str | None) -> list[Finding]:
    ready = await transport.send("GET", ("health", "ready"), repeatable=True)
    version = await transport.send("GET", ("version",), repeatable=True)
    findings = [_connection(ready), _version(version)]
    if not all(finding.passed for finding in findings):
        return findings
    apps = await transport.send("GET", ("list-apps",), repeatable=True)
    findings.append(_key(apps, transport.has_key))
    if apps.ok:
        names = apps.body if isinstance(apps.body, list) else []
        findings += await _scopes(transport, app_name or next(iter(names), None))
    return findings


async def _scopes(transport: Transport, app_name: str | None) -> list[Finding]:
    if app_name is None:
        return [Finding("scopes", None, "the key sees no project yet, so they were not tried (--app NAME tries one)")]
    return [await _probe(transport, ("apps", app_name, *path), scope, body) for scope, path, body in _PROBES]


async def _probe(transport: Transport, path: tuple[str, ...], scope: str, body: dict[str, object] | None) -> Finding:
    if body is None:
        answer = await transport.send("GET", path, query=[("limit", "1")], repeatable=True)
        return _scope(scope, answer.ok, answer)
    answer = await transport.send("POST", path, body=body)
    return _scope(scope, answer.status in (400, 422), answer)


def _connection(answer: Answer) -> Finding:
    text = "the server is ready" if answer.ok else f"the server is not ready (status {answer.status})"
    return Finding("connection", answer.ok, text)


def _version(answer: Answer) -> Finding:
    number = answer.body.get("version") if answer.ok and isinstance(answer.body, dict) else None
    if not isinstance(number, str):
        return Finding("version", False, "what answers at this address is not a Threefold server")
    return Finding("version", True, f"Threefold {number[:50]}")


def _key(answer: Answer, has_key: bool) -> Finding:
    if answer.ok:
        return Finding("key", True, "accepted" if has_key else "none was given, and the server asks for none")
    return Finding("key", False, str(refuse(answer, has_key=has_key)))


def _scope(name: str, passed: bool, answer: Answer) -> Finding:
    if passed:
        return Finding(name, True, "granted")
    if is_missing(answer):
        return Finding(name, False, "the server has no such project, or the key may not see it")
    if name in _OPTIONAL and answer.status == 403:
        return Finding(name, None, _OPTIONAL[name])
    return Finding(name, False, str(refuse(answer)))


def _registered(kind: str, heard: str) -> Finding:
    from google.adk.cli.service_registry import get_service_registry

    name, expected = f"{kind} registration", SERVICE_CLASSES[kind].rsplit(".", 1)[1]
    try:
        # Constructing a service does no I/O: no host is contacted.
        service = getattr(get_service_registry(), f"create_{kind}_service")("threefold://localhost")
    except Exception as error:  # whatever a foreign class raises in its constructor
        return Finding(name, False, f"the registered class cannot be constructed ({type(error).__name__})")
    if type(service).__name__ != expected:
        return Finding(name, False, heard or _unknown(kind))
    return Finding(name, True, f"ADK makes a {expected} for threefold://")


def _unknown(kind: str) -> str:
    # A file that an older `threefold init` wrote has no entry for it.
    return f"ADK does not know threefold:// for {kind} after loading this directory: run `threefold init` on it again"


class _Listener(logging.Handler):
    """Keeps the first warning that ADK only logs."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and not self.text:
            self.text = f"ADK says: {record.getMessage()}"
