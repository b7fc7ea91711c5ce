"""Dates as terms: of a memory's own time, and of the dates a question names."""

import re
from collections.abc import Iterator
from datetime import date

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NUMBERS = {name: number for number, name in enumerate(_MONTHS, 1)}
_MONTH_NUMBERS |= {name[:3]: number for name, number in _MONTH_NUMBERS.items()} | {"sept": 9}

_MONTH = "(?P<month>" + "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_HAN_NUMBER = "[0-9〇零一二三四五六七八九十廿卅]{1,3}"

# The longest form first: what one has read, the next does not read again.
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?<!\d){_YEAR}\s*[-/.]\s*(?P<month>0?[1-9]|1[0-2])\s*[-/.]\s*(?P<day>[0-3]?\d)(?!\d)",
        rf"(?:(?<!\d){_YEAR}\s*[年년]\s*)?(?P<month>{_HAN_NUMBER})\s*[月월]\s*(?:份\s*)?(?P<day>{_HAN_NUMBER})\s*[日号號일]",
        rf"(?:(?<!\d){_YEAR}\s*[年년]\s*)?(?<![0-9个個])(?P<month>{_HAN_NUMBER})\s*(?:[月월])(?![内前后後])",
        rf"(?<!\d){_YEAR}\s*[年년]",
        rf"\b{_MONTH}\s*(?:the\s+)?{_DAY}(?!:)(?:\s*,?\s*{_YEAR})?",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:\s*,?\s*{_YEAR})?",
        rf"\b{_MONTH},?\s*(?:of\s+)?{_YEAR}",
        # ``may`` and ``march`` alone are verbs too, and the short forms are names and words.
        rf"\b(?:in|last|this|next|since|until|till|during|of|by|early|mid|late|mid-)\s*(?P<month>{'|'.join(_MONTHS)})\b",
        rf"\b(?P<month>{'|'.join(name for name in _MONTHS if name not in ('may', 'march'))})\b",
        rf"(?<![\d.]){_YEAR}\b",
    )
)
_HAN_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_HAN_TENS = {"十": 10, "廿": 20, "卅": 30}


def date_terms(moment: date) -> tuple[str, ...]:
    """The terms of a memory's time: its year, its month, its day of the year."""
    return year_term(moment.year), month_term(moment.month), day_term(moment.month, moment.day)


def year_term(year: int) -> str:
    return f"@y{year:04}"


def month_term(month: int) -> str:
    return f"@m{month:02}"


def day_term(month: int, day: int) -> str:
    return f"@d{month:02}-{day:02}"


def dates_in_query(folded: str) -> tuple[str, ...]:
    """The date terms of what a folded question names (``may 2nd``, ``2023-05-02``, ``5月2日``), each once, sorted."""
    terms: set[str] = set()
    for form in _FORMS:
        rest, position = [], 0
        for match in form.finditer(folded):
            found = tuple(_named_terms(match))
            if found:
                terms.update(found)
                rest += [folded[position : match.start()], " \x00 "]
                position = match.end()
        folded = "".join(rest) + folded[position:]
    return tuple(sorted(terms))


def _named_terms(match: re.Match[str]) -> Iterator[str]:
    parts = match.groupdict()
    month, day = _read_month(parts.get("month")), _read_number(parts.get("day"))
    if month is not None and day is not None:
        if not 1 <= day <= 31:
            return
        yield day_term(month, day)
    elif month is not None:
        yield month_term(month)
    if parts.get("year"):
        yield year_term(int(parts["year"]))


def _read_month(text: str | None) -> int | None:
    if text is None:
        return None
    number = _MONTH_NUMBERS.get(text) or _read_number(text)
    return number if number is not None and 1 <= number <= 12 else None


def _read_number(text: str | None) -> int | None:
    """A number below 100 in digits, or as Chinese writes it (``二十三``, ``廿三``)."""
    if text is None:
        return None
    if text.isascii():
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in _HAN_TENS:
            total, digit = total + (digit or 1) * _HAN_TENS[character], 0
        elif character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        else:
            return None
    return total + digit
