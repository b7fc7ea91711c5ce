"""Hypothesis without its clock: a busy machine is not a failure."""

from hypothesis import settings

settings.register_profile("domain", deadline=None)
settings.load_profile("domain")
