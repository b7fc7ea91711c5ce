"""What an API key may do, and how a key is written."""

import hashlib
from dataclasses import dataclass

from adk_project.shared.errors import invalid_field
from sessions_app.domain.errors import ScopeMissing

ADMIN = "admin"
SCOPES = (
    "sessions:read",
    "sessions:write",
    "memory:read",
    "memory:write",
    "memory:forget",
    "artifacts:read",
    "artifacts:write",
    "audit:read",
    ADMIN,
)
"""Every scope a key can hold. ``admin`` includes the others and, where the operator allows it, creates projects."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request comes from. ``actor`` is what is recorded beside everything the caller writes."""

    prefix: str
    scopes: frozenset[str]
    user_id: str | None = None
    all_projects: bool = False

    @property
    def actor(self) -> str:
        return f"key:{self.prefix}"

    @property
    def is_admin(self) -> bool:
        return ADMIN in self.scopes

    def require(self, scope: str) -> None:
        """Raises ScopeMissing unless the key holds ``scope``."""
        if not self.is_admin and scope not in self.scopes:
            raise ScopeMissing(f"This API key does not have the scope {scope}.")

    def may_see_user(self, user_id: str) -> bool:
        return self.user_id is None or self.user_id == user_id


def format_key(prefix: str, secret: str) -> str:
    return f"tf_{prefix}_{secret}"


def key_digest(key: str) -> bytes:
    """SHA-256 of a whole key. Its secret has 256 random bits, so a slow hash would add nothing but time."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def clean_scopes(scopes: list[str]) -> list[str]:
    """The scopes in their fixed order, each once. Raises Invalid naming the first one that does not exist."""
    for scope in scopes:
        if scope not in SCOPES:
            raise invalid_field("scopes", f"{scope!r} is not one of {', '.join(SCOPES)}")
    if not scopes:
        raise invalid_field("scopes", f"at least one is needed, of {', '.join(SCOPES)}")
    return [scope for scope in SCOPES if scope in scopes]
