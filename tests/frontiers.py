"""A frontier on RocksDB without a node or a crawl's folder around it."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from pathlib import Path

from skitter.clock import Clock
from skitter.frontier.frontier import Frontier
from skitter.settings import Settings
from skitter.shard.rocks import RocksStores
from skitter.shard.writer import Shard
from skitter.url.domains import Domains
from skitter.url.routes import Routes


def opened_frontier(
    directory: Path,
    settings: Settings,
    owned: Collection[int],
    clock: Clock,
    roll: Callable[[], float] = random.random,
    routes: Routes | None = None,
) -> Frontier:
    """Returns the frontier of a node that owns these shards of the crawl in `directory`."""
    stores = RocksStores(directory, settings.frontier.store_memory)
    routes = routes or Routes(Domains(), settings.frontier.shards)
    return Frontier(stores, routes, settings, owned, clock, roll)


def opened_shard(
    directory: Path, number: int = 0, shards: int = 1, memory: int = 16 * 1024**2, now: float = 1.0
) -> Shard:
    """Returns one shard of the crawl in `directory`."""
    return Shard(RocksStores(directory, memory), number, shards, now)


def commit(shard: Shard) -> None:
    """Makes durable what was noted in a shard that has no committer."""
    shard.commit_arrivals()
    shard.commit_settlements()


def close_in_order(shard: Shard) -> None:
    """Closes a shard as its node does at a stop."""
    commit(shard)
    shard.keep_filter()
    shard.close()
