"""What the queued URLs of a crawl are waiting for."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from msgspec import Struct

from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.hosts import host_look
from skitter.inspection.standing import Standing
from skitter.messages import State
from skitter.settings import Settings
from skitter.shard.records import HostRecord

HELD = (Standing.SINGLE, Standing.UNVOUCHED, Standing.OVER_BUDGET, Standing.BLOCKED)
"""What a whole domain is held back for: what somebody may want to know the name of, and to do something about."""
NAMED = 3
LOOKED_AT = 20_000
"""Hosts with something queued that are looked at, of all shards: about a second."""


class Held(Struct, frozen=True):
    """Queued URLs that are held back for the same, of how many hosts, and the domains with the most of them."""

    standing: Standing
    urls: int
    hosts: int
    domains: list[str]
    at_least: bool = False  # there are more hosts with something queued than were looked at


class Holding:
    """Adds up what is held back in all shards."""

    def __init__(self, shards: int = 1) -> None:
        self._limit = max(1, LOOKED_AT // shards)
        self._is_cut = False
        self._hosts: Counter[Standing] = Counter()
        self._urls: dict[Standing, Counter[str]] = {standing: Counter() for standing in HELD}

    def take(self, shard: ShardLook, settings: Settings, now: float) -> None:
        """Takes a shard: no more of its hosts than are looked at in all of them."""
        standings = _standings(shard, settings, now, self._limit)
        self._is_cut |= len(standings) == self._limit
        for name, standing in standings.items():
            if standing in self._urls:
                self._hosts[standing] += 1
                self._urls[standing][shard.domain_of(name)] += shard.queued(name)

    def told(self) -> list[Held]:
        """Returns what is held back, for each reason that there is."""
        return [
            Held(
                standing,
                urls.total(),
                self._hosts[standing],
                [name for name, _ in urls.most_common(NAMED)],
                self._is_cut,
            )
            for standing, urls in self._urls.items()
            if urls
        ]


def waiting(folder: Folder, now: float) -> dict[Standing, int]:
    """Returns how many queued URLs wait for what, as far as the hosts tell that are looked at."""
    found: Counter[Standing] = Counter()
    limit = max(1, LOOKED_AT // folder.settings.frontier.shards)
    for shard in folder.shards():
        found.update(_of_shard(shard, folder.settings, now, limit))
    return dict(found)


def _of_shard(shard: ShardLook, settings: Settings, now: float, limit: int) -> Counter[Standing]:
    standings = _standings(shard, settings, now, limit)
    found: Counter[Standing] = Counter()
    if standings:
        # The shard knows how many it has queued: where hosts wait for what most do, no URL need be counted.
        usual = Counter(standings.values()).most_common(1)[0][0]
        for name, standing in standings.items():
            if standing is not usual:
                found[standing] += shard.queued(name)
        found[usual] = shard.counts()[State.QUEUED] - found.total()
    return found


def _standings(shard: ShardLook, settings: Settings, now: float, limit: int) -> dict[str, Standing]:
    """Returns what the hosts that have something queued wait for, the first ones by name."""
    found: dict[str, Standing] = {}
    for name in islice(shard.queued_hosts(), limit):
        record, domain = shard.host(name) or HostRecord(name, now), shard.domain(shard.domain_of(name))
        one = Counter({State.QUEUED: 1})
        look = host_look(record, shard.robots_of(name), one, settings, now, domain, shard.is_single)
        found[name] = look.standing
    return found
