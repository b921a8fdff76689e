"""Shares of a node's requests: what is leased next, of a host and of all that are ready. See `schedule.shares`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skitter.frontier.statistics import Shared
from skitter.messages import Errand, Outcome, Reason
from skitter.schedule.bringing import is_list
from skitter.schedule.change import MATTERS, Change
from skitter.schedule.shares import NOTHING, Both, Purpose, after, share_of_refresh
from skitter.settings import Settings

if TYPE_CHECKING:
    from skitter.frontier.host import Host
    from skitter.shard.records import UrlRecord

FORGIVEN = 8.0
"""Requests that are owed to a kind, at most: one that had nothing to do for a while does not take all after it."""
AGAINST = frozenset({Reason.NEAR_DUPLICATE, Reason.SOFT_404, Reason.TRAP})


class Sharing:
    """Knows what both kinds have brought of late, and which of them is owed a request."""

    def __init__(self, settings: Settings) -> None:
        self.brought: Both = (NOTHING, NOTHING)
        self._is_own = False  # what was brought, since something was settled after the start
        self._owed = 0.0  # to refresh; less than none: to discovery
        self.leased = [0, 0]
        self.gained = [0.0, 0.0]
        self.take_settings(settings)

    def __repr__(self) -> str:
        return f"<Sharing: {self.share:.0%} to refresh, {self.leased} leased, {self.gained} gained>"

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._wanted = settings.schedule.refresh_share
        self.share = share_of_refresh(self.brought, self._wanted)

    def recall(self, brought: Both) -> None:
        """Goes on from what was brought before the start, as long as nothing was since."""
        if not self._is_own:
            self.brought = brought
            self.share = share_of_refresh(brought, self._wanted)

    def statistics(self) -> Shared:
        """Returns the shares so far."""
        names = [purpose.name.lower() for purpose in Purpose]
        leased, gained = dict(zip(names, self.leased, strict=True)), dict(zip(names, self.gained, strict=True))
        return Shared(self.share, leased, gained)

    def wished(self) -> Purpose:
        """Returns the kind that is behind."""
        return Purpose.REFRESH if self._owed > 0.0 else Purpose.DISCOVERY

    def of_host(self, host: Host) -> Purpose:
        """Returns the kind that is behind on a host that has something of both."""
        return Purpose.REFRESH if host.owed + self.share >= 1.0 else Purpose.DISCOVERY

    def lease(self, host: Host, purpose: Purpose, *, had_both: bool) -> None:
        """Takes note of a lease; `had_both`: the host had a choice."""
        self.leased[purpose] += 1
        is_refresh = purpose is Purpose.REFRESH
        self._owed = min(FORGIVEN, max(-FORGIVEN, self._owed + self.share - is_refresh))
        if had_both:
            host.owed += self.share - is_refresh

    def settle(self, before: UrlRecord, seen: UrlRecord, outcome: Outcome) -> None:
        """Takes note of what a request has brought."""
        purpose = purpose_of(before)
        gained = gain(before, seen, outcome)
        self.gained[purpose] += gained
        discovery, refresh = self.brought
        if purpose is Purpose.REFRESH:
            refresh = after(refresh, gained)
        else:
            discovery = after(discovery, gained)
        self.brought, self._is_own = (discovery, refresh), True
        self.share = share_of_refresh(self.brought, self._wanted)


def purpose_of(url: UrlRecord) -> Purpose:
    """Returns what a request for a URL is for. What leads to new pages is read for them, however often."""
    if url.last_fetched is None or url.errand is not Errand.PAGE:
        return Purpose.DISCOVERY
    if url.render is not None and url.render.is_next and url.render.at is None:
        return Purpose.DISCOVERY  # it was seen, but not read
    return Purpose.DISCOVERY if url.brought is not None and is_list(url.brought) else Purpose.REFRESH


def gain(before: UrlRecord, seen: UrlRecord, outcome: Outcome) -> float:
    """Returns the importance of a page that is new, or says something new; 0 of any other outcome."""
    if outcome.failure is not None or outcome.stored is None or seen.errand is not Errand.PAGE:
        return 0.0
    if before.last_fetched is not None:
        return seen.priority if MATTERS[seen.change or Change.NONE] else 0.0
    is_new = outcome.status == 200 and not outcome.stored.revisit and AGAINST.isdisjoint(outcome.verdict.reasons)
    return seen.priority if is_new else 0.0
