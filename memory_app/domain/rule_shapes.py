"""What a rule of the ``rules`` extractor is, and how it reads its values."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from .dates import dates_in_query
from .rule_words import ALLERGENS, THINGS, canonical, canonical_or_own
from .text_forms import fold_text

# What a lasting word makes of a request, and what a request is without one: below 0.8 the strict policy keeps nothing.
LASTING, SWITCH, PREFERS, ASKED, BARE = 0.95, 0.9, 0.9, 0.85, 0.7

_ASKED = re.compile(
    r"\b(?:please|kindly|like you to|want you to|need you to|make sure|be sure|you (?:should|must))\b"
    r"|请|請|麻烦|希望|想让你|要求|务必|最好",
    re.IGNORECASE,
)

Reading = tuple[str, str]
"""The key and the value of one statement."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern at the start of a clause, and what it says.

    Of a ``request`` the confidence depends on the words around it: groups ``switch`` and ``prefer``.
    """

    kind: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Iterable[Reading]]
    confidence: float = 0.9
    request: bool = False

    def confidence_of(self, match: re.Match[str], lasting: bool) -> float:
        if not self.request:
            return self.confidence
        if lasting:
            return LASTING
        groups = match.groupdict()
        levels = (("switch", SWITCH), ("prefer", PREFERS))
        usual = ASKED if _ASKED.search(match.group()) else BARE
        return next((level for group, level in levels if groups.get(group)), usual)


def compile_rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def read_setting(key: str, words: Mapping[str, str]) -> Callable[[re.Match[str]], Iterable[Reading]]:
    """Reads group ``value`` as one of the known values of a setting."""

    def read(match: re.Match[str]) -> Iterable[Reading]:
        value = canonical(words, match["value"])
        return [(key, value)] if value else []

    return read


def read_plain(key: str) -> Callable[[re.Match[str]], Iterable[Reading]]:
    """Reads group ``value`` as it was said."""

    def read(match: re.Match[str]) -> Iterable[Reading]:
        value = match["value"].strip(" '\"")
        return [(key, value)] if value else []

    return read


def read_birthday(match: re.Match[str]) -> Iterable[Reading]:
    days = [term.removeprefix("@d") for term in dates_in_query(fold_text(match["value"])) if term.startswith("@d")]
    return [("fact/birthday", days[0])] if len(days) == 1 else []


def read_favorite(match: re.Match[str]) -> Iterable[Reading]:
    thing = canonical_or_own(THINGS, match["thing"])
    return [(f"preference/favorite/{thing}", match["value"].strip())] if thing else []


_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,\s*or\b|,|、|\band\b|\bor\b|和|跟|与|及|以及|还有)\s*", re.IGNORECASE)


def read_allergens(match: re.Match[str]) -> Iterable[Reading]:
    """One statement for each member of group ``list``; group ``over`` says that it is no longer so."""
    value = "no" if match.groupdict().get("over") else "yes"
    for item in _BETWEEN.split(match["list"]):
        words = re.sub(r"^(?:all|any|some|most|the)\s+", "", item.strip(), flags=re.IGNORECASE)
        if words:
            yield f"fact/allergy/{canonical_or_own(ALLERGENS, words)}", value


def read_known_allergens(match: re.Match[str]) -> Iterable[Reading]:
    """As :func:`read_allergens`, when every member is one that the table knows."""
    items = [item for item in _BETWEEN.split(match["list"]) if item]
    return read_allergens(match) if all(canonical(ALLERGENS, item) for item in items) else []
