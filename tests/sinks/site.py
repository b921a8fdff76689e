"""A few pages on loopback, for crawls with sinks, and the command line that crawls them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World

WORLD = WorldSettings(seed=3, hosts=4, pages_per_host=10, page_bytes=1000, robots={"none": 1.0})


class Site(NamedTuple):
    """A web that answers."""

    world: World
    hosts_file: Path

    def command(self, out: Path, *more: str) -> list[str]:
        """Returns how to crawl it."""
        return [
            *(sys.executable, "-m", "skitter", "crawl", self.world.seeds()[0], "--out", str(out)),
            *("--hosts-file", str(self.hosts_file), "--allow-net", self.world.settings.network, "--scope", "any"),
            *("--delay", "0.02", "--workers", "1", "--set", "scope.suffixes=sim.test", "--set", "node.linger=0.3"),
            *("--quiet", "--json", *more),
        ]


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """Serves it from a thread."""
    hosts, began, over = folder / "hosts", threading.Event(), threading.Event()
    worlds: list[World] = []

    async def serve() -> None:
        async with SimWeb(World(WORLD)) as web:
            web.hosts_file(hosts)
            worlds.append(web.world)
            began.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    began.wait(30)
    try:
        yield Site(worlds[0], hosts)
    finally:
        over.set()
        thread.join()


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Returns ours, with more."""
    return {**os.environ, **more}
