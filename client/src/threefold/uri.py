"""Where the server is, read from a service URI. Pure: no I/O, no environment."""

from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

_HTTP_SCHEME = {
    "threefold": "http",
    "threefold+http": "http",
    "http": "http",
    "threefold+https": "https",
    "https": "https",
}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """One server. ``prefix`` is an already encoded path without a trailing slash; ``api_key`` comes from the password
    slot.
    """

    scheme: str
    host: str
    port: int | None
    prefix: str
    api_key: str | None

    @property
    def is_loopback(self) -> bool:
        return self.host in _LOOPBACK

    def __repr__(self) -> str:
        return f"Endpoint({self.scheme}, <redacted>)"


def parse_uri(uri: str) -> Endpoint:
    """Reads ``threefold://[:KEY@]host[:port][/prefix]``; ``threefold+https``, ``http`` and ``https`` work too.

    Raises ValueError with a text that holds nothing of the URI.
    """
    try:
        parts = urlsplit(uri.strip())
        port = parts.port
    except (AttributeError, ValueError):
        parts, port = None, None
    if parts is None or parts.scheme not in _HTTP_SCHEME or not parts.hostname:
        raise ValueError("The Threefold URI must look like threefold://host:port or threefold+https://host.")
    if parts.query or parts.fragment:
        raise ValueError("The Threefold URI takes no query and no fragment.")
    if parts.username:
        # ADK prints the user name of a URI that it cannot place, and masks only the password.
        raise ValueError("Put the API key into the password slot (threefold://:KEY@host) or into THREEFOLD_API_KEY.")
    prefix = quote(parts.path.rstrip("/"), safe="/%")
    return Endpoint(_HTTP_SCHEME[parts.scheme], parts.hostname, port, prefix, unquote(parts.password or "") or None)


class Action(str):
    """A segment such as ``memories:search``, whose colon is the route's own; that of an id is encoded."""

    __slots__ = ()


def encode_segment(value: str) -> str:
    """One id as one path segment. ``.`` and ``..`` are encoded as well, so that nothing on the way collapses them.

    Raises ValueError for a lone surrogate, which no URL can carry.
    """
    if isinstance(value, Action):
        return value
    if value in (".", ".."):
        return value.replace(".", "%2E")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise ValueError("An app name, user id or session id may not hold a lone surrogate.") from None


def encode_query(pairs: list[tuple[str, str]]) -> str:
    """Query text with the same encoding as path segments (a blank is ``%20``, never ``+``)."""
    return "&".join(f"{name}={encode_segment(value)}" for name, value in pairs)
