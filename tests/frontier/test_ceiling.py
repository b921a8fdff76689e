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
from skitter.judge.absence import MARKS, TEXTS, WAYS, Absence, Way
from skitter.judge.corner import DEEP, LONGEST, SHAPE, WIDE
from skitter.judge.counting import Corner
from skitter.judge.frame import MOST_HASHES, Frame
from skitter.judge.host import HostJudgement
from skitter.judge.likeness import Saying
from skitter.judge.novelty import KEPT
from skitter.judge.orders import BITS, MOST
from skitter.judge.traps import CLOSED, CORNERS, Closed, Sounding, Traps
from skitter.messages import Errand, Fetched
from skitter.parse.shingles import SAMPLE
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


def corner_of(name: str, size: int, number: int) -> Corner:
    """Returns a corner of which as much is remembered as can be: in each field a number of its own."""
    kept = {
        "name": name,
        "size": size,
        "seen": bytes(4 * KEPT) if size in (SHAPE, WIDE) else b"",
        "orders": bytes(8 * MOST) if size in (DEEP, WIDE) else b"",
        "choices": bytes(BITS // 8) if size in (DEEP, WIDE) else b"",
        "parameters": bytes(BITS // 8) if size == WIDE else b"",
    }
    counts = {field.name: number + 1000 for field in structs.fields(Corner) if field.type is int}
    return Corner(**{**counts, "usual": 1 / (number + 2), **kept})


def visited(number: int) -> bytes:
    """Returns the record of a host of whose pages as much is remembered as can be."""
    name = f"/{number:0{LONGEST // 2}}"  # half as long as it can be: few are longer
    sizes = [(size, place) for size, most in enumerate(CORNERS) for place in range(most)]
    corners = tuple(corner_of(f"{name}{size}{place}", size, number) for size, place in sizes)
    closed = tuple(Closed(f"{name}{place}", SHAPE, 1.5, "why " * 30, 2.5, bytes(4 * KEPT)) for place in range(CLOSED))
    said = Saying("t" * 50, "b" * (TEXTS // WAYS - 50), words=number + 300)
    ways = tuple(Way(f"http://a.org{name}{place}", f"{name}*{place}", 200, "", said) for place in range(WAYS))
    return JUDGEMENTS.encode(
        HostJudgement(
            Traps(corners, closed, Sounding(bytes(16), name, name), 1, number + 1000, bytes(4 * SAMPLE)),
            (),
            Absence(ways, bytes(8 * MARKS), bytes(4 * MARKS)),
            Frame(60, bytes(5 * MOST_HASHES), tuple(range(10**9, 10**9 + SAMPLE))),
        )
    )


def test_a_host_of_which_much_is_remembered() -> None:
    raw = [visited(number) for number in range(HOSTS_IN_MEMORY)]
    held = taken(lambda: [JUDGEMENTS.decode(one) for one in raw])
    assert 0.9 * ceiling.HOST * HOSTS_IN_MEMORY < held < 0.98 * ceiling.HOST * HOSTS_IN_MEMORY


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
    assert 0.02 * counted < held < 0.5 * counted  # nothing is remembered of their pages yet


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
