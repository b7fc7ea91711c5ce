"""Text becomes terms, the same way when it is stored and when it is asked for.

Words are folded and stemmed; scripts written without spaces become pairs of characters, so that any part of a sentence
is found without a dictionary. A term is never empty, never longer than ``MAX_TERM_LENGTH``, and holds letters, digits
and marks only, save for the leading ``@`` of a date and the closing ``*`` of a prefix.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

from .dates import date_terms, dates_in_query
from .english import IRREGULAR_FORMS, STOPWORDS
from .text_forms import fold_text, split_runs

TOKENIZER_VERSION = "1"
"""Stored on every memory. Raise it with any change of what a text's terms are, a new stemmer included."""

# A B-tree entry is bounded, a word is not.
MAX_TERM_LENGTH = 64
PREFIX_MARK = "*"

_CONTRACTIONS = ("'s", "'m", "'re", "'ve", "'ll", "'d")
_FUNCTION_CHARACTERS = frozenset(
    "的了是在我你您他她它们这那和与及或也就都而着过吗呢吧啊呀嘛哦么之其于以为对把被给让从到向又还很太更最不没有会能可要想说什怎哪谁个些"
)


@dataclass(frozen=True, slots=True)
class IndexedTerms:
    """What a memory is found by: term -> how often. ``length`` counts neither dates nor closing characters."""

    terms: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a question asks for: term -> how often. ``ignored`` names its words that are too common to search for."""

    terms: Mapping[str, int]
    ignored: tuple[str, ...] = ()


def index_terms(text: str, *, author: str = "", moment: date | None = None) -> IndexedTerms:
    """The terms of a memory: the words of its author and its text, and the date of its time."""
    counts: dict[str, int] = {}
    length = 0
    for run in split_runs(fold_text(f"{author}\n{text}")):
        found = list(_pairs(run.text)) if run.unspaced else list(_words(run.text))
        length += len(found)
        _count(found, counts)
        if run.unspaced and len(run.text) > 1:
            _count(_closing(run.text), counts)
    _count(date_terms(moment) if moment else (), counts)
    return IndexedTerms(dict(sorted(counts.items())), length)


def query_terms(query: str) -> QueryTerms:
    """The terms of a question: its words, and the dates it names. One character alone asks for a prefix."""
    folded = fold_text(query)
    counts: dict[str, int] = {}
    ignored: dict[str, None] = {}
    for run in split_runs(folded):
        found = list(_query_pairs(run.text)) if run.unspaced else list(_words(run.text))
        _count(found, counts)
        if not found:
            ignored[run.text] = None
    _count(dates_in_query(folded), counts)
    return QueryTerms(dict(sorted(counts.items())), tuple(ignored))


def is_prefix(term: str) -> bool:
    return term.endswith(PREFIX_MARK)


def prefix_range(term: str) -> tuple[str, str]:
    """The bounds of a prefix among stored terms, compared by code point: ``low <= term < high``."""
    prefix = term.removesuffix(PREFIX_MARK)
    return prefix, prefix + "\U0010ffff"


def _count(terms: Iterator[str] | list[str] | tuple[str, ...], counts: dict[str, int]) -> None:
    for term in terms:
        counts[term] = counts.get(term, 0) + 1


def _words(run: str) -> Iterator[str]:
    for suffix in _CONTRACTIONS:
        if run.endswith(suffix):
            run = run.removesuffix(suffix)
            break
    word = run.replace("'", "")
    if word and word not in STOPWORDS:
        yield _stem(IRREGULAR_FORMS.get(word, word)[:MAX_TERM_LENGTH])


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    # A stemmer keeps the word it works on, so threads cannot share one.
    return EnglishStemmer().stemWord(word) if word.isascii() else word


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield from _closing(run)
    for first, second in zip(run, run[1:], strict=False):
        if first not in _FUNCTION_CHARACTERS or second not in _FUNCTION_CHARACTERS:
            yield first + second


def _closing(run: str) -> Iterator[str]:
    """A stretch's last character begins no pair; stored by itself, it is found by the prefix of one character."""
    if run[-1] not in _FUNCTION_CHARACTERS:
        yield run[-1]


def _query_pairs(run: str) -> Iterator[str]:
    if len(run) > 1:
        yield from _pairs(run)
    elif run not in _FUNCTION_CHARACTERS:
        yield run + PREFIX_MARK
