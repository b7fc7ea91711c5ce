"""The server's version. ``pyproject.toml`` says the same; a test holds them together."""

VERSION = "0.1.0"
