"""For all tests: an example may take as long as it takes. A machine that stalls for a moment breaks no promise."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# On top of what is in force: under CI, examples are the same in each run.
settings.register_profile(
    "patient",
    parent=settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, *settings().suppress_health_check],
)
settings.load_profile("patient")
