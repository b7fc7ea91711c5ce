"""The kinds of failure a caller can meet. Every named error of an app subclasses one of them.

A subclass's docstring is its default message; its ``code`` is the stable word a program may test.
Messages never contain stored content, keys or SQL.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One rule that one input field broke. ``field`` is its path as the caller wrote it, such as ``event.actions``."""

    field: str
    rule: str


class ThreefoldError(Exception):
    """Something went wrong."""

    code = "error"

    def __init__(self, detail: str | None = None, *, fields: tuple[FieldError, ...] = (), **extra: object) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip()
        self.fields = fields
        self.extra = extra
        super().__init__(self.detail)


class Invalid(ThreefoldError):
    """The request is not valid."""

    code = "invalid_request"


class Forbidden(ThreefoldError):
    """This API key may not do that."""

    code = "forbidden"


class Missing(ThreefoldError):
    """There is no such resource."""

    code = "not_found"


class Conflict(ThreefoldError):
    """The request conflicts with what is stored."""

    code = "conflict"


class TooLarge(ThreefoldError):
    """The request is larger than this server accepts."""

    code = "payload_too_large"


class Damaged(ThreefoldError):
    """What is stored does not match its digest."""

    code = "damaged"


class Unavailable(ThreefoldError):
    """A service that Threefold depends on does not answer."""

    code = "unavailable"


def invalid_field(field: str, rule: str) -> Invalid:
    """An :class:`Invalid` that names one field and the rule it broke."""
    return Invalid(f"{field}: {rule}", fields=(FieldError(field, rule),))
