"""Which entries a selection means, and which fall with them so that nothing says it again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from memory_app.domain.entries import ACTIVE_STATUS, EXCERPT, EXPIRED_STATUS, FORGOTTEN_STATUS, SUPERSEDED_STATUS
from memory_app.domain.forgetting import Selection
from memory_app.models import Memory, MemoryScope, MemorySource
from memory_app.selectors.entries import said_in
from memory_app.selectors.search import matching_ids
from sessions_app.domain.keys import UserKey

_PORTION = 500
Place = tuple[str, str]
"""The log and the id of an event."""
Spans = list[tuple[int, int]]


@dataclass(slots=True)
class Doomed:
    """What a forgetting erases. ``whole`` are the entries whose words are all meant; the others are excerpts that fall
    with one of the statements of their event. ``sources`` are further places where an entry was said."""

    entries: dict[int, Memory] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    sources: dict[int, list[MemorySource]] = field(default_factory=dict)

    @property
    def in_order(self) -> list[Memory]:
        return [self.entries[pk] for pk in sorted(self.entries)]

    def places_of(self, entry: Memory) -> Iterator[Memory | MemorySource]:
        yield entry
        yield from self.sources.get(entry.pk, ())


def choose_doomed(scope: MemoryScope, key: UserKey, selection: Selection) -> Doomed:
    """The entries of a selection, and with each whatever says the same or was made of the same words.

    An entry falls with one that makes the same claim, with one that was made of the same span of the same event, and,
    if it is an excerpt, with any of its event. Who names an entry itself means its history as well, not its successor.
    """
    doomed = Doomed()
    fresh = list(_chosen(scope, key, selection))
    if selection.ids or selection.query is not None:
        fresh += _history(scope, fresh)
    while fresh:
        fresh = _take(scope, doomed, {row.pk: row for row in fresh})
    return doomed


def _chosen(scope: MemoryScope, key: UserKey, selection: Selection) -> QuerySet[Memory]:
    rows = _living(scope)
    if selection.ids:
        rows = rows.filter(memory_id__in=selection.ids)
    if selection.key is not None:
        rows = rows.filter(key=selection.key)
    if selection.session_id is not None:
        rows = said_in(rows, selection.session_id)
    if selection.kinds:
        rows = rows.filter(kind__in=selection.kinds)
    if selection.before is not None:
        rows = rows.filter(valid_from__lt=selection.before)
    if selection.query is not None:
        rows = rows.filter(memory_id__in=matching_ids(key, selection.query))
    return rows.order_by("pk")


def _living(scope: MemoryScope) -> QuerySet[Memory]:
    """The entries that still say something."""
    return Memory.objects.filter(scope=scope).exclude(status__in=(FORGOTTEN_STATUS, EXPIRED_STATUS))


def _history(scope: MemoryScope, rows: Iterable[Memory]) -> list[Memory]:
    found: list[Memory] = []
    for kind, key in {(row.kind, row.key) for row in rows if row.key and row.status == ACTIVE_STATUS}:
        found += Memory.objects.filter(scope=scope, kind=kind, key=key, status=SUPERSEDED_STATUS)
    return found


def _take(scope: MemoryScope, doomed: Doomed, rows: dict[int, Memory]) -> list[Memory]:
    """Add entries that are wholly meant, and what falls with them. Returns those of it that are wholly meant too."""
    doomed.entries |= rows
    doomed.whole |= rows.keys()
    for source in _in_portions(MemorySource.objects.filter(scope=scope), "memory_id", list(rows)):
        doomed.sources.setdefault(source.memory_id, []).append(source)
    claims = {bytes(row.claim_hash) for row in rows.values()}
    further = _in_portions(_living(scope), "claim_hash", list(claims))
    spans: dict[Place, Spans] = {}
    for row in rows.values():
        for place in doomed.places_of(row):
            if place.source_event_id:
                at = spans.setdefault((place.source_ref, place.source_event_id), [])
                at.append((place.span_start or 0, place.span_end or 0))
    for row in _of_events(scope, spans):
        if row.kind == EXCERPT:
            doomed.entries.setdefault(row.pk, row)
        else:
            further.append(row)
    return [row for row in further if row.pk not in doomed.whole]


def _of_events(scope: MemoryScope, spans: dict[Place, Spans]) -> list[Memory]:
    """The excerpts of some events, and what was distilled from any of these spans of theirs."""
    events = list({event_id for _, event_id in spans})
    rows = [
        row
        for row in _in_portions(_living(scope), "source_event_id", events)
        if (place := (row.source_ref, row.source_event_id)) in spans and _shares_words(row, spans[place])
    ]
    again = MemorySource.objects.filter(scope=scope).select_related("memory")
    rows += [
        source.memory
        for source in _in_portions(again, "source_event_id", events)
        if (place := (source.source_ref, source.source_event_id)) in spans and _overlaps(source, spans[place])
    ]
    return rows


def _shares_words(row: Memory, spans: Spans) -> bool:
    # An excerpt is the whole event; forgetting it takes what was distilled from its words as well.
    return row.kind == EXCERPT or _overlaps(row, spans)


def _overlaps(place: Memory | MemorySource, spans: Spans) -> bool:
    first, last = place.span_start or 0, place.span_end or 0
    return any(first < end and start < last for start, end in spans)


def _in_portions(rows: QuerySet, column: str, values: Sequence) -> list:
    """A statement of either database takes a bounded number of parameters."""
    found: list = []
    for start in range(0, len(values), _PORTION):
        found += rows.filter(**{f"{column}__in": values[start : start + _PORTION]})
    return found
