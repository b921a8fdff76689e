"""From a crawl's folder to a fleet, without starting over: `skitter fleet grow`. See docs/decisions/0028.

    1  all that the shards of the folder know goes to the links of the fleet's shards, in bundles that do not count yet
    2  DIR/moved.json: from here on nobody crawls in the folder
    3  each shard is told that what came is its own; then links and instructions that were under way
    4  what the crawl is: from here on nodes can be started

Whoever dies in between starts the same command again. Before 2 the folder is still the crawl, and what was sent is
never told to count; after 2 the messages of 3 are kept in moved.json, and each shard takes a handover once.
"""

from __future__ import annotations

import base64
import contextlib
import secrets
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

from xxhash import xxh3_128_digest

from skitter.bus.codec import decode_batch
from skitter.bus.poster import Poster
from skitter.bus.table import Table
from skitter.bus.topics import CRAWL, check_topics, make_topics
from skitter.config.load import load
from skitter.errors import OperatorError
from skitter.fleet.archiving import send_archive
from skitter.fleet.facts import Facts, exported_in, facts_in, make_facts
from skitter.fleet.file import FleetFile, client_of
from skitter.folder.crawlfile import CrawlFile, read_crawl, settings_file
from skitter.folder.inbox import FolderInbox
from skitter.folder.locks import locked, nodes_at_work
from skitter.folder.moved import VERSION, Moved, keep_moved, read_moved
from skitter.folder.routesfile import read_routes
from skitter.messages import Discovered
from skitter.ports import LINKS
from skitter.schedule.share import Share, joined, shared_out
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.log import links
from skitter.shard.moving.bundles import MOST_BYTES, Entry, entries_of
from skitter.shard.moving.dealing import dealt
from skitter.shard.moving.kinds import Sorting
from skitter.shard.moving.record import ID, Bundle, HandedOver
from skitter.shard.reader import ShardReader
from skitter.shard.records import METAS
from skitter.shard.rocks import RocksStore, open_read_only, shard_path
from skitter.store.shipping.claim import read_claim
from skitter.url.routes import FIRST_EPOCH, Routes

TELL_EVERY = 100_000


def grow_fleet(
    file: FleetFile, beside: Path, directory: Path, environ: Mapping[str, str], now: float
) -> Generator[str, None, None]:
    """Makes a fleet of the crawl in `directory`, and yields how far it has come. OperatorError if that can't be."""
    crawl = read_crawl(directory)
    with locked(directory):
        if nodes_at_work(directory):
            raise OperatorError("DIR", str(directory), "its nodes are still at work: wait until they have ended")
        growing = _Growing(file, directory, crawl, _settings(file, beside, directory, environ))
        yield from growing.grow(now)


class _Growing:
    def __init__(self, file: FleetFile, directory: Path, crawl: CrawlFile, settings: Settings) -> None:
        self._fleet = file.fleet
        self._client: dict[str, Any] = dict(client_of(file))
        self._directory = directory
        self._crawl = crawl
        self._settings = settings
        self._before = read_routes(directory)
        self._routes = Routes(self._before.domains, self._fleet.shards)

    def grow(self, now: float) -> Iterator[str]:
        fleet = self._fleet
        moved = self._checked()
        for name in make_topics(self._client, fleet.name, fleet.shards, fleet.replication, fleet.days_of_pages):
            yield f"made topic {name}"
        check_topics(self._client, fleet.name, fleet.shards, fleet.replication, fleet.days_of_pages)
        is_done = self._is_made()
        poster = Poster(self._client, fleet.name)
        if moved is None:
            moved = yield from self._send(poster, now)
            keep_moved(self._directory, moved)
            yield f"{self._directory} is marked as moved: from here on the crawl is the fleet's"
        self._tell(poster, moved)
        if self._settings.bucket.address:
            yield from send_archive(self._directory, self._settings)
        if not is_done:
            claimed = read_claim(self._directory)
            facts = Facts(
                created=self._crawl.created,
                shards=fleet.shards,
                settings=self._settings,
                seeds=self._crawl.seeds,
                is_grown=True,
                archive="" if claimed is None else claimed.crawl,
            )
            make_facts(self._client, fleet.name, facts, self._routes)
        yield f"the crawl is {fleet.name}'s; start nodes with `skitter fleet node --fleet FILE`"

    def _checked(self) -> Moved | None:
        moved = read_moved(self._directory)
        if moved is not None and moved.fleet != self._fleet.name:
            right = f"this folder's crawl has gone to the fleet {moved.fleet}"
            raise OperatorError("fleet.name", self._fleet.name, right)
        return moved

    def _is_made(self) -> bool:
        """Whether the fleet has this crawl already. OperatorError if it has another."""
        with contextlib.closing(Table(self._client, self._fleet.name, CRAWL)) as table:
            table.refresh()
            facts = facts_in(table)
            if exported_in(table) is not None or (facts is not None and facts.created != self._crawl.created):
                raise OperatorError("fleet.name", self._fleet.name, "has had another crawl: give the fleet a new name")
        return facts is not None

    # What the shards know

    def _send(self, poster: Poster, now: float) -> Generator[str, None, Moved]:
        sending = Sending(poster, self._routes, self._crawl.created)
        for number in range(self._before.shards):
            store = _opened(self._directory, number)
            if store is None:
                continue
            with contextlib.closing(store):
                for count in sending.send_all(number, store):
                    yield f"sent {count:,} entries of shards 0 to {number} of {self._before.shards}"
        sending.flush()
        poster.wait_safe()
        yield f"sent {sum(sending.urls.values()):,} URLs to {self._fleet.shards} shards"
        return Moved(VERSION, self._fleet.name, now, sending.attempt.hex(), sending.messages())

    def _tell(self, poster: Poster, moved: Moved) -> None:
        for shard, text in moved.messages.items():
            poster.post(LINKS, shard, base64.b64decode(text))
        poster.wait_safe()
        # After all that the shards know: a link that came before would be new to them.
        for shard, message in self._under_way():
            poster.post(LINKS, shard, message)
        poster.wait_safe()

    def _under_way(self) -> Iterator[tuple[int, bytes]]:
        """Yields links that were on their way between shards, and what the operator wants."""
        for number in range(self._before.shards):
            store = _opened(self._directory, number)
            if store is None:
                continue
            with contextlib.closing(store):
                for _, batch in store.iterate(keys.OUTBOX):
                    by_shard: dict[int, list[Discovered]] = {}
                    for link in decode_batch(batch):
                        by_shard.setdefault(self._routes.shard_of(link.host), []).append(link)
                    for shard, some in by_shard.items():
                        yield from ((shard, message) for message in links.messages_of(some))
        inbox = FolderInbox(self._directory)
        for _, instruction in inbox.pending(range(self._before.shards)):
            for shard, one in dealt(instruction, self._routes):
                yield shard, links.told(one)


class Sending:
    """Bundles for all shards of a fleet, from all shards of a folder."""

    def __init__(self, poster: Poster, routes: Routes, created: float) -> None:
        self._poster = poster
        self._routes = routes
        self._created = created
        self.attempt = secrets.token_bytes(ID)
        self._some: dict[int, list[Entry]] = {}
        self._size: Counter[int] = Counter()
        self._bundles: Counter[int] = Counter()
        self.urls: Counter[int] = Counter()
        self._opened = self._purged = self._sent = 0
        self._share = Share()

    def send_all(self, number: int, store: RocksStore) -> Iterator[int]:
        """Sends all entries of a shard of the folder, and yields now and then how many there were so far."""
        reader = ShardReader(number, store)
        raw = store.get(keys.META)
        self._opened = max(self._opened, 0 if raw is None else METAS.decode(raw).opened)
        self._purged += reader.purged()
        self._share = joined(self._share, reader.kept_share())
        for slot, entry in entries_of(store, Sorting(self._routes, lambda mark: store.get(keys.url_key(mark)))):
            # Of a URL of which nothing is known but that it is dead, no one can say whose it is: any shard will do.
            shard = self._routes.table[slot] if slot is not None else number % self._routes.shards
            self._add(shard, entry)
            self._sent += 1
            if self._sent % TELL_EVERY == 0:
                yield self._sent

    def _add(self, shard: int, entry: Entry) -> None:
        self._some.setdefault(shard, []).append(entry)
        self._size[shard] += len(entry[0]) + len(entry[1])
        self.urls[shard] += entry[0].startswith(b"u")
        if self._size[shard] > MOST_BYTES:
            self._flush(shard)

    def flush(self) -> None:
        """Sends what is left."""
        for shard in list(self._some):
            self._flush(shard)

    def _flush(self, shard: int) -> None:
        bundle = Bundle(handover_to(shard, self._created), self.attempt, self._bundles[shard], self._some.pop(shard))
        self._poster.post(LINKS, shard, links.encode(bundle))
        self._bundles[shard] += 1
        self._size[shard] = 0

    def messages(self) -> dict[int, str]:
        """Returns the messages that end the handovers, by shard."""
        found, all_urls = {}, sum(self.urls.values())
        for shard in range(self._routes.shards):
            _, share = shared_out(self._share, self.urls[shard] / all_urls if all_urls else 0.0)
            message = HandedOver(
                handover_to(shard, self._created),
                self.attempt,
                self._bundles[shard],
                [(slot, FIRST_EPOCH) for slot, place in enumerate(self._routes.table) if place == shard],
                self._opened,
                share,
                self._purged if shard == 0 else 0,
            )
            found[shard] = base64.b64encode(links.encode(message)).decode()
        return found


def handover_to(shard: int, created: float) -> bytes:
    """Returns the id of the handover of a whole crawl to one shard: the same at each attempt."""
    return xxh3_128_digest(f"grow {created!r} {shard}".encode())


def _settings(file: FleetFile, beside: Path, directory: Path, environ: Mapping[str, str]) -> Settings:
    """Returns the settings that the crawl goes on with: its own, and what the fleet's file says beside."""
    own = settings_file(directory)
    files = [path for path in (own, beside / file.fleet.config if file.fleet.config else None) if path is not None]
    shards = {"frontier.shards": str(file.fleet.shards)}
    return load(files, environ, shards).settings


def _opened(directory: Path, number: int) -> RocksStore | None:
    path = shard_path(directory, number)
    return open_read_only(path) if (path / "CURRENT").exists() else None
