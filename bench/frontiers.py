"""A frontier on RocksDB without a node around it."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from pathlib import Path

from skitter.frontier.frontier import Frontier
from skitter.settings import Settings
from skitter.shard.rocks import RocksStores
from skitter.url.domains import Domains
from skitter.url.routes import Routes


def opened_frontier(
    directory: Path,
    settings: Settings,
    owned: Collection[int],
    clock: Callable[[], float],
    roll: Callable[[], float] = random.random,
    routes: Routes | None = None,
) -> Frontier:
    """Returns the frontier of a node that owns these shards of the crawl in `directory`."""
    stores = RocksStores(directory, settings.frontier.store_memory)
    routes = routes or Routes(Domains(), settings.frontier.shards)
    return Frontier(stores, routes, settings, owned, clock, roll)
