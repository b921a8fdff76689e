"""The market of a node: what a visit costs, by what all pages of its shards ask for. See `schedule.price`.

One market for all shards, so that a page is visited for what it is worth, wherever it is. Each shard keeps its share
(`schedule.share`), written with the settlements that have changed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from msgspec import structs

from skitter.frontier.again import Terms
from skitter.schedule import classes
from skitter.schedule.bringing import LIST
from skitter.schedule.change import MATTERS
from skitter.schedule.freshness import with_check
from skitter.schedule.policy import Market, Place, Policy
from skitter.schedule.recrawl import BOUNDS, HostClass, class_of
from skitter.schedule.rules import POLICIES
from skitter.schedule.share import opened, repriced, with_step
from skitter.settings import Settings
from skitter.shard.records import HostRecord, UrlRecord
from skitter.shard.writer import Shard


class NodeMarket:
    """What a visit costs on this node. `part` says which part of all shards are its own."""

    def __init__(self, settings: Settings, part: Callable[[], float]) -> None:
        self._part = part
        self.take_settings(settings)
        self._market = opened((), self._every, self._most())

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
        self._otherwise = HostClass(schedule.host_class)
        self._given = classes.parsed(schedule.classes)
        make = POLICIES[schedule.policy]
        self._policies: dict[HostClass, Policy] = {name: make(BOUNDS[name]) for name in HostClass}

    def shards_changed(self, shards: Collection[Shard]) -> None:
        """Takes note that shards were opened or closed: the market is what the shares of these come to."""
        if self.is_open:
            self._market = opened([shard.share for shard in shards], self._every, self._most())

    def class_of(self, host: HostRecord) -> HostClass:
        """Returns the class of a host: the one that was set, or what its pages speak for."""
        given = classes.given_to(host.host, self._given) if self._given else None
        return given or class_of((host.place or Place()).votes, self._otherwise)

    def terms(self, host: HostRecord) -> Terms | None:
        """Returns what the next visits to pages of a host depend on; None: there are none."""
        if not self.is_open:
            return None
        given = classes.given_to(host.host, self._given) if self._given else None
        name = given or self.class_of(host)
        return Terms(self._policies[name], name, LIST if given is None else BOUNDS[given], self._market)

    def moved(self, shard: Shard, after: Market) -> None:
        """Takes note of what a page of a shard has changed."""
        shard.share = with_step(shard.share, self._market, after)
        self._market = repriced(after, self._every, self._most())

    @staticmethod
    def checked(shard: Shard, before: UrlRecord, after: UrlRecord) -> None:
        """Takes note of whether our copy of a page was fresh, if it was visited by lot."""
        if before.is_check and after.change is not None:
            measured = with_check(shard.share.measured, not MATTERS[after.change])
            shard.share = structs.replace(shard.share, measured=measured)

    def _most(self) -> float:
        return self._max_rate * self._part() if self._max_rate else math.inf
