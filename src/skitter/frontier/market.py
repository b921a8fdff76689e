"""The market of a node: what a visit costs, by what all pages of its shards ask for. See `schedule.price`.

One market for all shards, so that a page is visited for what it is worth, wherever it is. Each shard keeps its share
(`schedule.share`), written with the settlements that have changed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from skitter.frontier.again import Terms
from skitter.schedule import classes
from skitter.schedule.bringing import LIST
from skitter.schedule.policy import Market, Place, Policy
from skitter.schedule.recrawl import BOUNDS, Bounds, HostClass, class_of
from skitter.schedule.rules import POLICIES
from skitter.schedule.share import opened, repriced, with_step
from skitter.schedule.shares import Both
from skitter.settings import Settings
from skitter.shard.records import HostRecord
from skitter.shard.writer import Shard


class NodeMarket:
    """What a visit costs on this node. `part` says which part of all shards are its own."""

    def __init__(self, settings: Settings, part: Callable[[], float]) -> None:
        self._part = part
        self.take_settings(settings)
        self._market = opened((), self._every, self._most)

    def __repr__(self) -> str:
        price = self._market.price
        asked = price.demand / price.capacity
        return f"<NodeMarket of {price.pages} pages: {price.value:.3g} s a visit, {asked:.0%} of them asked for>"

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        schedule = settings.schedule
        self.is_open = schedule.recrawl
        self._every = schedule.every
        self._max_rate = settings.politeness.max_rate * schedule.refresh_share
        self._most = self._at_most()
        self._otherwise = HostClass(schedule.host_class)
        self._given = classes.parsed(schedule.classes)
        make = POLICIES[schedule.policy]
        self._set: dict[HostClass, Policy] = {name: make(BOUNDS[name]) for name in HostClass}
        # Who set a class wants its pages seen so often. One that we learnt must not cost more than is afforded.
        learnt = BOUNDS if schedule.policy == "adaptive" else {name: _afforded(name, self._every) for name in HostClass}
        self._learnt: dict[HostClass, Policy] = {name: make(learnt[name]) for name in HostClass}

    def shards_changed(self, shards: Collection[Shard]) -> None:
        """Takes note that shards were opened or closed: the market is what the shares of these come to."""
        if self.is_open:
            self._most = self._at_most()
            self._market = opened([shard.share for shard in shards], self._every, self._most)

    @property
    def market(self) -> Market:
        """What is known of the crawl."""
        return self._market

    def class_of(self, host: HostRecord) -> HostClass:
        """Returns the class of a host: the one that was set, or what its pages speak for."""
        given = classes.given_to(host.host, self._given) if self._given else None
        return given or class_of((host.place or Place()).votes, self._otherwise)

    def terms(self, host: HostRecord) -> Terms | None:
        """Returns what the next visits to pages of a host depend on; None: there are none."""
        if not self.is_open:
            return None
        given = classes.given_to(host.host, self._given) if self._given else None
        if given is not None:
            return Terms(self._set[given], given, BOUNDS[given], self._market)
        name = class_of(host.place.votes, self._otherwise) if host.place is not None else self._otherwise
        return Terms(self._learnt[name], name, LIST, self._market)

    def moved(self, shard: Shard, after: Market, at: float = 0.0, brought: Both | None = None) -> None:
        """Takes note of what a page of a shard has changed, and of what the node's requests have brought by then."""
        shard.share = with_step(shard.share, self._market, after, at, brought)
        self._market = repriced(after, self._every, self._most)

    def _at_most(self) -> float:
        """Returns the visits a second that there may be; without a limit, and without shards, that is no matter.

        Not at each visit: to tell how many shards there are, all slots are looked at.
        """
        return self._max_rate * self._part() or math.inf


def _afforded(name: HostClass, every: float) -> Bounds:
    """Returns the bounds of a class that was learnt: no page must be seen more often than all are in the mean."""
    return BOUNDS[name]._replace(ceiling=max(BOUNDS[name].ceiling, every))
