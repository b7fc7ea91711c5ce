"""Memory that fills itself: a plugin that has each finished run ingested."""

import logging

from google.adk.agents.invocation_context import InvocationContext
from google.adk.plugins.base_plugin import BasePlugin
from typing_extensions import override

log = logging.getLogger(__name__)


class IngestPlugin(BasePlugin):
    """Adds the session to memory when a run has ended, never in the middle of a turn.

    Works with any memory service; with :class:`threefold.ThreefoldMemoryService` the server ingests what is new. A
    failure is logged and does not fail the run, whose answer the user has already seen; with ``strict`` it raises.
    """

    def __init__(self, name: str = "threefold_ingest", *, strict: bool = False) -> None:
        super().__init__(name)
        self._strict = strict

    @override
    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        service = invocation_context.memory_service
        if service is None:
            return
        try:
            await service.add_session_to_memory(invocation_context.session)
        except Exception as error:
            if self._strict:
                raise
            log.warning("The run was not added to memory (%s).", type(error).__name__)
