INGEST_SESSION = "memory.ingest_session"
INGEST_EVENTS = "memory.ingest_events"
TOPICS = (INGEST_SESSION, INGEST_EVENTS)
"""The jobs of this app; their payloads may hold what was said."""
