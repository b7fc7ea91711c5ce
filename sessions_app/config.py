"""The only reader of settings in this app."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes this server accepts, in bytes of JSON text."""

    max_body_bytes: int
    max_event_bytes: int
    max_state_bytes: int


def limits() -> Limits:
    return Limits(
        max_body_bytes=settings.THREEFOLD_MAX_BODY_BYTES,
        max_event_bytes=settings.THREEFOLD_MAX_EVENT_BYTES,
        max_state_bytes=settings.THREEFOLD_MAX_STATE_BYTES,
    )


def creates_projects() -> bool:
    """Whether a key with the admin scope creates a project by using its name."""
    return settings.THREEFOLD_CREATE_PROJECTS


def rate_limit_per_minute() -> int:
    """Requests a minute for one key; 0 means no limit."""
    return settings.THREEFOLD_RATE_LIMIT_PER_MINUTE
