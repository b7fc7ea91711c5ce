"""The extractors that an ingestion runs, in order: what was said, explicit rules, a language model if one is named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_app.adapters.llm.extractor import ModelExtractor
from memory_app.config import model_access
from memory_app.domain.extract_excerpts import Extraction, SourceEvent, extract_excerpts
from memory_app.domain.extract_rules import extract_rules


class Extractor(Protocol):
    """Proposes candidates from events, which come in the order of seq. ``keep`` says that slow work is still alive.

    Those up to ``after_seq`` are there to be understood; candidates of them are not stored.
    """

    @property
    def name(self) -> str: ...

    @property
    def from_model(self) -> bool: ...

    def extract(self, events: Sequence[SourceEvent], keep: Callable[[], None], after_seq: int) -> Extraction: ...


@dataclass(frozen=True, slots=True)
class PureExtractor:
    """One of the extractors that need nothing but the events."""

    name: str
    function: Callable[[Sequence[SourceEvent]], Extraction]
    from_model: bool = False

    def extract(self, events: Sequence[SourceEvent], keep: Callable[[], None], after_seq: int = 0) -> Extraction:
        return self.function(events)


_PURE = (PureExtractor("excerpts", extract_excerpts), PureExtractor("rules", extract_rules))


def extractors() -> tuple[Extractor, ...]:
    access = model_access()
    return _PURE if access is None else (*_PURE, ModelExtractor(access))
