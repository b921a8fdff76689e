"""From a fleet back to a crawl's folder: `skitter fleet export`. No node may be at work.

The fleet is marked first, so that no node starts; then each shard is taken, as a node would, and its store is made in
the folder. What was still under way between shards goes along. `crawl.json` comes last: without it the folder is no
crawl, and the same command begins again. The logs stay as they are: nothing can be lost by trying.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import msgspec
from msgspec import structs

from skitter.bus.kafka import KafkaBroker
from skitter.bus.table import Table
from skitter.bus.topics import CRAWL, ends_of, partitions_of
from skitter.clock import Clock, lasting_clock
from skitter.config.buckets import parse_address
from skitter.config.show import to_toml
from skitter.errors import MachineError, OperatorError
from skitter.fleet.checkpointing import DiskBucket, restore_where_needed
from skitter.fleet.facts import Exported, Facts, facts_in, keep_exported, routes_in
from skitter.fleet.file import FleetFile, client_of
from skitter.fleet.moving import Moving
from skitter.fleet.standing import SILENT, fleet_standing
from skitter.folder import inbox
from skitter.folder.atomic import keep_whole
from skitter.folder.crawlfile import CRAWL_FILE, CrawlFile
from skitter.folder.crawlfile import VERSION as FOLDER_VERSION
from skitter.folder.locks import locked, nodes_at_work
from skitter.folder.routesfile import write_routes
from skitter.messages import Discovered
from skitter.ports import LINKS
from skitter.shard import keys
from skitter.shard.checkpoint.checkpoints import Checkpoints
from skitter.shard.log import links
from skitter.shard.log.codec import Unreadable
from skitter.shard.log.layers import Layer
from skitter.shard.log.store import LogStore
from skitter.shard.log.tenancy import Tenancy, release, take
from skitter.shard.moving.dealing import dealt
from skitter.shard.moving.record import Asked, Bundle, HandedOver, Spread
from skitter.shard.records import METAS
from skitter.shard.rocks import RocksStores
from skitter.store.blobs.opening import open_blobs
from skitter.url.routes import Routes

MEMORY = 256 * 1024**2
LOOK = 0.1
ROUNDS = 10
"""How often shards are gone through for slots that are on their way between them; each moves on by one shard."""


def export_fleet(file: FleetFile, directory: Path, now: float) -> Generator[str, None, None]:
    """Makes a crawl's folder of a fleet, and yields how far it has come. OperatorError if that can't be."""
    client, fleet = client_of(file), file.fleet
    if (directory / CRAWL_FILE).exists():
        raise OperatorError("DIR", str(directory), "is the folder of a crawl: name one that is not there yet")
    with contextlib.closing(Table(client, fleet.name, CRAWL)) as table:
        table.refresh()
        facts = facts_in(table)
        if facts is None:
            raise OperatorError("fleet.name", fleet.name, "has no crawl")
        routes = routes_in(table)
    if routes.spread:
        right = (
            f"has domains that are spread over shards ({', '.join(sorted(routes.spread))}), which no folder can have"
        )
        raise OperatorError("fleet.name", fleet.name, right)
    at_work = [node.name for node in fleet_standing(file, now).nodes if node.silent <= SILENT]
    if at_work:
        right = f"nodes are at work ({', '.join(at_work)}): `skitter fleet drain` them first"
        raise OperatorError("fleet.name", fleet.name, right)
    with locked(directory):
        keep_exported(client, fleet.name, Exported(str(directory.absolute()), now))
        yield f"{fleet.name} is marked as exported: no node starts any more"
        shutil.rmtree(directory / "frontier", ignore_errors=True)
        shutil.rmtree(directory / "inbox", ignore_errors=True)
        nodes_at_work(directory)  # which makes what nodes need there
        exporting = _Exporting(file, directory, facts, routes)
        with asyncio.Runner() as runner:
            lines = exporting.run()
            try:
                while (line := runner.run(_next(lines))) is not None:
                    yield line
            finally:
                runner.run(lines.aclose())
    yield f"the crawl is in {directory}: `skitter crawl --out {directory}` goes on with it"


async def _next(lines: AsyncGenerator[str, None]) -> str | None:
    return await anext(lines, None)


class _Exporting:
    def __init__(self, file: FleetFile, directory: Path, facts: Facts, routes: Routes) -> None:
        self._file = file
        self._client = client_of(file)
        self._directory = directory
        self._facts = facts
        self._routes = routes
        self._clock: Clock = lasting_clock()
        self._under_way: dict[int, list[Discovered]] = {}
        self._serial = 0

    async def run(self) -> AsyncGenerator[str, None]:
        fleet = self._file.fleet
        count = partitions_of(self._client, fleet.name)
        below = RocksStores(self._directory, MEMORY, is_logged=True)
        held: list[tuple[LogStore, Tenancy]] = []
        async with KafkaBroker(self._client, fleet.name) as broker:
            moving = Moving(broker, self._routes, self._clock, lambda _: None)
            try:
                for shard in range(count):
                    held.append(await self._take(shard, broker, below))
                    yield f"took shard {shard} of {count}"
                while any(self._clock() < tenancy.tenure.begins for _, tenancy in held):
                    await asyncio.sleep(LOOK)  # a node may have died, and be at work as far as anybody knows
                await self._settle(held, broker, moving)
                for store, tenancy in held:
                    self._finish(store)
                    await release(tenancy)
            finally:
                for store, _ in held:
                    store.below.close()
        settings = self._write()
        if self._facts.settings.bucket.address:
            yield f"what was fetched so far is in {self._facts.settings.bucket.address}; from now on it is kept here"
        yield f"wrote {count} shards, as settings say: frontier.shards = {settings}"

    async def _take(self, shard: int, broker: KafkaBroker, below: RocksStores) -> tuple[LogStore, Tenancy]:
        fleet = self._file.fleet
        if fleet.checkpoints:
            blobs = open_blobs(parse_address(fleet.checkpoints, "fleet.checkpoints"))
            crawl = f"{fleet.name}@{self._facts.created}"
            checkpoints = Checkpoints(blobs, crawl, self._directory / "run" / "checkpoints")
            await restore_where_needed(DiskBucket(checkpoints, self._directory), broker, below, shard)
        store = below.open(shard)
        tenancy = await take(broker, shard, "export", store, self._clock)
        if tenancy is None:
            store.close()
            raise MachineError("the log does not answer", f"shard {shard}", "Start the same command again.")
        return LogStore(shard, store, lambda _: Layer()), tenancy

    async def _settle(self, held: list[tuple[LogStore, Tenancy]], broker: KafkaBroker, moving: Moving) -> None:
        """Brings slots that are on their way to their shards, and takes what lies in the links."""
        for _ in range(ROUNDS):
            for store, tenancy in held:
                if not await moving.work(store, tenancy):
                    raise MachineError("a node is at work", f"shard {store.shard}", "Stop it, then start again.")
            ends = ends_of(self._client, self._file.fleet.name, LINKS, len(held))
            behind = [(store, tenancy) for store, tenancy in held if store.links_read < ends[store.shard]]
            if not behind:
                return
            for store, tenancy in behind:
                await self._read_links(store, tenancy, ends[store.shard], broker, moving)
        raise MachineError("slots do not come to rest", self._file.fleet.name, "Start the same command again.")

    async def _read_links(
        self, store: LogStore, tenancy: Tenancy, end: int, broker: KafkaBroker, moving: Moving
    ) -> None:
        kept: dict[bytes, bytes | None] = {}
        while store.links_read < end:
            for offset, raw in await broker.read(LINKS, store.shard, store.links_read, end):
                self._note(store, raw, moving, kept)
                store.links_read = offset + 1
        # How far the links were read is not noted there: if we die, whoever comes next needs the links again.
        await moving.keep(store, tenancy, kept)

    def _note(self, store: LogStore, raw: bytes, moving: Moving, kept: dict[bytes, bytes | None]) -> None:
        message = links.decode(raw)
        found = links.instruction_of(message) if isinstance(message, links.Told) else message
        if isinstance(found, Unreadable):
            where = f"shard {store.shard}: {found.why}"
            raise MachineError("a message of the links can't be read", where, "Start the Skitter that sent it.")
        if isinstance(found, Bundle | HandedOver):
            moving.take(store, found, kept.__setitem__)
        elif isinstance(found, links.Found):
            self._under_way.setdefault(store.shard, []).extend(found.links)
        elif not isinstance(
            found, Asked | Spread | links.Safe | links.Lost | links.Question | links.Answer
        ):  # no node is there
            for shard, one in dealt(found, self._routes):
                inbox.post(self._directory, shard, one)

    # As a folder has it

    def _finish(self, store: LogStore) -> None:
        """Makes a store of a log one of a folder: what speaks of the log goes, links under way wait to be delivered."""
        batch = store.below.batch()
        raw = store.get(keys.META)
        count = self._routes.count()
        if raw is not None:
            meta = METAS.decode(raw)
            batch.put(keys.META, METAS.encode(structs.replace(meta, shards=count, filter=b"")))
        for link in self._under_way.pop(store.shard, ()):
            self._serial += 1
            key = keys.outbox_key(self._routes.destination_of(link.host), self._serial)
            batch.put(key, msgspec.msgpack.encode([link]))
        batch.delete(keys.LOG)
        batch.delete(keys.MOVES)
        store.below.write(batch)

    def _write(self) -> int:
        count = self._routes.count()
        write_routes(self._directory, self._routes)
        settings = self._facts.settings
        frontier = structs.replace(settings.frontier, shards=count)
        bucket = structs.replace(settings.bucket, address="")
        settings = structs.replace(settings, frontier=frontier, bucket=bucket)
        keep_whole(self._directory / "skitter.toml", to_toml(settings).encode())
        crawl = CrawlFile(FOLDER_VERSION, self._facts.created, self._facts.seeds)
        keep_whole(self._directory / CRAWL_FILE, msgspec.json.encode(crawl))
        return count
