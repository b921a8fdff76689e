"""Archive files that were lost with a disk: their pages are fetched again, and no others; and files that were not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest

from skitter.fleet import losses as losses_module
from skitter.fleet.losses import Losses
from skitter.fleet.report import NodeReport
from skitter.shard import keys
from skitter.shard.unsafe import UnsafeFile
from skitter.simweb.settings import WorldSettings
from skitter.store.warc.file import warc_name
from tests.faults.crawler import Web, served
from tests.fleet.archived import answered, brought, captures, indexed
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

DELAY = 0.5
HOSTS, PAGES = 20, 24
_names = count()


class Place(Fleet):
    """A fleet whose archive goes to a bucket."""

    def __init__(self, folder: Path, bootstrap: str, name: str, bucket: str) -> None:
        super().__init__(folder, bootstrap, name)
        self.address = f"s3://{bucket}/{name}"

    def begin(self, web: Web, *more: str) -> None:
        """Makes the crawl: its files are sealed often."""
        settings = (f"bucket.address={self.address}", "bucket.roll_seconds=3", *more)
        self.init(web, DELAY, *(text for pair in settings for text in ("--set", pair)))

    def files_of(self, name: str, ending: str) -> list[Path]:
        return list((self.directory(name) / "warc").rglob(f"*{ending}"))

    def holds(self, name: str) -> bool:
        """Whether a node has pages in a file that it is writing, and sent some before."""
        written = sum(path.stat().st_size for path in self.files_of(name, ".open"))
        return written > 10_000 and (self.directory(name) / "bucket" / f"sent-{name}.json").exists()


class Noted:
    """The store of a shard with pages in a file of another disk; nobody may look into it once it is closed."""

    def __init__(self, shard: int) -> None:
        self.shard = shard
        self.is_closed = False

    def iterate(self, _prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        assert not self.is_closed
        key = keys.unsafe_key(warc_name("20260101000000", "a", 1), 1)
        return iter([(key, b"d" * 8)] if not after else [])


def test_shards_may_be_closed_while_others_are_told_of_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    stores = {Noted(number): None for number in range(3)}
    told: list[int] = []

    class Closing:
        async def append(self, _topic: str, shard: int, _record: bytes) -> int:
            told.append(shard)
            for store in [store for store in stores if store.shard]:
                store.is_closed = True
                del stores[store]
            return 0

    async def play() -> None:
        losses = Losses("a", b"e" * 8, 900.0, lambda: 0.0)
        keeping = asyncio.create_task(losses.keep(Closing(), stores))  # type: ignore[arg-type]
        for _ in range(100):
            await asyncio.sleep(0)
        assert not keeping.done()
        keeping.cancel()

    monkeypatch.setattr(losses_module, "LOOK", 0.0)
    asyncio.run(play())
    assert told == [0]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with served(tmp_path, WorldSettings(seed=7, hosts=HOSTS, pages_per_host=PAGES), "plain") as web:
        web.seeds = web.world.homes()
        yield web


@pytest.fixture
def place(tmp_path: Path, broker: Broker, s3: S3Server, web: Web, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    for key, value in s3.environment.items():
        monkeypatch.setenv(key, value)
    with contextlib.closing(Place(tmp_path, broker.bootstrap, f"losses{next(_names)}", s3.bucket)) as place:
        place.begin(web)
        yield place


@pytest.mark.slow
def test_what_was_lost_with_a_disk_is_fetched_again_and_nothing_else(place: Place, web: Web, tmp_path: Path) -> None:
    place.start("a", "b")
    wait_for(lambda: place.holds("b"), 60, place.logs)
    place.kill("b", disk=True)
    place.start("b")
    wait_for(lambda: place.holds("a"), 60, place.logs)
    place.kill("a")
    left = {path.name.removesuffix(".open") for path in place.files_of("a", ".warc.gz*")}
    place.start("a")
    wait_for(lambda: len(answered(web.requests())) >= HOSTS * PAGES, 120, place.logs)
    wait_for(lambda: not missing(place, web), 60, lambda: f"{missing(place, web)} {place.logs()}")
    for name in "ab":
        assert place.leave(name) == 0, place.logs()
    archive = brought(place.address, tmp_path / "brought")
    kept, given = captures(archive), answered(web.requests())
    assert not set(given) - set(kept), "every page is in a file that is whole, in the bucket"
    assert left <= {name for name, _ in archive.records}, "what a disk had that came back"
    # Killed in the middle, each host has one page at the most that was given and not settled.
    lost = sum((given - kept).values())
    assert lost > 0, "the disk that was lost had pages on it"
    assert sum(given.values()) - len(given) <= lost + 2 * HOSTS
    assert not [path for name in "ab" for path in place.files_of(name, ".warc.gz")]


def missing(place: Place, web: Web) -> list[str]:
    """What the server gave and the bucket does not have."""
    return sorted(set(answered(web.requests())) - indexed(place.address))


def report(name: str, at: float, disk: bytes) -> bytes:
    return msgspec.json.encode(NodeReport(name, at, 0.0, disk=disk.hex()))


def test_a_file_is_lost_if_its_node_is_silent_for_long_or_back_on_another_disk() -> None:
    now = 1000.0
    ours, theirs, other = b"a" * 8, b"b" * 8, b"c" * 8
    losses = Losses("a", ours, 60.0, lambda: now)
    mine, of_b, of_c = (UnsafeFile(warc_name("20261118000000", name, 1), disk) for name, disk in
                        (("a", ours), ("b", theirs), ("c", other)))  # fmt: skip
    losses.hear({"b": report("b", 5.0, theirs)})
    assert not any(map(losses.is_lost, (mine, of_b, of_c)))
    assert losses.is_lost(UnsafeFile(mine.name, other)), "our own, on a disk that we no longer have"
    now += 59
    losses.hear({"b": report("b", 7200.0, theirs)})  # whatever its clock says
    now += 59
    assert not losses.is_lost(of_b)
    assert losses.is_lost(of_c), "nobody has ever heard of it"
    now += 2
    assert losses.is_lost(of_b)
    assert not losses.is_lost(mine)
    losses.hear({"b": report("b", 7201.0, other)})
    assert losses.is_lost(of_b), "it is back, without that disk"
    assert not losses.is_lost(UnsafeFile(of_b.name, other))
