"""The list of a project's sessions: filters, orders and keyset pages."""

from dataclasses import dataclass

import django_filters
from django import forms
from django.db.models import Exists, OuterRef, Q
from django.http import QueryDict

from adk_project.shared.errors import invalid_field
from adk_project.shared.pagination import decode_cursor, encode_cursor, read_limit
from adk_project.shared.wire import camel_case, read_query
from sessions_app.api.inputs import read_moment
from sessions_app.domain.keys import optional_id
from sessions_app.domain.metadata import MAX_LABELS, MAX_TITLE
from sessions_app.models import Session, SessionLabel, SessionQuerySet

_FILTERS = ("user", "updated_after", "updated_before", "title")
_ORDERS = {
    "-updated": ("-last_update_time", "-pk"),
    "updated": ("last_update_time", "pk"),
    "-created": ("-pk",),
    "created": ("pk",),
}


class MomentField(forms.Field):
    """A form field of a moment; its rule is the one of the whole API."""

    def to_python(self, value: str | None) -> float | None:
        return read_moment(value, self.label) if value else None


class MomentFilter(django_filters.Filter):
    field_class = MomentField


class SessionFilter(django_filters.FilterSet):
    """``user`` and ``title`` (any part of it), ``updatedAfter`` and ``updatedBefore`` (both inclusive)."""

    user = django_filters.CharFilter(field_name="user_id", lookup_expr="exact", strip=False)
    title = django_filters.CharFilter(field_name="title", lookup_expr="icontains")
    updated_after = MomentFilter(field_name="last_update_time", lookup_expr="gte", label="updatedAfter")
    updated_before = MomentFilter(field_name="last_update_time", lookup_expr="lte", label="updatedBefore")

    class Meta:
        model = Session
        fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionListQuery:
    """One page of one list of a project's sessions. ``labels`` are pairs that must all be there."""

    project: str
    filters: dict[str, str]
    labels: tuple[tuple[str, str], ...]
    order: str
    limit: int
    cursor: str | None

    @classmethod
    def read(cls, project: str, query: QueryDict) -> "SessionListQuery":
        """``?user=&title=&label=key:value&updatedAfter=&updatedBefore=&order=&limit=&cursor=``. Raises Invalid."""
        members = read_query(query, (*_FILTERS, "order", "limit", "cursor"), repeated=("label",))
        order = members.get("order", "-updated")
        if order not in _ORDERS:
            raise invalid_field("order", f"must be one of {', '.join(_ORDERS)}")
        labels = members.get("label", [])
        if len(labels) > MAX_LABELS:
            raise invalid_field("label", f"may be given {MAX_LABELS} times; no session has more labels")
        return cls(
            project=project,
            filters=_clean_filters({name: members[name] for name in _FILTERS if name in members}),
            labels=tuple(_split_label(label) for label in labels),
            order=order,
            limit=read_limit(members.get("limit"), 50),
            cursor=members.get("cursor"),
        )

    def page(self, sessions: SessionQuerySet) -> tuple[list[Session], str | None]:
        """The rows of this page and the cursor of the next one, None at the end."""
        rows = self._after_cursor(self._filtered(sessions)).order_by(*_ORDERS[self.order])
        found = list(rows[: self.limit + 1])
        shown = found[: self.limit]
        return shown, encode_cursor(self._position(shown[-1]), self._identity) if len(found) > self.limit else None

    def _filtered(self, sessions: SessionQuerySet) -> SessionQuerySet:
        chosen = SessionFilter(self.filters, queryset=sessions)
        if not chosen.is_valid():
            [field, *_] = chosen.errors
            raise invalid_field(camel_case(field), "is not valid")
        rows = chosen.qs
        for key, value in self.labels:
            labelled = SessionLabel.objects.filter(session=OuterRef("pk"), key=key, value=value)
            rows = rows.filter(Exists(labelled))
        return rows

    @property
    def _identity(self) -> dict[str, object]:
        return {"project": self.project, "filters": self.filters, "labels": self.labels, "order": self.order}

    def _position(self, row: Session) -> list[float | int]:
        return [row.last_update_time, row.pk] if "updated" in self.order else [row.pk]

    def _after_cursor(self, rows: SessionQuerySet) -> SessionQuerySet:
        if self.cursor is None:
            return rows
        *moment, pk = decode_cursor(self.cursor, self._identity)
        direction = "lt" if self.order.startswith("-") else "gt"
        beyond = Q(**{f"pk__{direction}": pk})
        if not moment:
            return rows.filter(beyond)
        return rows.filter(Q(**{f"last_update_time__{direction}": moment[0]}) | Q(last_update_time=moment[0]) & beyond)


def _clean_filters(filters: dict[str, str]) -> dict[str, str]:
    for name, value in filters.items():
        if not value.strip():
            raise invalid_field(camel_case(name), "must not be blank; leave it out for no filter")
        if "\x00" in value:
            raise invalid_field(camel_case(name), "must not hold NUL")
        # No longer text could be found, and SQLite refuses patterns of 50,000 bytes.
        if len(value) > MAX_TITLE:
            raise invalid_field(camel_case(name), f"must have at most {MAX_TITLE} characters")
    if "user" in filters:
        filters["user"] = optional_id(filters["user"], "user") or ""
    return filters


def _split_label(label: str) -> tuple[str, str]:
    key, colon, value = label.partition(":")
    if not colon or not key or "\x00" in label:
        raise invalid_field("label", "must be written key:value")
    return key, value
