"""The only reader of settings in this app."""

from dataclasses import dataclass, field

from django.conf import settings

from memory_app.domain.digests import DigestKeys


def digest_keys() -> DigestKeys:
    """The keys of the digests in tombstones: the current one, and those that older rows were made with."""
    return DigestKeys.of(settings.THREEFOLD_DIGEST_KEY, settings.THREEFOLD_OLD_DIGEST_KEYS)


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Which language model reads conversations, and how it is reached. ``provider`` is ``openai`` or ``genai``."""

    provider: str
    model: str
    url: str = ""
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 20.0


def model_access() -> ModelAccess | None:
    """The model that the operator named; None when there is none, which is the default."""
    if settings.THREEFOLD_LLM_EXTRACTOR == "off":
        return None
    return ModelAccess(
        provider=settings.THREEFOLD_LLM_EXTRACTOR,
        model=settings.THREEFOLD_LLM_MODEL,
        url=settings.THREEFOLD_LLM_URL,
        api_key=settings.THREEFOLD_LLM_API_KEY,
        timeout_seconds=float(settings.THREEFOLD_LLM_TIMEOUT_SECONDS),
    )
