"""What a frontier can come to hold in memory, from its settings alone. Pure; docs/memory.md says how to use it.

The rows are sizes of Python's and RocksDB's objects as `bench/ceiling.py` found them, which also fails if a crawl of
millions of URLs goes beyond. The number of URLs and hosts in a crawl is in none of them.
"""

from __future__ import annotations

from skitter.settings import Settings

HOST = 42_000
"""A host in the window, its record and its place in the heap: 1,000, and the rest if as much as can be is remembered of
its pages: 28,000 of its corners, 9,000 of how it says that there is nothing, 4,000 of its frame. Few come to that."""
URL = 80
"""A URL of a host in the window."""
LANES = 2
"""Queues of a host, of which the first URLs are in the window: what is new, and what is to be seen again."""
SEEN = 8
"""A fingerprint in the seen cache."""
STORE = 768 * 1024
"""An open store: its threads' share, its log, the heads of its tables, and what its merges take for a while."""
SLACK = 1.15
"""What the allocator holds beyond what is in use."""


def ceiling(settings: Settings, shards: int) -> dict[str, int]:
    """Returns the most bytes that each part of a frontier holds, by the settings that decide, for so many shards."""
    chosen = settings.frontier
    parts = {
        "window_hosts": chosen.window_hosts * HOST,
        "window_urls": chosen.window_hosts * chosen.window_urls * LANES * URL,
        "seen_cache": chosen.seen_cache * SEEN,
        "robots.memory": settings.robots.memory,
        "store_memory": chosen.store_memory,
        "shards": shards * STORE,
    }
    return {name: int(size * SLACK) for name, size in parts.items()}
