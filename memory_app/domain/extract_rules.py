"""The ``rules`` extractor: what a user plainly says about themselves or asks to hold from now on, without a model.

It would rather miss than invent: questions, negations, suppositions, quotations and what others said give nothing. A
statement's key is the same in every language, so a later one replaces an earlier one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from . import rules_chinese, rules_english
from .entries import FACT, PREFERENCE, Candidate
from .extract_excerpts import Extraction, Skipped, SourceEvent, read_said
from .rule_shapes import ASKED, Rule
from .rule_words import CLOCKS, LANGUAGES, LENGTHS, MEASURES, TEMPERATURE_UNITS, any_of
from .sentences import Span, mask_quotes, split_clauses, split_sentences

NOT_FROM_USER, TOO_LONG = "not said by the user", "too long to be read by rules"

# Who pastes a document states nothing about themselves by it.
MAX_TEXT_LENGTH, MAX_SENTENCE_LENGTH, MAX_CLAUSES = 10_000, 500, 30

# Full-width forms and apostrophes as patterns expect them, one character for one, so that spans stay true.
_VIEW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x2018: "'", 0x2019: "'", 0xA0: " "}
_CONJUNCTION = re.compile(r"\b(?:and|but)\s+(?=(?:i|i'm|i've|my|please|also|always|call|from)\b)", re.IGNORECASE)

_BOTH = (rules_english, rules_chinese)
_RULES: tuple[Rule, ...] = rules_english.RULES + rules_chinese.RULES


def _either(name: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{getattr(module, name)})" for module in _BOTH), flags)


_LASTING = _either("LASTING_WORDS")
_ONE_TIME = _either("ONE_TIME_WORDS")
_HYPOTHETICAL = _either("HYPOTHETICAL")
_REPORTED = _either("REPORTED")
_TASK_ON_TEXT = _either("TASKS_ON_TEXT")
_TAG = _either("TAG_QUESTIONS")
_QUESTION = re.compile(rules_chinese.QUESTION_WORDS)
_REQUESTS = rules_english.STANDING_REQUESTS + rules_chinese.STANDING_REQUESTS
_REMEMBER = (rules_english.REMEMBER, rules_chinese.REMEMBER)
_LASTING_ONLY = re.compile(rf"(?:{_LASTING.pattern}|please|请|\s)+", re.IGNORECASE)
_ABOUT_SETTING = re.compile(
    "|".join(map(any_of, (TEMPERATURE_UNITS, LANGUAGES, MEASURES, CLOCKS, LENGTHS))), re.IGNORECASE
)
_NEGATED = re.compile(r"\b(?:never|not|don't|do not)\b|不要|别|勿", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement in a text. ``key`` and ``value`` are empty for a request that no rule knows by name."""

    kind: str
    key: str
    value: str
    confidence: float
    start: int
    end: int


def extract_rules(events: Iterable[SourceEvent]) -> Extraction:
    """The explicit preferences and facts in what users said; the events come in the order of seq."""
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for said in read_said(events):
        skipped += [Skipped(said.event_id, reason) for reason in said.skipped]
        if said.text and not said.is_from_user:
            skipped.append(Skipped(said.event_id, NOT_FROM_USER))
            continue
        if len(said.text) > MAX_TEXT_LENGTH:
            skipped.append(Skipped(said.event_id, TOO_LONG))
            continue
        candidates += [
            Candidate(
                kind=finding.kind,
                text=said.text[finding.start : finding.end],
                confidence=finding.confidence,
                key=finding.key or None,
                value=finding.value or None,
                event_id=said.event_id,
                seq=said.seq,
                author=said.author,
                start=finding.start,
                end=finding.end,
            )
            for finding in find_statements(said.text)
        ]
    return Extraction(tuple(candidates), tuple(skipped))


def find_statements(text: str) -> tuple[Finding, ...]:
    """The statements in one text, in their order; the same key and value are one statement."""
    found: dict[tuple[str, str, str, int], Finding] = {}
    view = mask_quotes(text.translate(_VIEW))
    for sentence in split_sentences(view):
        if _TASK_ON_TEXT.match(sentence.text):
            break
        for finding in _read_sentence(sentence) if len(sentence.text) <= MAX_SENTENCE_LENGTH else ():
            found.setdefault((finding.kind, finding.key, finding.value, 0 if finding.key else finding.start), finding)
    return tuple(found.values())


def _read_sentence(sentence: Span) -> list[Finding]:
    clauses = list(islice(_clauses(sentence), MAX_CLAUSES))
    stating = _stating(sentence, clauses)
    named: list[Finding] = []
    for index in stating:
        named += _read_clause(sentence, clauses[index], _start_with_lasting(clauses, index))
    if named or len(clauses) - 1 not in stating:
        return named
    return list(_read_unnamed(sentence))


def _clauses(sentence: Span) -> Iterator[Span]:
    for clause in split_clauses(sentence):
        position = 0
        for match in _CONJUNCTION.finditer(clause.text):
            if match.start() > position:
                yield Span(clause.text[position : match.start()].rstrip(), clause.start + position)
            position = match.end()
        yield Span(clause.text[position:], clause.start + position)


def _stating(sentence: Span, clauses: list[Span]) -> list[int]:
    """Which clauses may be statements: those that do not ask, and stand before any supposition or words of others."""
    if not clauses or _TAG.fullmatch(clauses[-1].text):
        return []
    supposed, reported = _HYPOTHETICAL.search(sentence.text), _REPORTED.search(sentence.text)
    asks = sentence.text.rstrip("\"'”’」』) ").endswith("?")
    return [
        index
        for index, clause in enumerate(clauses[:-1] if asks else clauses)
        if (supposed is None or clause.end - sentence.start < supposed.end())
        and (reported is None or clause.start - sentence.start < reported.end())
        and not _QUESTION.search(clause.text)
    ]


def _start_with_lasting(clauses: list[Span], index: int) -> int:
    """Where the clause starts, with a ``From now on,`` before it."""
    start = clauses[index].start
    while index and _LASTING_ONLY.fullmatch(clauses[index - 1].text):
        index -= 1
        start = clauses[index].start
    return start


def _read_clause(sentence: Span, clause: Span, start: int) -> Iterator[Finding]:
    offset = clause.start - sentence.start
    if _ONE_TIME.search(sentence.text):
        return
    for rule in _RULES:
        match = rule.pattern.match(sentence.text, offset)
        if match is None:
            continue
        confidence = rule.confidence_of(match, _LASTING.search(sentence.text, 0, match.end()) is not None)
        end = max(clause.end, sentence.start + match.end())
        readings = list(rule.read(match))
        yield from (Finding(rule.kind, key, value, confidence, start, end) for key, value in readings)
        if readings:
            return


def _read_unnamed(sentence: Span) -> Iterator[Finding]:
    text = sentence.text
    if any(pattern.match(text) for pattern in _REMEMBER):
        yield Finding(FACT, "", "", ASKED, sentence.start, sentence.end)
    elif (
        any(pattern.match(text) for pattern in _REQUESTS)
        and not _ONE_TIME.search(text)
        and not (_NEGATED.search(text) and _ABOUT_SETTING.search(text))
    ):
        yield Finding(PREFERENCE, "", "", ASKED, sentence.start, sentence.end)
