"""The machine of a simulated crawl: everything that outlives its processes, and who is alive on it now."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from random import Random

from skitter.clock import Clock
from skitter.messages import Discovered, Url
from skitter.node.node import Node
from skitter.node.owners import Owners
from skitter.node.rendering.browsing import Browsing
from skitter.ports import Fetcher, Resolver, Seeds
from skitter.settings import Settings
from skitter.sim.archive import MemoryShelf
from skitter.sim.browser import MemoryBrowser
from skitter.sim.bus import BusFaults, MemoryNet
from skitter.sim.clock import MachineClock
from skitter.sim.desk import Desk
from skitter.sim.disk import DiskFaults, MemoryDisk
from skitter.sim.life import Fate, Life
from skitter.sim.loop import SimLoop
from skitter.sim.names import Names
from skitter.sim.web import MemoryWeb, WebFetcher
from skitter.sim.world import World
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes

DOMAINS = Domains()
Tell = Callable[[str, str], None]


class Machine:
    """What is there of a crawl beside its processes. `tell` hears who did what, as it happens."""

    def __init__(self, loop: SimLoop, world: World, settings: Settings, nodes: int, seed: int) -> None:
        self.loop = loop
        self.outside = copy_context()  # of nobody's life
        self.world = world
        self.settings = settings
        self.nodes = nodes
        self.clock = MachineClock(loop)
        self.disk = MemoryDisk(DiskFaults())
        self.web = MemoryWeb(world, loop, seed)
        self.net = MemoryNet(loop, seed, BusFaults())
        self.shelf = MemoryShelf(loop)
        self.desk = Desk(world.seeds)
        self.random = Random(seed)  # noqa: S311 (repeatable on purpose)
        self.routes = Routes(DOMAINS, settings.frontier.shards)
        self.owners = [shard % nodes for shard in range(self.routes.shards)]
        self.running: dict[int, tuple[Node, Life]] = {}  # by number, while one has its parts open
        self.lives: list[Life] = []
        self.fates: dict[tuple[int, int], Fate] = {}  # by node, and which of its lives
        self.troubles: list[str] = []  # what no trial asked for
        self.browser_faults: dict[str, float] = {}
        self.tell: Tell = _say_nothing
        self._post_seeds()

    def begin(self, number: int) -> Life:
        """Returns a new life of a node, with its fate."""
        count = 1 + sum(life.node == number for life in self.lives)
        life = self.loop.begin(f"node {number} life {count}", number)
        if (fate := self.fates.get((number, count))) is not None:
            life.meet(fate)
        self.lives.append(life)
        return life

    def resolver(self, life: Life, clock: Clock) -> Resolver:
        """Returns the names that a life can ask for."""
        return Names(self.world, self.loop, life, clock)

    def fetcher(self, life: Life, clock: Clock) -> Fetcher:
        """Returns a life's way to the web."""
        return WebFetcher(self.web, life, clock)

    def browsing(self, life: Life) -> Browsing:
        """Returns what the pages of a life that need a browser take."""
        browser = MemoryBrowser(self.loop, life, len(self.lives), **self.browser_faults)
        return Browsing(browser, self.settings.render.script_cache)

    def owners_for(self, number: int) -> Owners:
        """Returns who owns what at this moment, for a node that starts."""
        owners = Owners(number, self.nodes, self.routes)
        for shard, owner in enumerate(self.owners):
            owners.move(shard, owner)
        return owners

    def is_alive(self) -> bool:
        """Whether any node is."""
        return any(not life.is_dead for life in self.lives)

    def _post_seeds(self) -> None:
        canon = Canon(self.settings.url)
        for seed in self.world.seeds:
            url = canon(seed)
            assert isinstance(url, Url)
            found = Discovered(url.href, url.host, fingerprint(url.key), 0, 1.0)
            self.desk.post(self.routes.shard_of(url.host), Seeds([found]))


def _say_nothing(_who: str, _what: str) -> None:
    pass
