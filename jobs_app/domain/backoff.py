"""When a failed job is tried again, and when it is given up."""

MAX_ATTEMPTS = 8
LEASE_SECONDS = 60


def retry_delay_seconds(attempt: int) -> float:
    """2, 4, 8 … seconds after the first, second, third … failed attempt."""
    return float(2**attempt)


def is_given_up(attempt: int) -> bool:
    """Whether a job is dead after its ``attempt``-th failure: 8 attempts span about four minutes."""
    return attempt >= MAX_ATTEMPTS
