"""A text's sentences and their clauses, with what is quoted masked out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A private-use character: it is neither a letter, a space nor punctuation, so no rule reads across it.
MASK = "\ue0ff"

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|“[^”]*(?:”|\Z)|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|《[^》]*(?:》|\Z)|«[^»]*(?:»|\Z)"
    r"|\"[^\"]*\"|‘[^’]{0,200}’(?!\w)|(?<!\w)'[^'\n]{0,200}(?:'\w[^'\n]{0,200}){0,4}'(?!\w)|^[ \t]*>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?:[^.!?。！？；;\n…]|\.(?=\S))+(?:[.!?。！？；;…]+[\"'”’」』)）]*|\n|\Z)|[^\n]+?(?:\n|\Z)")
_CLAUSE = re.compile(r"[^,，、:：(（)）—]+")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, and where it stands in it."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def mask_quotes(text: str) -> str:
    """The text, as long as before, with everything quoted made unreadable."""
    return _QUOTED.sub(lambda match: MASK * len(match.group()), text)


def split_sentences(text: str) -> Iterator[Span]:
    """The sentences of a text without outer white space, with their closing marks."""
    for match in _SENTENCE.finditer(text):
        yield from _trim(match.group(), match.start())


def split_clauses(sentence: Span) -> Iterator[Span]:
    """The clauses of a sentence, between its commas and colons."""
    for match in _CLAUSE.finditer(sentence.text):
        yield from _trim(match.group(), sentence.start + match.start())


def _trim(text: str, start: int) -> Iterator[Span]:
    stripped = text.strip()
    if stripped:
        yield Span(stripped, start + text.index(stripped[0]))
