"""Which handler works on which topic. Each app registers its own when Django starts."""

from jobs_app.domain.records import Handler

_handlers: dict[str, Handler] = {}


def register_handler(topic: str, handler: Handler) -> None:
    _handlers[topic] = handler


def find_handler(topic: str) -> Handler:
    """Raises KeyError for a topic that no installed app knows."""
    return _handlers[topic]
