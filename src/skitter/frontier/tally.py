"""What a node's frontier has done since it was opened, as plain numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from skitter.messages import Errand, Reason
from skitter.settings import Settings

if TYPE_CHECKING:
    from skitter.robots.answer import Policy
    from skitter.shard.records import HostRecord


class Tallied(Struct, frozen=True):
    """The tally at one moment."""

    leases: dict[str, int] = {}  # by errand
    expired: int = 0  # of them
    skipped: dict[str, int] = {}  # URLs, by reason
    robots: dict[str, int] = {}  # robots.txt asked for, by what they came to; `failed`: nobody could say
    crawl_delays: int = 0  # requests after which the host's Crawl-delay was waited out, not our own


class Tally:
    """Counts what is leased, skipped and read."""

    def __init__(self) -> None:
        self._leases: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._robots: Counter[str] = Counter()
        self._expired = self._crawl_delays = 0

    def leased(self, errand: Errand) -> None:
        """Counts a lease."""
        self._leases[errand.value] += 1

    def expired(self) -> None:
        """Counts a lease that outlived its end."""
        self._expired += 1

    def skipped(self, reason: Reason) -> None:
        """Counts a URL that was put aside."""
        self._skipped[reason.value] += 1

    def read_robots(self, policy: Policy) -> None:
        """Counts a robots.txt that was asked for."""
        self._robots["failed" if policy.failures else policy.access.value] += 1

    def requested(self, host: HostRecord, settings: Settings) -> None:
        """Counts a request whose host now rests."""
        if host.crawl_delays and host.agreed_delay is None:
            self._crawl_delays += max(host.crawl_delays.values()) > settings.politeness.delay

    def tallied(self) -> Tallied:
        """Returns the numbers so far."""
        return Tallied(dict(self._leases), self._expired, dict(self._skipped), dict(self._robots), self._crawl_delays)
