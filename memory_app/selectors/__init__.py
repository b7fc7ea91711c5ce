"""Reads of memory: ``entries`` one by one and in lists, and ``search``."""
