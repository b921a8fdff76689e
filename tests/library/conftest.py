"""A small web to crawl for real, served from a thread so that tests may block or have an event loop of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skitter.messages import Url
from skitter.settings import ScopeSettings
from skitter.simweb.answer import Answer, Ask
from skitter.simweb.roles import Role
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.truth import Habits, expected
from skitter.simweb.world import World
from skitter.url.canon import Canon

ROLES = {
    Role.PAGE: 5.0,
    Role.MIRROR: 2.0,
    Role.PACKED: 2.0,
    Role.CHUNKED: 1.0,
    Role.LEGACY: 1.0,
    Role.FILE: 1.0,
    Role.CHAIN: 1.0,
    Role.MISSING: 1.0,
}
WORLD = WorldSettings(
    seed=3, hosts=4, pages_per_host=12, page_bytes=1000, roles=ROLES, robots={"none": 1.0}, sitemap_share=0.0
)


class Web(NamedTuple):
    """A simulated web that can be asked."""

    world: World
    seed: str
    hosts_file: Path

    @property
    def options(self) -> dict[str, Any]:
        """What a crawl of it is to be told beside its seed and its folder."""
        return {
            "hosts_file": self.hosts_file,
            "allow_net": self.world.settings.network,
            "scope": "any",
            "delay": 0.05,
            "workers": 1,
            "settings": {"scope.suffixes": ("sim.test",), "node.linger": 0.5, "node.stop_seconds": 2.0},
        }

    def truth(self) -> frozenset[str]:
        """Returns the dedup key of every page that is to be fetched."""
        return expected(self.world, [self.seed], Habits(scope=ScopeSettings(reach="any"))).pages

    def answer(self, url: str) -> Answer:
        """Returns what the web answers at `url`."""
        name, _, path = url.removeprefix("http://").partition("/")
        return self.world.answer(Ask(name.partition(":")[0], f"/{path}"))


def key_of(url: str) -> str:
    """Returns the dedup key of a URL."""
    canonical = Canon()(url)
    assert isinstance(canonical, Url)
    return canonical.key


@pytest.fixture(scope="session")
def key() -> Callable[[str], str]:
    return key_of


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Four hosts with a dozen pages each, some of them packed, moved, missing or the same as another."""
    hosts = tmp_path_factory.mktemp("web") / "hosts"
    ready: list[tuple[World, asyncio.AbstractEventLoop, asyncio.Event]] = []
    began = threading.Event()

    async def serve() -> None:
        async with SimWeb(World(WORLD)) as served:
            served.hosts_file(hosts)
            over = asyncio.Event()
            ready.append((served.world, asyncio.get_running_loop(), over))
            began.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    began.wait(10)
    world, loop, over = ready[0]
    yield Web(world, world.seeds()[0], hosts)
    loop.call_soon_threadsafe(over.set)
    thread.join()
