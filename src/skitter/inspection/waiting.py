"""What the queued URLs of a crawl are waiting for."""

from __future__ import annotations

from collections import Counter

from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.hosts import host_look
from skitter.inspection.standing import Standing
from skitter.messages import State
from skitter.settings import Settings
from skitter.shard.records import ROBOTS, HostRecord, RobotsRecord
from skitter.url.keys import host_of


def waiting(folder: Folder, now: float) -> dict[Standing, int]:
    """Returns how many queued URLs wait for what. It takes as long as there are hosts that have some."""
    found: Counter[Standing] = Counter()
    for shard in folder.shards():
        found.update(_of_shard(shard, folder.settings, now))
    return dict(found)


def _of_shard(shard: ShardLook, settings: Settings, now: float) -> Counter[Standing]:
    standings = _standings(shard, settings, now)
    found: Counter[Standing] = Counter()
    if standings:
        # The shard knows how many it has queued: where hosts wait for what most do, no URL need be counted.
        usual = Counter(standings.values()).most_common(1)[0][0]
        for name, standing in standings.items():
            if standing is not usual:
                found[standing] += shard.queued(name)
        found[usual] = shard.counts()[State.QUEUED] - found.total()
    return found


def _standings(shard: ShardLook, settings: Settings, now: float) -> dict[str, Standing]:
    """Returns what each host that has something queued waits for."""
    robots: dict[str, list[RobotsRecord]] = {}
    for key, raw in shard.iterate(b"r"):
        robots.setdefault(host_of(key[1:].decode()), []).append(ROBOTS.decode(raw))
    found: dict[str, Standing] = {}
    for name in shard.queued_hosts():
        record, domain = shard.host(name) or HostRecord(name, now), shard.domain(shard.domain_of(name))
        found[name] = host_look(
            record, robots.get(name, ()), Counter({State.QUEUED: 1}), settings, now, domain
        ).standing
    return found
