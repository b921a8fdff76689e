"""What an audit found: violations with their evidence, and how much was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

SHOWN = 20
"""Violations of each kind that a report shows; all are counted."""


class Breach(StrEnum):
    """What kind of promise was broken."""

    TOO_EARLY = "too_early"
    NOT_SLOWED = "not_slowed"
    LOADED = "loaded"
    AT_ONCE = "at_once"
    BEFORE_RETRY_AFTER = "before_retry_after"
    ROBOTS_UNKNOWN = "robots_unknown"
    ROBOTS_STALE = "robots_stale"
    ROBOTS_UNREADABLE = "robots_unreadable"
    FORBIDDEN = "forbidden"
    FALSE_ERRAND = "false_errand"
    DAMAGED = "damaged"
    BAD_DIGEST = "bad_digest"
    MISMATCHED = "mismatched"
    DANGLING = "dangling"
    NO_SETTINGS = "no_settings"


MEANINGS: dict[Breach, str] = {
    Breach.TOO_EARLY: "a request followed the one before it sooner than the host's delay",
    Breach.NOT_SLOWED: "a 429, a 503, a reset or a time-out did not slow us down",
    Breach.LOADED: "a host that took long to answer was asked again too soon for that",
    Breach.AT_ONCE: "two requests to a host were under way at the same time",
    Breach.BEFORE_RETRY_AFTER: "a request went out before the Retry-After of an earlier answer was over",
    Breach.ROBOTS_UNKNOWN: "a request went out before robots.txt of its origin was answered",
    Breach.ROBOTS_STALE: "a request went out when the robots.txt that we knew was no longer good",
    Breach.ROBOTS_UNREADABLE: "a request went out though robots.txt could not be read",
    Breach.FORBIDDEN: "robots.txt forbids what was asked for",
    Breach.FALSE_ERRAND: "what is said to be robots.txt is not, and no redirect of one led there",
    Breach.DAMAGED: "a file holds something that is not a whole record",
    Breach.BAD_DIGEST: "a record does not match its own digest",
    Breach.MISMATCHED: "request, answer and metadata do not belong together",
    Breach.DANGLING: "a revisit refers to a record that is not there, or has another payload",
    Breach.NO_SETTINGS: "a file does not say under which settings it was written",
}


class Violation(Struct, frozen=True, omit_defaults=True):
    """One broken promise. The evidence is the record at `offset` of `file`; the times are those of `urls`."""

    kind: Breach
    file: str
    offset: int
    why: str = ""
    host: str = ""
    urls: Sequence[str] = ()
    times: Sequence[float] = ()
    gap: float | None = None
    required: float | None = None


class Report(Struct, frozen=True):
    """The outcome of an audit. `shown` has the first violations of each kind; `counts` counts all of them."""

    files: int
    size: int  # bytes
    records: int
    requests: int
    robots: int  # requests for robots.txt, redirects of it included
    hosts: int
    closest: float | None  # the least that any gap was over the delay it had to keep; below 0: it was not kept
    digests: bool  # whether digests were recomputed
    tolerance: float
    counts: Mapping[Breach, int] = {}
    shown: Sequence[Violation] = ()
    notes: Sequence[str] = ()  # what is in order but worth knowing, such as a file that is still open

    @property
    def is_clean(self) -> bool:
        """Whether every promise was kept."""
        return not self.counts


class Tally:
    """Counts violations, and keeps the first few of each kind."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._limit = shown
        self.counts: Counter[Breach] = Counter()
        self.shown: dict[Breach, list[Violation]] = {}

    def add(self, violation: Violation) -> None:
        """Takes note of one."""
        self.counts[violation.kind] += 1
        kept = self.shown.setdefault(violation.kind, [])
        if len(kept) < self._limit:
            kept.append(violation)

    def in_order(self) -> list[Violation]:
        """Returns what is kept, kind by kind."""
        return [violation for kind in Breach for violation in self.shown.get(kind, ())]
