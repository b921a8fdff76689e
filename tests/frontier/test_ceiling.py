"""What is in memory takes no more than the ceiling counts it for."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier import ceiling
from skitter.frontier.policies import RobotsOutcome
from skitter.judge.corner import LONGEST, SHAPE, WIDE
from skitter.judge.counting import Corner
from skitter.judge.host import HostJudgement
from skitter.judge.novelty import KEPT
from skitter.judge.traps import CLOSED, CORNERS, Closed, Sounding, Traps
from skitter.messages import Errand, Fetched
from skitter.settings import FrontierSettings, Settings
from skitter.shard.recent import DEARER, Generations
from skitter.shard.records import JUDGEMENTS
from tests.frontier.test_frontier import found
from tests.frontiers import opened_frontier

HOSTS_IN_MEMORY = 100
URLS_OF_EACH = 16


def taken(make: Callable[[], object]) -> int:
    """Returns the bytes that what is made holds on to."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = make()
        gc.collect()
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    del kept
    return size


def test_a_fingerprint_in_the_seen_cache() -> None:
    size, dice = 2**17, random.Random(1)
    memory = pytest.importorskip("skitter._native", reason="no Rust toolchain: dicts are in use").Recent(size)
    for _ in range(3 * size):
        memory.remember(dice.randbytes(16), dice.randrange(64))
    assert memory.size == ceiling.SEEN * size


def test_a_fingerprint_in_the_seen_cache_without_the_kernel() -> None:
    size, dice = 3000 * DEARER, random.Random(1)

    def filled() -> Generations:
        memory = Generations(size // DEARER)
        for _ in range(3 * size // DEARER):
            memory.remember(dice.randbytes(16), dice.randrange(64))
        return memory

    held = taken(filled)
    assert 0.3 * ceiling.SEEN * size < held < 1.02 * ceiling.SEEN * size


def visited(number: int) -> bytes:
    """Returns the record of a host of whose pages as much is remembered as can be."""
    name = f"/{number:0{LONGEST // 2}}"  # half as long as it can be: few are longer
    said = bytes(4 * KEPT)
    corners = tuple(
        Corner(f"{name}{size}{place}", size, said if size in (SHAPE, WIDE) else b"", 1000, 1000, 1000)
        for size, most in enumerate(CORNERS)
        for place in range(most)
    )
    closed = tuple(Closed(f"{name}{place}", SHAPE, 1.0, "why " * 30, 2.0, said) for place in range(CLOSED))
    return JUDGEMENTS.encode(HostJudgement(Traps(corners, closed, Sounding(bytes(16), name, name), 1, 1000)))


def test_a_host_of_which_much_is_remembered() -> None:
    raw = [visited(number) for number in range(HOSTS_IN_MEMORY)]
    held = taken(lambda: [JUDGEMENTS.decode(one) for one in raw])
    assert 0.5 * ceiling.HOST * HOSTS_IN_MEMORY < held < 0.9 * ceiling.HOST * HOSTS_IN_MEMORY


@pytest.mark.slow
def test_the_hosts_of_a_window_and_their_urls(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    settings = Settings(frontier=FrontierSettings(shards=1, window_urls=URLS_OF_EACH, store_memory=8 * 1024**2))
    frontier = opened_frontier(tmp_path, settings, [0], lambda: now)
    pages = range(2 * URLS_OF_EACH)
    frontier.discover(found(f"http://h{host}.org/{page}") for host in range(HOSTS_IN_MEMORY) for page in pages)
    frontier.committer.commit()

    def brought_in() -> None:
        nonlocal now
        for name in frontier.tick():
            frontier.resolved(name)
        while (lease := frontier.lease_nowait()) is not None:
            assert lease.errand is Errand.ROBOTS
            fetched = Fetched(lease, now, now, status=404)
            frontier.settle(RobotsOutcome(lease, fetched.began, fetched, frontier.judge_robots(lease, fetched)))
        frontier.committer.commit()

    held = taken(brought_in)
    assert sum(len(host.lanes[0].urls) for host in frontier._window) == HOSTS_IN_MEMORY * URLS_OF_EACH
    frontier.close()
    counted = HOSTS_IN_MEMORY * (ceiling.HOST + URLS_OF_EACH * ceiling.URL)
    assert 0.05 * counted < held < 0.5 * counted  # nothing is remembered of their pages yet


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("window_hosts", {"window_hosts": 40_000}),
        ("window_urls", {"window_urls": 32}),
        ("seen_cache", {"seen_cache": 2 * Settings().frontier.seen_cache}),
        ("store_memory", {"store_memory": 128 * 1024**2}),
    ],
)
def test_twice_the_setting_is_twice_its_part_of_the_ceiling(part: str, change: dict[str, int]) -> None:
    settings = Settings()
    twice = structs.replace(settings, frontier=structs.replace(settings.frontier, **change))
    assert ceiling.ceiling(twice, 32)[part] == pytest.approx(2 * ceiling.ceiling(settings, 32)[part], rel=1e-6)
