"""How well a host has answered of late, from 0 (never) to 1 (always).

An exponentially weighted mean of good answers (1) and failures that are the host's (0): one plain number, in which
the last answers weigh most. A failure of the URL alone, such as a 404, says nothing about the host.
"""

from __future__ import annotations

from skitter.messages import Kind
from skitter.politeness.backoff import is_host_failure

UNKNOWN = 1.0
"""A host of which nothing is known is taken for a good one."""

WEIGHT = 0.1
"""What the newest outcome counts: about the last twenty decide (0.9^20 = 12 % is left of all before)."""


def health_after(health: float, kind: Kind | None) -> float:
    """Returns the health after one more outcome: None for a good answer, else what went wrong."""
    if kind is not None and not is_host_failure(kind):
        return health
    outcome = 1.0 if kind is None else 0.0
    return health + WEIGHT * (outcome - health)
