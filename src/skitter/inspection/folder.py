"""A crawl's folder, open to look at while someone else may be writing it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct
from rocksdict import Rdict, ReadOptions

from skitter.config.load import load
from skitter.errors import MachineError
from skitter.folder.crawlfile import read_crawl, settings_file
from skitter.folder.locks import running
from skitter.messages import State
from skitter.shard import keys
from skitter.shard.records import HOSTS, ROBOTS, URLS, HostRecord, RobotsRecord, UrlRecord
from skitter.shard.rocks import open_read_only, shard_path
from skitter.shard.writer import decode_counts
from skitter.url.keys import fingerprint, shard_of

TRIES = 10
PAUSE = 0.05
"""The writer may replace a file while we open the store: then we open it again."""


class Glance(Struct, frozen=True, array_like=True):
    """The first fields of a URL record: all that counting takes."""

    href: str
    host: str
    state: State


class ShardLook:
    """One shard as of the moment it was opened."""

    def __init__(self, number: int, db: Rdict) -> None:
        self.number = number
        self._db = db

    def counts(self) -> dict[State, int]:
        """Returns how many URLs are in each state."""
        raw = self._db.get(keys.COUNTS)
        return {} if raw is None else decode_counts(raw)

    def url(self, key: str) -> UrlRecord | None:
        """Returns what is known of the URL with this dedup key."""
        raw = self._db.get(keys.url_key(fingerprint(key)))
        return None if raw is None else URLS.decode(raw)

    def host(self, host: str) -> HostRecord | None:
        """Returns what is known of a host, if it was ever visited."""
        raw = self._db.get(keys.host_key(host))
        return None if raw is None else HOSTS.decode(raw)

    def robots(self, origin: str) -> RobotsRecord | None:
        """Returns the robots.txt of an origin, if it was ever asked for."""
        raw = self._db.get(keys.robots_key(origin))
        return None if raw is None else ROBOTS.decode(raw)

    def queued(self, host: str) -> int:
        """Returns how many URLs of a host are queued."""
        return sum(1 for _ in self.items(keys.queue_prefix(host)))

    def queued_hosts(self) -> Iterator[str]:
        """Yields the hosts that have something queued: one look for each, however long its queue is."""
        cursor = self._db.iter()
        cursor.seek(b"q")
        while cursor.valid() and (key := cursor.key()).startswith(b"q"):
            host, _, _ = key[1:].partition(b"\0")
            yield host.decode()
            cursor.seek(b"q" + host + b"\1")
        cursor.status()  # a block that can't be read looks like the end but for this

    def items(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yields all entries whose key starts with `prefix`."""
        options = ReadOptions()
        options.set_iterate_upper_bound(prefix[:-1] + bytes((prefix[-1] + 1,)))
        yield from self._db.items(from_key=prefix, read_opt=options)

    def close(self) -> None:
        """Lets the store go."""
        self._db.close()


class Folder:
    """A crawl's folder. Use it in `with`: it holds stores open. OperatorError if it is not the folder of a crawl."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.crawl = read_crawl(directory)
        file = settings_file(directory)
        self.settings = load([file] if file is not None else []).settings
        self.running = running(directory)
        self._open: dict[int, ShardLook] = {}

    def shard_of(self, host: str) -> int:
        """Returns which shard owns `host`."""
        return shard_of(host, self.settings.frontier.shards)

    def shard(self, number: int) -> ShardLook | None:
        """Returns a shard, or None if nothing was ever put into it."""
        known = self._open.get(number)
        if known is None and (db := _opened(shard_path(self.directory, number))) is not None:
            known = self._open[number] = ShardLook(number, db)
        return known

    def shards(self) -> Iterator[ShardLook]:
        """Yields the shards that hold anything, each open only until the next."""
        for number in range(self.settings.frontier.shards):
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


def _opened(path: Path) -> Rdict | None:
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
