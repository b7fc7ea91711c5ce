"""Where things are in this checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "client"
DEFAULT_DATA_DIR = ROOT / ".threefold"


class Refusal(Exception):
    """The command cannot be carried out; the message says why in one sentence."""
