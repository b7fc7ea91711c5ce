"""What a memory claims: when two texts say the same, and which of two that contradict each other holds."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_CLAIM_TAG = b"threefold claim 1\0"

# Apostrophes join the parts of a word; a sign inside a number, and signs such as + and #, are part of what is said.
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc`\u00b4]")
_INSIDE_NUMBERS = re.compile(r"(?<=\d)([.,:/-])(?=\d)")
_PUNCTUATION = re.compile(
    r"[.,:;!?\"()\[\]{}<>|~_\u00a1\u00ab\u00b7\u00bb\u00bf\u060c\u061b\u061f\u06d4\u0964\u0965\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u301f\u30fb]+"
)
_JOINED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
_SPACE_BESIDE_JOINED = re.compile(rf"(?<=[{_JOINED}]) +| +(?=[{_JOINED}])")


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim under a key. ``valid_from`` is when it was said; ``seq`` and ``start`` order what one session said."""

    value: str
    valid_from: float
    seq: int = 0
    start: int = 0
    session: str = ""


ADD, REPEAT, SUPERSEDE, LATE = "add", "repeat", "supersede", "late"
"""What a new statement does: first of its key, says what holds already, replaces it, or comes after a newer one."""


def normalize_claim(text: str) -> str:
    """One spelling for texts that say the same in the same words: NFKC, case, white space, punctuation.

    A text of nothing but punctuation keeps it, so that two such texts stay two claims.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = _PUNCTUATION.sub(" ", _hide_number_signs(_APOSTROPHES.sub("", folded)))
    words = " ".join(plain.translate(_SHOWN).split())
    return _SPACE_BESIDE_JOINED.sub("", words).strip(" -") or " ".join(folded.split())


def claim_digest(key: bytes, text: str) -> bytes:
    """The keyed digest of a claim, which says nothing about the claim to those without the key."""
    message = _CLAIM_TAG + normalize_claim(text).encode("utf-8", "surrogatepass")
    return hmac.new(key, message, hashlib.sha256).digest()


def is_later(new: Statement, old: Statement) -> bool:
    """Whether ``new`` holds over ``old``: the greater (valid_from, source seq), then the later in its event.

    The rest of the comparison only keeps the answer the same whichever of the two arrives first.
    """
    return _age(new) > _age(old)


def compare_statements(active: Statement | None, new: Statement) -> str:
    """What a new statement does to the one that holds: ADD, REPEAT, SUPERSEDE or LATE."""
    if active is None:
        return ADD
    if normalize_claim(active.value) == normalize_claim(new.value):
        return REPEAT
    return SUPERSEDE if is_later(new, active) else LATE


def statement_in_force(statements: Iterable[Statement], as_of: float | None = None) -> Statement | None:
    """The statement that holds, now or at an earlier time; in whatever order they arrived."""
    known = (item for item in statements if as_of is None or item.valid_from <= as_of)
    return max(known, key=_age, default=None)


def _age(statement: Statement) -> tuple[float, int, int, str, str]:
    return statement.valid_from, statement.seq, statement.start, statement.session, normalize_claim(statement.value)


# Signs inside numbers are moved out of the way of _PUNCTUATION, and back.
_HIDDEN = {sign: chr(0xE000 + index) for index, sign in enumerate(".,:/-")}
_SHOWN = {ord(hidden): sign for sign, hidden in _HIDDEN.items()}


def _hide_number_signs(text: str) -> str:
    return _INSIDE_NUMBERS.sub(lambda match: _HIDDEN[match.group()], text)
