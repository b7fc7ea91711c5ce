"""What every admin page of a large, read-only table shares."""

from datetime import UTC, datetime
from functools import cached_property

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest

_COUNTED_ROWS = 10_000


class CappedPaginator(Paginator):
    """Counts up to 10,000 rows and no further, so that a list of millions opens as fast as a short one."""

    @cached_property
    def count(self) -> int:
        return self.object_list[:_COUNTED_ROWS].count()


class ReadOnlyAdmin(admin.ModelAdmin):
    """A table that is inspected here and changed elsewhere, by a service that asks for what it needs."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


def show_moment(epoch_seconds: float | None) -> str:
    """Epoch seconds as a UTC time, also where no calendar has that moment."""
    if epoch_seconds is None:
        return "–"
    try:
        return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return f"{epoch_seconds} s"
