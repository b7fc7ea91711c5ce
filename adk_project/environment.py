"""Every environment variable Threefold reads: its name, default, rule and meaning, in one table.

``docs/configuration.md`` is the same table for people; a test holds the two together. Nothing else in the server
reads ``os.environ``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_project import environment_rules as rules

EMBEDDED = "embedded"
PRODUCTION = "production"
DEFAULT_DATA_DIR = Path(__file__).resolve().parent.parent / ".threefold"
_MIB = 1024 * 1024


class BadEnvironment(ValueError):
    """A variable breaks its rule, or two variables contradict each other. The message names them."""


@dataclass(frozen=True)
class Variable:
    """One variable. A blank one counts as absent and has its default."""

    name: str
    default: str
    rule: rules.Rule
    meaning: str
    production_default: str | None = None

    def read(self, environ: Mapping[str, str], mode: str) -> Any:
        """The value in ``environ``. Raises BadEnvironment naming the variable and its rule."""
        given = environ.get(self.name, "").strip()
        try:
            return self.rule.parse(given or self.default_in(mode))
        except ValueError:
            raise BadEnvironment(f"{self.name} must be {self.rule.phrase}.") from None

    def default_in(self, mode: str) -> str:
        if mode == PRODUCTION and self.production_default is not None:
            return self.production_default
        return self.default


MODE = Variable(
    "THREEFOLD_MODE",
    EMBEDDED,
    rules.one_of(EMBEDDED, PRODUCTION),
    "embedded: one process with its own worker thread; production: web, worker and beat with PostgreSQL and Redis.",
)

VARIABLES = (
    MODE,
    Variable(
        "THREEFOLD_DATA_DIR",
        "",
        rules.directory(DEFAULT_DATA_DIR),
        "Where the embedded mode keeps its database and secret key; blank: `.threefold` beside manage.py.",
    ),
    Variable(
        "DATABASE_URL",
        "",
        rules.url("postgresql", "postgres", "sqlite"),
        "The database; blank: SQLite in the data directory.",
    ),
    Variable(
        "REDIS_URL",
        "",
        rules.url("redis", "rediss"),
        "Broker and shared cache; needed in production, unused when blank.",
    ),
    Variable(
        "THREEFOLD_SECRET_KEY",
        "",
        rules.secret(32),
        "Signs admin sessions; needed in production, otherwise kept in the data directory's file `secret-key`.",
    ),
    Variable(
        "THREEFOLD_DIGEST_KEY",
        "",
        rules.secret(32),
        "Makes the digests of what was forgotten; needed in production, otherwise kept in the file `digest-key`.",
    ),
    Variable(
        "THREEFOLD_OLD_DIGEST_KEYS",
        "",
        rules.secrets(32),
        "Digest keys used before, separated by commas. What was forgotten under them stays forgotten.",
    ),
    Variable(
        "THREEFOLD_ALLOWED_HOSTS",
        "",
        rules.HOSTS,
        "Host names clients may use, beside localhost; needed in production.",
    ),
    Variable(
        "THREEFOLD_PUBLIC_URL",
        "",
        rules.url("http", "https"),
        "The server's address as people type it; https:// makes the admin's cookies secure.",
    ),
    Variable(
        "THREEFOLD_TRUST_PROXY",
        "false",
        rules.BOOLEAN,
        "Believe X-Forwarded-Proto; only behind a proxy that sets it.",
    ),
    Variable(
        "THREEFOLD_LOG_LEVEL",
        "INFO",
        rules.one_of("DEBUG", "INFO", "WARNING", "ERROR"),
        "The least important log record that is written.",
    ),
    Variable(
        "THREEFOLD_BIND",
        "127.0.0.1:8000",
        rules.ADDRESS,
        "Where the server listens.",
        production_default="0.0.0.0:8000",
    ),
    Variable(
        "THREEFOLD_WEB_PROCESSES",
        "1",
        rules.whole_number(1, "processes"),
        "Server processes; one in embedded mode.",
        production_default="2",
    ),
    Variable(
        "THREEFOLD_WEB_THREADS",
        "16",
        rules.whole_number(1, "threads"),
        "Requests one process handles at a time.",
        production_default="8",
    ),
    Variable(
        "THREEFOLD_WEB_TIMEOUT_SECONDS",
        "60",
        rules.whole_number(1, "seconds"),
        "A process that shows no life for so long is restarted; a stop waits half of it for running requests.",
    ),
    Variable(
        "THREEFOLD_CLIENT_TIMEOUT_SECONDS",
        "20",
        rules.whole_number(1, "seconds"),
        "A client that stalls for so long in the middle of a request loses its connection.",
    ),
    Variable(
        "THREEFOLD_CREATE_PROJECTS",
        "true",
        rules.BOOLEAN,
        "A key with the admin scope creates a project by using its name.",
        production_default="false",
    ),
    Variable(
        "THREEFOLD_RATE_LIMIT_PER_MINUTE",
        "60000",
        rules.whole_number(0, "requests"),
        "Requests one API key may make in a minute; 0: no limit.",
    ),
    Variable(
        "THREEFOLD_MAX_BODY_BYTES", str(32 * _MIB), rules.whole_number(1024, "bytes"), "The largest request body."
    ),
    Variable(
        "THREEFOLD_MAX_EVENT_BYTES",
        str(16 * _MIB),
        rules.whole_number(1024, "bytes"),
        "The largest event, as JSON text.",
    ),
    Variable(
        "THREEFOLD_MAX_STATE_BYTES",
        str(16 * _MIB),
        rules.whole_number(1024, "bytes"),
        "The largest state of one session, as JSON text.",
    ),
    Variable(
        "THREEFOLD_LLM_EXTRACTOR",
        "off",
        rules.one_of("off", "openai", "genai"),
        "A language model reads what is ingested: openai is any server with chat completions, genai Google's REST API.",
    ),
    Variable(
        "THREEFOLD_LLM_URL",
        "",
        rules.url("http", "https"),
        "Where the model answers, without `/chat/completions` or `/v1beta`; blank with genai: Google's own address.",
    ),
    Variable("THREEFOLD_LLM_MODEL", "", rules.text(), "The model's name there."),
    Variable("THREEFOLD_LLM_API_KEY", "", rules.text(), "The key sent to the model's server; blank: none is sent."),
    Variable(
        "THREEFOLD_LLM_TIMEOUT_SECONDS",
        "20",
        rules.whole_number(1, "seconds"),
        "How long one answer of the model may take; below 60, since a worker holds a job for a minute at a time.",
    ),
    Variable(
        "THREEFOLD_DATABASE_POOL_MIN",
        "1",
        rules.whole_number(0, "connections"),
        "PostgreSQL connections each process keeps open.",
    ),
    Variable(
        "THREEFOLD_DATABASE_POOL_MAX",
        "20",
        rules.whole_number(1, "connections"),
        "PostgreSQL connections each process may open; at least one a thread.",
    ),
    Variable(
        "THREEFOLD_DATABASE_POOL_TIMEOUT_SECONDS",
        "5",
        rules.whole_number(1, "seconds"),
        "How long a request waits for a free connection.",
    ),
    Variable(
        "THREEFOLD_DATABASE_CONNECT_TIMEOUT_SECONDS",
        "5",
        rules.whole_number(1, "seconds"),
        "How long connecting to PostgreSQL may take.",
    ),
    Variable(
        "THREEFOLD_STATEMENT_TIMEOUT_MS",
        "30000",
        rules.whole_number(0, "milliseconds"),
        "PostgreSQL ends a statement after this; 0: never. Not for migrations.",
    ),
    Variable(
        "THREEFOLD_REQUIRE_SERVICES",
        "false",
        rules.BOOLEAN,
        "Tests only: a missing PostgreSQL or Redis fails instead of skipping.",
    ),
    Variable(
        "TEST_DATABASE_URL", "", rules.url("postgresql", "postgres"), "Tests only: the PostgreSQL of the second run."
    ),
    Variable(
        "TEST_REDIS_URL",
        "redis://127.0.0.1:6379/15",
        rules.url("redis"),
        "Tests only: the Redis they may write to.",
    ),
    Variable("THREEFOLD_API_KEY", "", rules.text(), "Read by the client, ignored by the server."),
    Variable("THREEFOLD_URI", "", rules.text(), "Read by the client, ignored by the server."),
)


def read_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """Every variable's value by name. Raises BadEnvironment on a broken rule, a contradiction or an unknown name."""
    refuse_unknown_names(environ)
    mode = MODE.read(environ, EMBEDDED)
    values = {variable.name: variable.read(environ, mode) for variable in VARIABLES}
    for contradiction, sentence in _CONTRADICTIONS:
        if contradiction(values):
            raise BadEnvironment(sentence)
    return values


def refuse_unknown_names(environ: Mapping[str, str]) -> None:
    """A misspelt THREEFOLD_ variable would silently have no effect, so it is refused."""
    known = {variable.name for variable in VARIABLES}
    for name in sorted(environ):
        if name.startswith("THREEFOLD_") and name not in known:
            raise BadEnvironment(f"{name} is not a setting of Threefold; docs/configuration.md lists them all.")


def _is_production(values: Mapping[str, Any]) -> bool:
    return values["THREEFOLD_MODE"] == PRODUCTION


_CONTRADICTIONS = (
    (
        lambda v: _is_production(v) and not v["THREEFOLD_SECRET_KEY"],
        "THREEFOLD_SECRET_KEY must be set when THREEFOLD_MODE is production.",
    ),
    (
        lambda v: _is_production(v) and not v["THREEFOLD_DIGEST_KEY"],
        "THREEFOLD_DIGEST_KEY must be set when THREEFOLD_MODE is production: it must outlive every container.",
    ),
    (
        lambda v: _is_production(v) and not v["DATABASE_URL"].startswith("postgres"),
        "DATABASE_URL must name a PostgreSQL database when THREEFOLD_MODE is production: several processes write.",
    ),
    (
        lambda v: _is_production(v) and not v["REDIS_URL"],
        "REDIS_URL must be set when THREEFOLD_MODE is production: workers and rate limits are shared through it.",
    ),
    (
        lambda v: _is_production(v) and not v["THREEFOLD_ALLOWED_HOSTS"],
        "THREEFOLD_ALLOWED_HOSTS must name the server's hosts when THREEFOLD_MODE is production.",
    ),
    (
        lambda v: not _is_production(v) and v["THREEFOLD_WEB_PROCESSES"] > 1,
        "THREEFOLD_WEB_PROCESSES must be 1 when THREEFOLD_MODE is embedded: cache and worker live in that process.",
    ),
    (
        lambda v: v["THREEFOLD_LLM_EXTRACTOR"] != "off" and not v["THREEFOLD_LLM_MODEL"],
        "THREEFOLD_LLM_MODEL must be set when THREEFOLD_LLM_EXTRACTOR is not off.",
    ),
    (
        lambda v: v["THREEFOLD_LLM_EXTRACTOR"] == "openai" and not v["THREEFOLD_LLM_URL"],
        "THREEFOLD_LLM_URL must be set when THREEFOLD_LLM_EXTRACTOR is openai: conversations go nowhere by default.",
    ),
    (
        lambda v: (
            v["THREEFOLD_LLM_EXTRACTOR"] == "genai" and not v["THREEFOLD_LLM_URL"] and not v["THREEFOLD_LLM_API_KEY"]
        ),
        "THREEFOLD_LLM_API_KEY must be set when THREEFOLD_LLM_EXTRACTOR is genai without THREEFOLD_LLM_URL.",
    ),
    (
        lambda v: v["THREEFOLD_LLM_TIMEOUT_SECONDS"] >= 60,
        "THREEFOLD_LLM_TIMEOUT_SECONDS must be below 60: a worker holds a job for a minute at a time.",
    ),
    (
        lambda v: v["THREEFOLD_DATABASE_POOL_MIN"] > v["THREEFOLD_DATABASE_POOL_MAX"],
        "THREEFOLD_DATABASE_POOL_MIN must not be greater than THREEFOLD_DATABASE_POOL_MAX.",
    ),
    (
        lambda v: v["THREEFOLD_MAX_EVENT_BYTES"] > v["THREEFOLD_MAX_BODY_BYTES"],
        "THREEFOLD_MAX_EVENT_BYTES must not be greater than THREEFOLD_MAX_BODY_BYTES: no such event could be sent.",
    ),
)
