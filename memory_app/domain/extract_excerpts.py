"""What was said, word for word: each event's own text is one EXCERPT, and everything that nobody said is left out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from .claims import normalize_claim
from .entries import EXCERPT, Candidate
from .model_use import ModelUse
from .recalled import cut_recalled, recalled_texts
from .sentences import split_sentences

USER = "user"
PARTIAL, ERROR, COMPACTION, REWIND, SYSTEM, THOUGHT, CALL, RESPONSE, CODE, ATTACHMENT, RECALLED, EMPTY = (
    "partial event",
    "error event",
    "compaction",
    "rewind",
    "system text",
    "thought",
    "function call",
    "function response",
    "code",
    "attachment",
    "recalled memory",
    "no text",
)
"""Why an event or a part of it is not remembered."""

_NO_TALK = (
    (("functionCall", "toolCall"), CALL),
    (("functionResponse", "toolResponse"), RESPONSE),
    (("executableCode", "codeExecutionResult"), CODE),
    (("inlineData", "fileData"), ATTACHMENT),
)


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """One event of a session's log: its place, and its JSON in ADK's camelCase."""

    event_id: str
    seq: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SaidText:
    """What one event says in its own words, and what of it was left out."""

    event_id: str
    seq: int
    author: str
    text: str
    skipped: tuple[str, ...] = ()

    @property
    def is_from_user(self) -> bool:
        return self.author == USER


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that no candidate was made of, and why."""

    event_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor proposes, and what it left out; ``model`` where it asked one."""

    candidates: tuple[Candidate, ...]
    skipped: tuple[Skipped, ...] = ()
    model: ModelUse | None = None


def extract_excerpts(events: Iterable[SourceEvent]) -> Extraction:
    """One EXCERPT per event that says something; the events come in the order of seq."""
    said = list(read_said(events))
    candidates = [_excerpt(item) for item in said if item.text]
    skipped = [Skipped(item.event_id, reason) for item in said for reason in item.skipped]
    return Extraction(tuple(candidates), tuple(skipped))


def read_said(events: Iterable[SourceEvent]) -> Iterator[SaidText]:
    """What each event says. What an agent only repeats from memories recalled before is not new."""
    recalled: set[str] = set()
    for event in events:
        recalled.update(normalize_claim(text) for text in recalled_texts(event.body))
        yield _read_event(event, recalled)


def _excerpt(said: SaidText) -> Candidate:
    return Candidate(
        kind=EXCERPT,
        text=said.text,
        confidence=1.0,
        event_id=said.event_id,
        seq=said.seq,
        author=said.author,
        end=len(said.text),
    )


def _read_event(event: SourceEvent, recalled: Set[str]) -> SaidText:
    author = event.body.get("author")
    author = author if isinstance(author, str) else ""
    reason = _event_reason(event.body, author)
    if reason:
        return SaidText(event.event_id, event.seq, author, "", (reason,))
    texts, skipped = _read_parts(_parts_of(event.body))
    text = "\n".join(texts).strip()
    if text and author != USER and _only_repeats(text, recalled):
        text, skipped = "", [*skipped, RECALLED]
    if not text and not skipped:
        skipped = [EMPTY]
    return SaidText(event.event_id, event.seq, author, text, tuple(dict.fromkeys(skipped)))


def _event_reason(body: Mapping[str, Any], author: str) -> str | None:
    actions = body.get("actions")
    actions = actions if isinstance(actions, Mapping) else {}
    content = body.get("content")
    role = content.get("role") if isinstance(content, Mapping) else None
    checks = (
        (body.get("partial") is True, PARTIAL),
        (bool(body.get("errorCode") or body.get("errorMessage")), ERROR),
        (bool(actions.get("compaction")), COMPACTION),
        (bool(actions.get("rewindBeforeInvocationId")), REWIND),
        (author == "system" or role in ("system", "developer"), SYSTEM),
    )
    return next((reason for holds, reason in checks if holds), None)


def _parts_of(body: Mapping[str, Any]) -> Sequence[Any]:
    content = body.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return parts if isinstance(parts, list | tuple) else ()


def _read_parts(parts: Sequence[Any]) -> tuple[list[str], list[str]]:
    texts, skipped = [], []
    for part in parts:
        if not isinstance(part, Mapping):
            continue
        reason = _part_reason(part)
        text = part.get("text")
        if reason:
            skipped.append(reason)
        elif isinstance(text, str) and text.strip():
            own = cut_recalled(text)
            texts += [own] if own.strip() else []
            skipped += [RECALLED] if own != text else []
    return texts, skipped


def _part_reason(part: Mapping[str, Any]) -> str | None:
    if part.get("thought") is True:
        return THOUGHT
    return next((reason for names, reason in _NO_TALK if any(part.get(name) is not None for name in names)), None)


def _only_repeats(text: str, recalled: Set[str]) -> bool:
    if not recalled:
        return False
    claims = (normalize_claim(sentence.text) for sentence in split_sentences(text))
    return normalize_claim(text) in recalled or all(claim in recalled for claim in claims)
