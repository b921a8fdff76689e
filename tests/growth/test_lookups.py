"""What is asked of one host or of one draw takes the same, however many others there are: counted, not timed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.folder.routesfile import read_routes
from skitter.frontier.waiting import WaitingShards
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import host_named
from skitter.inspection.why import why
from skitter.schedule.priority import FRONT
from skitter.shard.rocks import RocksStore
from skitter.supervisor import begin as crawl
from tests.frontier.test_frontier import found
from tests.frontiers import opened_frontier
from tests.growth.clock import dearer

NOW = 1e9


def filled(folder: Path, others: int) -> Path:
    """Returns the folder of a crawl with one shard: one host that is asked for, and so many others."""
    settings = load(flags={"identity.contact": "me@a.org", "frontier.shards": 1}).settings
    folder.mkdir()
    crawl.begin(folder, ["http://a.org/"], settings, NOW)
    frontier = opened_frontier(folder, settings, [0], lambda: NOW, routes=read_routes(folder))
    frontier.discover([found("http://a.org/"), found("http://a.org/x")])
    frontier.discover(found(f"http://h{number}.org/{page}") for number in range(others) for page in range(5))
    frontier.close()
    return folder


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every key that is read of a store, one after the other."""
    keys: list[bytes] = []
    get, iterate = RocksStore.get, RocksStore.iterate

    def counted_get(store: RocksStore, key: bytes) -> bytes | None:
        keys.append(key)
        return get(store, key)

    def counted_iterate(store: RocksStore, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        for key, value in iterate(store, prefix, after):
            keys.append(key)
            yield key, value

    monkeypatch.setattr(RocksStore, "get", counted_get)
    monkeypatch.setattr(RocksStore, "iterate", counted_iterate)
    return keys


def test_one_host_is_told_of_without_a_look_at_the_others(tmp_path: Path, reads: list[bytes]) -> None:
    numbers = []
    for others in (10, 200):
        folder = filled(tmp_path / str(others), others)
        reads.clear()
        with Folder(folder) as looked_at:
            host = host_named(looked_at, "a.org", NOW)
            story = why(looked_at, "http://a.org/x", NOW)
        assert host is not None
        assert host.urls["queued"] == 2
        assert getattr(story, "found", None) is not None
        numbers.append(len(reads))
    assert numbers[0] == numbers[1] < 30


def test_the_operator_changes_one_host_without_a_look_at_the_others(tmp_path: Path, reads: list[bytes]) -> None:
    numbers = []
    for others in (10, 200):
        folder = filled(tmp_path / str(others), others)
        settings = load(flags={"identity.contact": "me@a.org", "frontier.shards": 1}).settings
        frontier = opened_frontier(folder, settings, [0], lambda: NOW, routes=read_routes(folder))
        reads.clear()
        frontier.operator.pause("a.org")
        frontier.operator.agree("a.org", 0.5)
        numbers.append(len(reads))
        frontier.close()
    assert numbers[0] == numbers[1] < 5


def drawn(shards: int, times: int) -> None:
    waiting, dice = WaitingShards(len(FRONT)), random.Random(1)
    for shard in range(shards):
        waiting.note(shard, shard % len(FRONT))
    for _ in range(times):
        front_class = min(waiting.turns())
        shard, _ = waiting.pick(front_class, dice.random())
        waiting.go_on(shard, front_class, b"w")


def test_a_draw_among_a_hundred_times_the_shards_costs_the_same() -> None:
    assert dearer(lambda: drawn(40, 20_000), lambda: drawn(4000, 20_000), 2.0) <= 2.0


def test_a_shard_in_which_nobody_waits_is_drawn_no_more() -> None:
    waiting = WaitingShards(2)
    for shard in range(3):
        waiting.note(shard, 0)
        waiting.note(shard, 0)
    waiting.note(7, 1)
    assert waiting.turns() == {0, 1}
    waiting.go_on(1, 0, b"key")
    waiting.remove(0, 0)
    assert {waiting.pick(0, roll) for roll in (0.0, 0.5, 0.99)} == {(1, b"key"), (2, b"")}
    waiting.drop(1)
    waiting.drop(2)
    waiting.drop(7)
    assert not waiting
