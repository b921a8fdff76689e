"""Links for other nodes: none is lost, none goes out before it is safe here, and each batch is for one node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from skitter.messages import Discovered
from skitter.shard import outbox as outboxes
from skitter.shard.outbox import LINKS, Outbox
from skitter.shard.rocks import StoreMemory
from skitter.shard.writer import Shard
from skitter.url.keys import fingerprint

NODES = 3


def link(number: int) -> Discovered:
    href = f"http://h{number}.org/"
    return Discovered(href, f"h{number}.org", fingerprint(href), 1, 0.5)


def by_number(nodes: int) -> Callable[[str], int]:
    return lambda host: int(host[1:-4]) % nodes


class Box:
    """Two shards with their outbox; opened again, it has what was committed."""

    def __init__(self, folder: Path, nodes: int = NODES) -> None:
        self.kept: list[bytes] = []
        self.shards = {number: Shard(folder, number, 2, StoreMemory(8 * 1024**2), 0.0) for number in range(2)}
        self.outbox = Outbox(self.shards, by_number(nodes), self.kept.append)

    def commit(self) -> None:
        for shard in self.shards.values():
            shard.commit_settlements()
        self.outbox.committed()

    def pending(self, node: int) -> list[Discovered]:
        batches = self.outbox.pending(node, 1000)
        return [one for batch in batches for one in msgspec.msgpack.decode(batch.links, type=list[Discovered])]

    def close(self) -> None:
        for shard in self.shards.values():
            shard.close()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.close()


def post(box: Box, *numbers: int) -> None:
    box.outbox.post(box.shards[numbers[0] % 2], [link(number) for number in numbers])


def test_a_batch_is_for_one_node(box: Box) -> None:
    post(box, *range(9))
    box.commit()
    assert [[one.host for one in box.pending(node)] for node in range(NODES)] == [
        [f"h{number}.org" for number in range(node, 9, NODES)] for node in range(NODES)
    ]
    assert [len(box.outbox.pending(node, 1000)) for node in range(NODES)] == [1, 1, 1]


def test_nothing_goes_out_or_counts_as_known_before_it_is_committed(box: Box) -> None:
    box.pending(0)
    post(box, 0, 3)
    assert (box.pending(0), box.kept, box.outbox.is_empty(NODES)) == ([], [], False)
    box.commit()
    assert box.pending(0) == [link(0), link(3)]
    assert box.kept == [link(0).fingerprint, link(3).fingerprint]


def test_what_is_delivered_is_gone_and_nothing_else(box: Box) -> None:
    for number in (0, 3, 6, 1):
        post(box, number)
    box.commit()
    before = box.pending(0)
    box.outbox.delivered(0, box.outbox.pending(0, 2))
    box.commit()
    assert (box.pending(0), box.pending(1), box.outbox.is_empty(NODES)) == (before[2:], [link(1)], False)
    assert len(before) == 3


def test_after_a_restart_all_is_there_that_was_not_delivered(tmp_path: Path) -> None:
    box = Box(tmp_path)
    for number in (0, 3, 6):
        post(box, number)
    box.commit()
    box.outbox.delivered(0, box.outbox.pending(0, 1))
    box.close()
    box = Box(tmp_path)
    left = {one.href for one in box.pending(0)}
    assert left | {"http://h0.org/", "http://h3.org/"} == {f"http://h{number}.org/" for number in (0, 3, 6)}
    assert len(left) == 2
    post(box, 9)
    box.commit()
    assert len(box.pending(0)) == 3, "each of them once"
    box.close()


@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_another_number_of_nodes_shares_them_out_anew(tmp_path: Path, nodes: int) -> None:
    box = Box(tmp_path)
    post(box, *range(30))
    box.commit()
    box.close()
    box = Box(tmp_path, nodes)
    found: list[Discovered] = []
    while not box.outbox.is_empty(nodes):
        for node in range(nodes):
            theirs = box.pending(node)
            assert {by_number(nodes)(one.host) for one in theirs} <= {node}
            found += theirs
            box.outbox.delivered(node, box.outbox.pending(node, 1000))
            box.commit()
    assert sorted(one.href for one in found) == sorted(link(number).href for number in range(30))
    assert box.kept == [], "some are for the very node that holds them, which is to discover them yet"
    box.close()


def test_more_than_fit_into_memory_wait_on_disk(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "IN_MEMORY", 4)
    box.pending(0)
    for number in range(0, 33, NODES):
        post(box, number)
    box.commit()
    found = []
    while batches := box.outbox.pending(0, 3):
        found += box.pending(0)[: len(batches)]
        box.outbox.delivered(0, batches)
        box.commit()
    assert {one.host for one in found} == {f"h{number}.org" for number in range(0, 33, NODES)}
    assert len(found) == 11


def test_a_page_of_very_many_links_makes_several_batches(box: Box) -> None:
    post(box, *(NODES * number for number in range(2 * LINKS + 1)))
    box.commit()
    assert [len(msgspec.msgpack.decode(batch.links)) for batch in box.outbox.pending(0, 9)] == [LINKS, LINKS, 1]


def test_no_more_is_pending_at_once_than_fits_into_a_frame(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "BYTES", 150)
    for number in range(0, 30, NODES):
        post(box, number)
    box.commit()
    batches = box.outbox.pending(0, 100)
    assert 1 < len(batches) < 10
    assert sum(len(batch.links) for batch in batches) <= 150
    monkeypatch.setattr(outboxes, "BYTES", 1)
    assert len(box.outbox.pending(0, 100)) == 1, "one at least, whatever its size"
