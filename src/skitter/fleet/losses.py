"""Archive files of a fleet's nodes: told to be safe, or taken for lost with their disk.

Whoever sends a file to the bucket says so in the links of all shards with pages in it, and only then removes it here. A
file of a node that comes back on another disk is lost; so is one of a node that nobody has heard of for long. Then the
owner of a shard with pages in it says so in the links too, and whoever comes to read that queues them again: if the
file was said to be safe before that, there is nothing left to queue. Nobody's clock is compared with another's: what
counts is for how long *we* have heard nothing new of a node.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from skitter.clock import Clock
from skitter.fleet.report import NodeReport
from skitter.folder.atomic import keep_whole
from skitter.ports import LINKS, Broker
from skitter.shard.log import links
from skitter.shard.log.store import LogStore
from skitter.shard.unsafe import DISK, Unsafe, UnsafeFile, files_in
from skitter.store.warc.file import OPEN, node_of
from skitter.store.warc.places import all_files

AGAIN = 0.5
LOOK = 1.0
_reports = msgspec.json.Decoder(NodeReport)


def disk_of(directory: Path) -> bytes:
    """Returns what tells the disk of a node's folder from any other; made when there is nothing yet."""
    file = directory / "bucket" / "disk"
    try:
        return bytes.fromhex(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        disk = secrets.token_bytes(DISK)
        file.parent.mkdir(parents=True, exist_ok=True)
        keep_whole(file, disk.hex().encode())
        return disk


class SafeFiles:
    """Tells the shards of a fleet which files of ours are safe."""

    def __init__(self, broker: Broker, unsafe: Unsafe, directory: Path, shards: Callable[[], Collection[int]]) -> None:
        self._broker = broker
        self._unsafe = unsafe
        self._shards = shards
        # Which shards have pages in a file of an earlier run, nobody knows any more.
        self._left = {path.name.removesuffix(OPEN) for path in all_files(directory / "warc")}

    async def tell(self, file: str) -> None:
        """Returns when all shards that may have pages in a file will hear that it is safe."""
        noted = self._unsafe.note_safe(file)
        message = links.encode(links.Safe(file))
        await asyncio.gather(*(self._post(number, message) for number in self._told(file, noted)))
        self._left.discard(file)

    def _told(self, file: str, noted: Collection[int]) -> Collection[int]:
        return self._shards() if file in self._left else noted

    async def _post(self, shard: int, message: bytes) -> None:
        while await self._broker.append(LINKS, shard, message) is None:
            await asyncio.sleep(AGAIN)


class Losses:
    """Finds out which files are lost, and says so. `name` and `disk` are our own."""

    def __init__(self, name: str, disk: bytes, after: float, clock: Clock) -> None:
        self._name = name
        self.disk = disk
        self._after = after
        self._clock = clock
        self._began = clock()  # of a node that says nothing at all, we have heard nothing since
        self._heard: dict[str, tuple[bytes, float]] = {}  # a node's last report, and when we first saw it
        self._disks: dict[str, str] = {}
        self._said: set[tuple[LogStore, str]] = set()  # which are lost

    def hear(self, reports: Mapping[str, bytes]) -> None:
        """Takes the newest reports of all nodes, as they are in the topic."""
        now = self._clock()
        for name, report in reports.items():
            if self._heard.get(name, (b"", 0.0))[0] != report:
                self._heard[name] = report, now
                self._disks[name] = _reports.decode(report).disk

    async def keep(self, broker: Broker, stores: Mapping[LogStore, object]) -> None:
        """Says which files with pages of our shards are lost, for as long as the node lives."""
        while True:
            await asyncio.sleep(LOOK)
            self._said = {(store, name) for store, name in self._said if store in stores}
            for store in list(stores):
                for file in self._unsaid(store) if store in stores else ():  # it may be closed while we say something
                    if store in stores:
                        self._said.add((store, file))
                        await self._say(broker, store.shard, file)

    def _unsaid(self, store: LogStore) -> list[str]:
        """Returns the files with pages of a shard that are lost, and of which we have not said so."""
        files = (file for file in files_in(store.iterate) if (store, file.name) not in self._said)
        return [file.name for file in files if self.is_lost(file)]

    async def _say(self, broker: Broker, shard: int, name: str) -> None:
        while await broker.append(LINKS, shard, links.encode(links.Lost(name))) is None:
            await asyncio.sleep(AGAIN)

    def is_lost(self, file: UnsafeFile) -> bool:
        """Whether a file that is not safe can't be expected to become so."""
        node = node_of(file.name) or ""
        if node == self._name:
            return file.disk != self.disk
        if self._disks.get(node) not in (None, "", file.disk.hex()):
            return True
        return self._clock() - self._heard.get(node, (b"", self._began))[1] > self._after
