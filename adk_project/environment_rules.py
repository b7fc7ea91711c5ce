"""The rules an environment variable may have: a phrase for people and a parser that raises ValueError."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Rule:
    """``phrase`` completes "NAME must be ..."; ``parse`` turns text into a value or raises ValueError."""

    phrase: str
    parse: Callable[[str], Any]


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise ValueError
    return text.lower() in ("true", "1")


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(host.strip() for host in text.split(",") if host.strip())
    if any("/" in host for host in hosts):
        raise ValueError
    return hosts


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not 0 < int(port) < 65536:
        raise ValueError
    return text


def text(phrase: str = "text") -> Rule:
    return Rule(phrase, str)


def directory(default: Path) -> Rule:
    return Rule("a directory", lambda value: Path(value).expanduser().resolve() if value else default)


def one_of(*choices: str) -> Rule:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError
        return value

    return Rule(" or ".join(choices), parse)


def whole_number(minimum: int, unit: str) -> Rule:
    def parse(value: str) -> int:
        number = int(value)
        if not minimum <= number < 2**53:
            raise ValueError
        return number

    return Rule(f"a whole number of {unit}, at least {minimum}", parse)


def secret(minimum_characters: int) -> Rule:
    def parse(value: str) -> str:
        if value and len(value) < minimum_characters:
            raise ValueError
        return value

    return Rule(f"at least {minimum_characters} random characters", parse)


def secrets(minimum_characters: int) -> Rule:
    one = secret(minimum_characters)

    def parse(value: str) -> tuple[str, ...]:
        return tuple(one.parse(item.strip()) for item in value.split(",") if item.strip())

    return Rule(f"secrets separated by commas, each of {one.phrase}", parse)


def url(*schemes: str) -> Rule:
    # Reading a port that is no number raises ValueError too.
    def parse(value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in schemes or not (parts.netloc or parts.path) or parts.port == 0):
            raise ValueError
        return value

    return Rule("a URL that starts with " + " or ".join(f"{scheme}://" for scheme in schemes), parse)


BOOLEAN = Rule("true or false", _boolean)
HOSTS = Rule("host names separated by commas, without scheme or path", _hosts)
ADDRESS = Rule("host:port", _address)
