"""How a text is written, and its words: one spelling for what readers take for the same text."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

# Kana, bopomofo, Han, Hangul; and Thai, Lao, Myanmar and Khmer, which are written without spaces too.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0eff\u1000-\u1049\u1050-\u109d\u1100-\u11ff\u1780-\u17d3\u17e0-\u17e9"
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u02b9\u2032\u0060\u00b4"), "'")


def _mark_ranges() -> str:
    """Vowel signs and accents belong to their word, but Python's ``\\w`` leaves them out."""
    marks = (code for code in range(0x300, 0x1E94B) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    # Signs around symbols and variation selectors follow emoji and digits, not words.
    return "".join(chr(code) for code in marks if not (0x20D0 <= code <= 0x20FF or 0xFE00 <= code <= 0xFE0F))


_LETTER = rf"(?:(?![{_UNSPACED}])[^\W_])"
_RUN = re.compile(rf"([{_UNSPACED}]+)|{_LETTER}(?:{_LETTER}|[{_mark_ranges()}']+)*")
_ASCII_WORD = re.compile(r"[a-z0-9][a-z0-9']*")
_LATIN_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")


class Run(NamedTuple):
    """A word, or a stretch of a script that is written without spaces."""

    text: str
    unspaced: bool


def fold_text(text: str) -> str:
    """NFKC in lower case; Latin letters without accents, apostrophes alike, without invisible characters."""
    if text.isascii():
        return text.lower().replace("`", "'")
    folded = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).casefold().translate(_APOSTROPHES)
    bare = _LATIN_ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFKC", bare).casefold().translate(_APOSTROPHES)


def split_runs(folded: str) -> Iterator[Run]:
    """The words and unspaced stretches of a folded text, in their order. Whatever else it holds only separates."""
    if folded.isascii():
        for match in _ASCII_WORD.finditer(folded):
            yield Run(match.group(), False)
        return
    for match in _RUN.finditer(folded):
        yield Run(match.group(), match.group(1) is not None)
