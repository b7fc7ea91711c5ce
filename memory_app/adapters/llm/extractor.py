"""The extractor that asks a language model. Off unless the operator names one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_app.adapters.llm.client import ModelClient, ModelFailure
from memory_app.adapters.llm.wires import Question
from memory_app.config import ModelAccess
from memory_app.domain.extract_excerpts import Extraction, SourceEvent, read_said
from memory_app.domain.model_answer import read_answer
from memory_app.domain.model_prompt import ANSWER_SCHEMA, INSTRUCTIONS, Portion, split_portions
from memory_app.domain.model_use import ModelUse

# Below the workers' time limit, and the bill of one ingestion is bounded.
LONGEST_SECONDS, MOST_PORTIONS = 120.0, 50
TOO_MUCH = "too_much_text"


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks about each portion of what users said. What it found before a failure counts."""

    access: ModelAccess
    name: str = "llm"
    from_model: bool = True

    def extract(self, events: Sequence[SourceEvent], keep: Callable[[], None], after_seq: int = 0) -> Extraction:
        portions = split_portions(read_said(events), after_seq)
        client = ModelClient(self.access, keep)
        found: list[Extraction] = []
        failure: ModelFailure | None = None
        try:
            with client.connected():
                _ask_all(client, portions, found)
        except ModelFailure as caught:
            failure = caught
        return Extraction(
            candidates=tuple(item for each in found for item in each.candidates),
            skipped=tuple(item for each in found for item in each.skipped),
            model=ModelUse(
                client.calls,
                client.tokens_in,
                client.tokens_out,
                failure.code if failure else None,
                bool(failure and failure.may_pass),
            ),
        )


def _ask_all(client: ModelClient, portions: Sequence[Portion], found: list[Extraction]) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    for number, portion in enumerate(portions):
        if number >= MOST_PORTIONS or time.monotonic() > end:
            raise ModelFailure(TOO_MUCH, may_pass=False)
        _ask(client, portion, found)


def _ask(client: ModelClient, portion: Portion, found: list[Extraction]) -> None:
    question = Question(INSTRUCTIONS, portion.transcript(), ANSWER_SCHEMA)
    client.ask(question, lambda text: found.append(read_answer(text, portion)))
