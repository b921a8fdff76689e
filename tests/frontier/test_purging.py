"""A disk that runs full: what matters least goes from the queues, counted, and the disk has its room again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier import purging
from skitter.messages import Reason, State
from skitter.settings import Settings
from skitter.shard.records import UrlRecord
from skitter.shard.rocks import RocksStores
from tests.frontier.test_frontier import SETTINGS, Crawler, found

LOW = structs.replace(SETTINGS, frontier=structs.replace(SETTINGS.frontier, purge_below=1000, window_urls=2))


class Room:
    """How much the disk has left, as the test says."""

    def __init__(self) -> None:
        self.left = 10_000.0


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    room = Room()
    monkeypatch.setattr(RocksStores, "room", lambda _stores: room.left)
    return room


def rounds(crawler: Crawler, many: int = 1000) -> None:
    async def run() -> None:
        for _ in range(many):
            await crawler.frontier.purging.make_room()

    asyncio.run(run())


def record(crawler: Crawler, href: str) -> UrlRecord:
    one = found(href)
    known = crawler.frontier._shards.of(one.host).url(one.fingerprint)
    assert known is not None
    return known


def queued(crawler: Crawler, hrefs: list[str]) -> set[str]:
    return {href for href in hrefs if record(crawler, href).state is State.QUEUED}


def test_nothing_goes_while_there_is_room(tmp_path: Path, room: Room) -> None:
    crawler = Crawler(tmp_path, LOW)
    crawler.frontier.discover(found(f"http://a.org/{page}", 0.001) for page in range(50))
    rounds(crawler)
    assert crawler.states() == {"queued": 50}
    room.left = 999
    never = structs.replace(LOW, frontier=structs.replace(LOW.frontier, purge_below=0))
    crawler.frontier.close()
    crawler = Crawler(tmp_path, never)
    rounds(crawler)
    assert crawler.states() == {"queued": 50}, "nor if the operator does not want it"


def test_the_lowest_priorities_go_first_and_no_more_than_needed(
    tmp_path: Path, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = Crawler(tmp_path, LOW)
    pages = [f"http://{host}.org/{place}" for host in "abcdefgh" for place in range(4)]
    for page in pages:
        crawler.frontier.discover([found(page, 0.4 / 10 ** int(page[-1]))])
    crawler.frontier.committer.commit()
    room.left, gone = 999, []

    async def compacted(_store: object) -> None:
        gone.append({page[-1] for page in pages} - {page[-1] for page in queued(crawler, pages)})
        if len(queued(crawler, pages)) <= 16:
            room.left = 10_000

    monkeypatch.setattr("skitter.shard.rocks.RocksStore.compact", compacted)
    rounds(crawler)
    assert {page[-1] for page in queued(crawler, pages)} == {"0", "1"}
    assert gone[0] == set(), "of each priority all go, shard by shard"
    assert crawler.states() == {"queued": 16, "skipped": 16}


def test_what_a_host_is_worth_counts(tmp_path: Path, room: Room) -> None:
    crawler = Crawler(tmp_path, LOW)
    pages = ["http://good.org/1", "http://poor.org/1"]
    for name in ("good.org", "poor.org"):
        crawler.frontier.operator.rank([(name, 0.9 if name == "good.org" else 0.01)])
        crawler.frontier.discover([found(f"http://{name}/1", 0.1)])
    room.left = 999
    while len(left := queued(crawler, pages)) == 2:
        rounds(crawler, 1)
    assert left == {"http://good.org/1"}


def test_seeds_and_what_was_fetched_or_is_in_memory_stay(tmp_path: Path, room: Room) -> None:
    crawler = Crawler(tmp_path, LOW)
    crawler.frontier.operator.allow("a.org")
    crawler.frontier.discover([found("http://s.org/", 0.001, depth=0)])
    crawler.frontier.discover(found(f"http://a.org/{page}", 0.001) for page in range(20))
    lease = crawler.next_page()
    while lease is not None and lease.host != "a.org":
        crawler.done(lease)
        lease = crawler.next_page()
    assert lease is not None
    room.left = 999
    rounds(crawler)
    host = crawler.frontier.host("a.org")
    assert host is not None
    kept = 1 + len(host.lanes[0].urls)
    assert crawler.states()["skipped"] == 20 - kept
    crawler.done(lease)
    rest = crawler.crawl()
    assert len(rest) >= kept - 1
    assert not queued(crawler, ["http://s.org/"]), "it was fetched"
    assert crawler.states() == {"done": 1 + kept, "skipped": 20 - kept}


def test_what_is_found_later_goes_too(tmp_path: Path, room: Room) -> None:
    crawler = Crawler(tmp_path, LOW)
    room.left = 999
    rounds(crawler)
    crawler.frontier.discover(found(f"http://a.org/{page}", 0.01) for page in range(30))
    rounds(crawler)
    assert crawler.states() == {"skipped": 30}


def test_it_is_counted_said_and_can_be_undone(tmp_path: Path, room: Room) -> None:
    crawler = Crawler(tmp_path, LOW)
    crawler.frontier.discover(found(f"http://a.org/{page}", 0.01) for page in range(30))
    room.left = 999
    rounds(crawler)
    known = record(crawler, "http://a.org/7")
    assert (known.state, known.reason, known.parent) == (State.SKIPPED, Reason.PURGED, None)
    assert crawler.frontier.statistics().tallied.skipped == {"purged": 30}
    notes = crawler.frontier.purging.take_notes()
    assert "30 queued URLs of the lowest priority were purged" in notes[-1]
    assert not crawler.frontier.purging.take_notes(), "said once"
    assert crawler.frontier.discover([found("http://a.org/7")]) == 0, "it is known all the same"
    crawler.reopen()
    assert crawler.frontier._shards.of("a.org").purged() == 30
    room.left = 10_000
    assert crawler.frontier.operator.revive(is_purged=True) == 30
    assert len(crawler.crawl()) == 30


def test_a_round_takes_only_so_much(tmp_path: Path, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purging, "SLICE", 10)
    monkeypatch.setattr(purging, "SLICES", 3)
    crawler = Crawler(tmp_path, LOW)
    crawler.frontier.discover(found(f"http://a.org/{page}", 1e-9) for page in range(200))
    room.left = 999
    before = 0
    for _ in range(100):
        rounds(crawler, 1)
        gone = crawler.states().get("skipped", 0)
        assert gone - before <= 30
        before = gone
    assert before == 200


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.slow
def test_the_disk_has_its_room_again(tmp_path: Path, room: Room) -> None:
    small: Settings = structs.replace(LOW, frontier=structs.replace(LOW.frontier, shards=1))
    crawler = Crawler(tmp_path, small)
    for start in range(0, 15_000, 1000):
        pages = [found(f"http://a.org/{page}/{page * 7919 % 99991:x}", 0.001) for page in range(start, start + 1000)]
        parents = [structs.replace(one, parent=f"http://b.org/{one.fingerprint.hex()}") for one in pages]
        crawler.frontier.discover(parents)
        crawler.frontier.committer.commit()
    before = size_of(tmp_path)
    room.left = 999
    rounds(crawler)
    assert crawler.states() == {"skipped": 15_000}
    assert size_of(tmp_path) < 0.7 * before
    crawler.frontier.close()
