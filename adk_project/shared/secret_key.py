"""The embedded mode's secret key: made at the first start, kept in a file that only its owner can read."""

import os
import secrets
from pathlib import Path


def load_or_create_secret_key(path: Path) -> str:
    """The key in ``path``, made there when absent.

    Concurrency: two first starts at once agree on one key, and neither can see half of it: it appears by hard link.
    """
    if not path.exists():
        _create(path)
    return path.read_text().strip()


def _create(path: Path) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(48) + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
