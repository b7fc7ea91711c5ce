"""What asking a language model cost, and how it ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelUse:
    """``calls`` counts requests, repeated ones too. ``failure`` is a stable word; ``may_pass`` says that a later
    attempt may do better."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    failure: str | None = None
    may_pass: bool = False

    def as_json(self) -> dict[str, object]:
        counts = {"calls": self.calls, "tokensIn": self.tokens_in, "tokensOut": self.tokens_out}
        return counts | ({"failure": self.failure} if self.failure else {})
