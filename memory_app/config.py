"""The only reader of settings in this app."""

from django.conf import settings

from memory_app.domain.digests import DigestKeys


def digest_keys() -> DigestKeys:
    """The keys of the digests in tombstones: the current one, and those that older rows were made with."""
    return DigestKeys.of(settings.THREEFOLD_DIGEST_KEY, settings.THREEFOLD_OLD_DIGEST_KEYS)
