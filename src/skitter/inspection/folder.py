"""A crawl's folder, open to look at while someone else may be writing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from skitter.config.load import load
from skitter.errors import MachineError
from skitter.folder.crawlfile import read_crawl, settings_file
from skitter.folder.locks import running
from skitter.folder.routesfile import read_routes
from skitter.messages import State
from skitter.schedule.priority import FRONT, rank_of
from skitter.schedule.shares import Purpose
from skitter.shard import keys
from skitter.shard.reader import ShardReader
from skitter.shard.records import RobotsRecord
from skitter.shard.rocks import RocksStore, open_read_only, shard_path
from skitter.url.keys import origins_of
from skitter.url.routes import Routes

TRIES = 10
PAUSE = 0.05
"""The writer may replace a file while we open the store: then we open it again."""


class ShardLook(ShardReader):
    """One shard as of the moment it was opened."""

    def __init__(self, number: int, store: RocksStore, domain_of: Callable[[str], str] = str) -> None:
        super().__init__(number, store)
        self.domain_of = domain_of
        self.close = store.close

    def queued(self, host: str) -> int:
        """Returns how many URLs of a host are queued."""
        return self.host_counts(host)[State.QUEUED]

    def queued_hosts(self) -> Iterator[str]:
        """Yields the hosts that have something queued: one look for each, however long its queue is."""
        for purpose, letter in zip(Purpose, keys.QUEUES, strict=True):
            after = b""
            while found := self.scan(letter, after=after, limit=1):
                host, _, _ = found[0][0][1:].partition(b"\0")
                after = letter + host + b"\1"
                if not purpose or not self.scan(keys.queue_prefix(host.decode()), limit=1):
                    yield host.decode()

    def is_single(self, host: str) -> bool:
        """Whether a host waits for its first visit as one that a single host of its domain leads to."""
        ranks = (rank_of(number, is_single=True) for number in range(len(FRONT)))
        waiting = (keys.host_waiting_key(self.domain_of(host), rank, host) for rank in ranks)
        return any(self._readable.get(key) is not None for key in waiting)

    def robots_of(self, host: str) -> list[RobotsRecord]:
        """Returns what is known of the robots.txt files of a host: it has one for each of its origins."""
        records = (self.robots(origin) for origin in origins_of(host))
        return [record for record in records if record is not None]


class Folder:
    """A crawl's folder. Use it in `with`: it holds stores open. OperatorError if it is not the folder of a crawl."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.crawl = read_crawl(directory)
        file = settings_file(directory)
        self.settings = load([file] if file is not None else []).settings
        self.running = running(directory)
        self._open: dict[int, ShardLook] = {}

    @cached_property
    def routes(self) -> Routes:
        """Which shard a host is in, as it was frozen when the crawl was created."""
        return read_routes(self.directory)

    def shard_of(self, host: str) -> int:
        """Returns which shard owns `host`."""
        return self.routes.shard_of(host)

    def shard(self, number: int) -> ShardLook | None:
        """Returns a shard, or None if nothing was ever put into it."""
        known = self._open.get(number)
        if known is None and (store := _opened(shard_path(self.directory, number))) is not None:
            known = self._open[number] = ShardLook(number, store, self.routes.domain_of)
        return known

    def shards(self) -> Iterator[ShardLook]:
        """Yields the shards that hold anything, each open only until the next."""
        for number in range(self.routes.shards):
            shard = self.shard(number)
            if shard is not None:
                yield shard
                self._open.pop(number).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for shard in self._open.values():
            shard.close()
        self._open.clear()


def _opened(path: Path) -> RocksStore | None:
    for left in reversed(range(TRIES)):
        if not (path / "CURRENT").exists():
            return None  # never made, or being made just now
        try:
            return open_read_only(path)
        except Exception as error:
            if not left:
                remedy = "If no crawl is running, start it once: it mends what a crash has left."
                raise MachineError("the frontier can't be read", f"{path} ({error})", remedy) from error
        time.sleep(PAUSE)
    return None
