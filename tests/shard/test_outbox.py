"""Links for other nodes: none is lost, none goes out before it is safe here, and each parcel is for one shard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from skitter.messages import Discovered
from skitter.shard import outbox as outboxes
from skitter.shard.outbox import MAX_LINKS, Outbox
from skitter.shard.rocks import RocksStores
from skitter.shard.shards import Shards
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import SLOTS, Routes
from tests.frontiers import commit

SHARDS = 8
OURS = 2
ROUTES = Routes(Domains(), SHARDS, [slot % SHARDS for slot in range(SLOTS)])


def hosts_of(shard: int, number: int) -> list[str]:
    """Returns so many hosts that are in one shard."""
    names = (f"h{index}.org" for index in range(1_000_000))
    return [name for _, name in zip(range(number), (n for n in names if ROUTES.shard_of(n) == shard), strict=False)]


def link(host: str, page: int = 0) -> Discovered:
    href = f"http://{host}/{page}"
    return Discovered(href, host, fingerprint(href), 1, 0.5)


class Box:
    """Two shards with their outbox; opened again, it has what was committed."""

    def __init__(self, folder: Path) -> None:
        self.kept: list[tuple[bytes, int]] = []
        stores = RocksStores(folder, 8 * 1024**2)
        self.shards = Shards(stores, ROUTES, lambda: 0.0, lambda _: None)
        for number in range(OURS):
            self.shards.add(number)
        while self.shards.open_ahead():
            pass
        self.outbox = Outbox(self.shards, lambda *kept: self.kept.append(kept))
        for shard in self.shards.opened.values():
            self.outbox.note_opened(shard)

    def post(self, *links: Discovered, sender: int = 0) -> None:
        self.outbox.post(self.shards.opened[sender], links)

    def commit(self) -> None:
        for shard in self.shards.opened.values():
            commit(shard)
        self.outbox.committed()

    def pending(self, shard: int) -> list[str]:
        parcels = self.outbox.pending(shard, 1000)
        return [one.href for parcel in parcels for one in msgspec.msgpack.decode(parcel.links, type=list[Discovered])]

    def close(self) -> None:
        self.shards.close(is_committed=False)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.close()


def test_a_parcel_is_for_one_shard(box: Box) -> None:
    links = {shard: [link(host) for host in hosts_of(shard, 3)] for shard in range(OURS, SHARDS)}
    box.post(*(one for some in links.values() for one in some))
    box.commit()
    assert {shard: box.pending(shard) for shard in links} == {s: [one.href for one in links[s]] for s in links}
    assert [len(box.outbox.pending(shard, 1000)) for shard in links] == [1] * len(links)
    assert sorted(box.outbox.destinations()) == sorted(links)


def test_nothing_goes_out_or_counts_as_known_before_it_is_committed(box: Box) -> None:
    one = link(hosts_of(5, 1)[0])
    box.post(one)
    assert (box.pending(5), box.kept, box.outbox.is_empty()) == ([], [], False)
    box.commit()
    assert box.pending(5) == [one.href]
    assert box.kept == [(one.fingerprint, 5)]


def test_what_is_delivered_is_gone_and_nothing_else(box: Box) -> None:
    links = [link(host) for host in hosts_of(5, 3)]
    for one in (*links, link(hosts_of(6, 1)[0])):
        box.post(one)
    box.commit()
    box.outbox.delivered(5, box.outbox.pending(5, 2))
    box.commit()
    assert box.pending(5) == [links[2].href]
    assert len(box.pending(6)) == 1
    box.outbox.delivered(5, box.outbox.pending(5, 9))
    box.outbox.delivered(6, box.outbox.pending(6, 9))
    assert box.outbox.is_empty()


def test_after_a_restart_all_is_there_that_was_not_delivered(tmp_path: Path) -> None:
    box = Box(tmp_path)
    hosts = [*hosts_of(5, 2), *hosts_of(255 % SHARDS, 1), *hosts_of(2, 1)]
    for number, host in enumerate(hosts):
        box.post(link(host), sender=number % OURS)
    box.commit()
    first = box.outbox.pending(5, 1)
    box.outbox.delivered(5, first)
    box.close()  # that it was delivered is not committed
    box = Box(tmp_path)
    found = [href for shard in set(box.outbox.destinations()) for href in box.pending(shard)]
    assert sorted(found) == sorted(link(host).href for host in hosts), "each of them once"
    box.post(link(hosts[0], page=1))
    box.commit()
    assert len(box.pending(5)) == 3
    box.close()


def test_more_than_fit_into_memory_wait_on_disk(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "IN_MEMORY", 4)
    hosts = hosts_of(5, 11)
    for number, host in enumerate(hosts):
        box.post(link(host), sender=number % OURS)
    box.commit()
    found = []
    while parcels := box.outbox.pending(5, 3):
        found += box.pending(5)[: len(parcels)]
        box.outbox.delivered(5, parcels)
        box.commit()
    assert set(found) == {link(host).href for host in hosts}
    assert len(found) == 11
    assert box.outbox.is_empty()


def test_what_a_shard_has_to_deliver_goes_with_it(box: Box) -> None:
    hosts = hosts_of(5, 3)
    for number, host in enumerate(hosts):
        box.post(link(host), sender=number % OURS)
    box.commit()
    under_way = box.outbox.pending(5, 9)
    box.outbox.drop(box.shards.opened[0])
    assert box.pending(5) == [link(hosts[1]).href]
    box.outbox.delivered(5, under_way)
    assert box.outbox.is_empty()


def test_a_page_of_very_many_links_makes_several_parcels(box: Box) -> None:
    (host,) = hosts_of(5, 1)
    box.post(*(link(host, page) for page in range(2 * MAX_LINKS + 1)))
    box.commit()
    sizes = [len(msgspec.msgpack.decode(parcel.links)) for parcel in box.outbox.pending(5, 9)]
    assert sizes == [MAX_LINKS, MAX_LINKS, 1]


def test_no_more_is_pending_at_once_than_fits_into_a_frame(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "MAX_BYTES", 150)
    for host in hosts_of(5, 10):
        box.post(link(host))
    box.commit()
    parcels = box.outbox.pending(5, 100)
    assert 1 < len(parcels) < 10
    assert sum(len(parcel.links) for parcel in parcels) <= 150
    monkeypatch.setattr(outboxes, "MAX_BYTES", 1)
    assert len(box.outbox.pending(5, 100)) == 1, "one at least, whatever its size"
