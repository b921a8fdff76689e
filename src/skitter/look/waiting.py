"""What the queued URLs of a crawl are waiting for."""

from __future__ import annotations

from collections import Counter

from skitter.frontier.records import ROBOTS, HostRecord, RobotsRecord
from skitter.look.folder import Folder, ShardLook
from skitter.look.hosts import Standing, host_look
from skitter.messages import State
from skitter.settings import Settings
from skitter.url.keys import host_of


def waiting(folder: Folder, now: float) -> dict[Standing, int]:
    """Returns how many queued URLs wait for what. It takes as long as there are queued ones."""
    found: Counter[Standing] = Counter()
    for shard in folder.shards():
        found.update(_of_shard(shard, folder.settings, now))
    return dict(found)


def _of_shard(shard: ShardLook, settings: Settings, now: float) -> Counter[Standing]:
    queued = Counter(key[1:].partition(b"\0")[0].decode() for key, _ in shard.items(b"q"))
    if not queued:
        return Counter()
    robots: dict[str, list[RobotsRecord]] = {}
    for key, raw in shard.items(b"r"):
        robots.setdefault(host_of(key[1:].decode()), []).append(ROBOTS.decode(raw))
    found: Counter[Standing] = Counter()
    for name, many in queued.items():
        record = shard.host(name) or HostRecord(name, now)
        look = host_look(record, robots.get(name, ()), Counter({State.QUEUED: many}), settings, now)
        found[look.standing] += many
    return found
