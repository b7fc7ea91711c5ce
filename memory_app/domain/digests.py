"""Keyed digests: what must be recognized again without being kept."""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass

from memory_app.domain.claims import claim_digest


@dataclass(frozen=True, slots=True)
class DigestKey:
    """A secret and the id by which rows name it. The id is derived from the secret, so nobody has to hand it out."""

    id: str
    secret: bytes

    @classmethod
    def of(cls, secret: str) -> "DigestKey":
        raw = secret.encode()
        return cls(hashlib.sha256(b"threefold digest key id\0" + raw).hexdigest()[:16], raw)


@dataclass(frozen=True, slots=True)
class DigestKeys:
    """The current key and the older ones, which rows made before a rotation still need."""

    current: DigestKey
    older: tuple[DigestKey, ...] = ()

    @classmethod
    def of(cls, current: str, older: Iterable[str] = ()) -> "DigestKeys":
        return cls(DigestKey.of(current), tuple(DigestKey.of(secret) for secret in older))

    @property
    def all(self) -> tuple[DigestKey, ...]:
        return (self.current, *self.older)

    def claim_digests(self, text: str) -> dict[str, bytes]:
        """The digest of a claim under every key, by the key's id."""
        return {key.id: claim_digest(key.secret, text) for key in self.all}

    def key_digests(self, key: str) -> dict[str, bytes]:
        """The digest of a memory's key under every key of these, by that key's id."""
        message = b"threefold memory key\0" + key.encode("utf-8", "surrogatepass")
        return {item.id: hmac.new(item.secret, message, hashlib.sha256).digest() for item in self.all}

    def user_digests(self, project: str, user_id: str) -> dict[str, bytes]:
        """The digest of a user of a project under every key, by the key's id."""
        message = b"threefold user\0" + project.encode() + b"\0" + user_id.encode()
        return {key.id: hmac.new(key.secret, message, hashlib.sha256).digest() for key in self.all}
