"""A slow host is a loaded host: how long it is left alone because its last answer took its time. Pure.

    due = began + max(delay, min(longest, factor × took))

`took` is counted from the moment at which the request was written to the last byte of its answer, or to when that was
given up. A host that needs five seconds for a page is asked again ten seconds after it was asked, so that our requests
take no more than half of what one of its workers can do. It follows at once in both directions: the next answer alone
says how long the next rest is. A large file that comes slowly must not stop a host for long: hence the longest.
"""

from __future__ import annotations

from skitter.politeness.delay import next_visit
from skitter.settings import PolitenessSettings

RESTARTING = 0.1
"""Seconds that pass at least before a process that was killed has an heir which asks for anything."""


def load_wait(took: float, settings: PolitenessSettings) -> float:
    """Returns the seconds from a request to the next one, for a host whose answer took so long."""
    return min(settings.max_load_wait, settings.load_factor * took)


def rested_at(began: float, took: float, delay: float, settings: PolitenessSettings) -> float:
    """Returns when a host may be asked again, by its delay and by how long its answer took."""
    return next_visit(began, max(delay, load_wait(took, settings)))


def outlasts_a_restart(took: float, delay: float, settings: PolitenessSettings) -> bool:
    """Whether a host is owed more than the delay that every host rests after a start: then it must not be forgotten."""
    return load_wait(took, settings) - took > delay + RESTARTING
