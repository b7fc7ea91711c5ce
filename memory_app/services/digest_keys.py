"""The digest keys, only where they can read every digest that is stored: else what was forgotten could come back."""

import sys

from django.db import DatabaseError

from memory_app.config import digest_keys
from memory_app.domain.digests import DigestKeys
from memory_app.domain.errors import UnknownDigestKey
from memory_app.models import Tombstone, UserErasure

# With this code of a worker gunicorn ends too, instead of starting the next worker for ever.
_HALT = 3
_seen: set[DigestKeys] = set()


def checked_keys() -> DigestKeys:
    """The keys of this process, looked at once. Raises UnknownDigestKey."""
    keys = digest_keys()
    if keys not in _seen:
        refuse_unknown_keys(keys)
        _seen.add(keys)
    return keys


def refuse_unknown_keys(keys: DigestKeys) -> None:
    """Raises UnknownDigestKey when a tombstone or an erasure was made with none of these keys."""
    known = [key.id for key in keys.all]
    unknown: set[str] = set()
    for rows in (Tombstone.objects.all(), UserErasure.objects.all()):
        unknown.update(rows.exclude(digest_key_id__in=known).values_list("digest_key_id", flat=True).distinct())
    if unknown:
        names = ", ".join(sorted(unknown))
        raise UnknownDigestKey(f"{(UnknownDigestKey.__doc__ or '').strip()} Missing: the key with the id {names}.")


def find_refusal() -> str | None:
    """Why a process of these keys may not serve, or None. Before the tables exist there are no rows to look at."""
    try:
        refuse_unknown_keys(digest_keys())
    except DatabaseError:
        return None
    except UnknownDigestKey as refusal:
        return refusal.detail
    return None


def refuse_to_start() -> None:
    """End a process that is about to serve without a key that rows name."""
    refusal = find_refusal()
    if refusal is not None:
        sys.stderr.write(f"threefold: {refusal}\n")
        sys.exit(_HALT)
