"""What a node's frontier has done since it was opened, as plain numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from skitter.messages import Errand, Kind, Reason
from skitter.settings import Settings

if TYPE_CHECKING:
    from skitter.robots.answer import Policy
    from skitter.shard.records import HostRecord


OF_LATE = 300.0
"""Seconds: what is said of late is of this long, or twice as long."""


class Tallied(Struct, frozen=True):
    """The tally at one moment."""

    leases: dict[str, int] = {}  # by errand
    expired: int = 0  # of them
    failures: dict[str, int] = {}  # tries that nobody was there to report: the lease ended, or the process died
    skipped: dict[str, int] = {}  # URLs, by reason
    traps: dict[str, int] = {}  # shapes and whole hosts that were closed as traps
    robots: dict[str, int] = {}  # robots.txt asked for, by what they came to; `failed`: nobody could say
    lookups: dict[str, int] = {}  # of the robots.txt of a URL whose turn has come, by who knew it
    crawl_delays: int = 0  # requests after which the host's Crawl-delay was waited out, not our own
    loads: int = 0  # requests whose answer took so long that the host rests longer than its delay


class Tally:
    """Counts what is leased, skipped and read."""

    def __init__(self) -> None:
        self._leases: Counter[Errand] = Counter()
        self._failures: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._traps: Counter[str] = Counter()
        self._robots: Counter[str] = Counter()
        self._expired = self._crawl_delays = self._loads = 0
        self.requests = self.probes = 0
        self._since = 0.0
        self._margin: float | None = None
        self._before: float | None = None

    def leased(self, errand: Errand) -> None:
        """Counts a lease."""
        self._leases[errand] += 1

    def probed(self) -> None:
        """Counts a probe: it goes out under the lease of the page that is doubted."""
        self.probes += 1

    def expired(self, errand: Errand) -> None:
        """Counts a lease that outlived its end."""
        self._expired += 1
        if errand is not Errand.ROBOTS:
            self._failures[Kind.LEASE_EXPIRED.value] += 1

    def crashed(self) -> None:
        """Counts a URL that the process before us died with."""
        self._failures[Kind.CRASHED_US.value] += 1

    def skipped(self, reason: Reason) -> None:
        """Counts a URL that was put aside."""
        self._skipped[reason.value] += 1

    def trapped(self, closed: Sequence[str]) -> None:
        """Counts what a page has shown to be traps: each once, however many of its URLs are skipped."""
        if closed:
            self._traps.update(closed)

    def read_robots(self, policy: Policy) -> None:
        """Counts a robots.txt that was asked for."""
        self._robots["failed" if policy.failures else policy.access.value] += 1

    def requested(self, host: HostRecord, settings: Settings, *, is_loaded: bool) -> None:
        """Counts a request whose host now rests: for longer than its delay if it is loaded."""
        self.requests += 1
        self._loads += is_loaded
        if host.crawl_delays and host.agreed_delay is None:
            other = max(settings.politeness.delay, host.pace.backoff)
            self._crawl_delays += max(host.crawl_delays.values()) > other

    def began(self, at: float, due: float) -> None:
        """Notes that a request went out to a host whose delay was over when it was `due`."""
        if at - self._since > OF_LATE:
            self._before, self._margin, self._since = self._margin, None, at
        over = at - due
        if self._margin is None or over < self._margin:
            self._margin = over

    def margin(self) -> float | None:
        """Returns the least that a request came later than it might have, of late; below zero, it came too soon."""
        return min((over for over in (self._before, self._margin) if over is not None), default=None)

    def tallied(self, lookups: Mapping[str, int]) -> Tallied:
        """Returns the numbers so far; `lookups` are those of the policies."""
        return Tallied(
            {errand.value: number for errand, number in self._leases.items()},
            self._expired,
            dict(self._failures),
            dict(self._skipped),
            dict(self._traps),
            dict(self._robots),
            dict(lookups),
            self._crawl_delays,
            self._loads,
        )
