"""The filter of a shard never takes a known URL for new, whatever happens to the store and to the filter's file."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from skitter.frontier import frontier as frontiers
from skitter.messages import State
from skitter.ports import ShardStore
from skitter.shard import filter as filters
from skitter.shard import writer as shards
from skitter.shard.keys import band_prefix
from skitter.shard.records import UrlRecord
from skitter.shard.rocks import RocksStores, shard_path
from skitter.shard.writer import Shard
from tests.frontier.test_frontier import SETTINGS, found
from tests.frontiers import close_in_order, opened_frontier, opened_shard

native = pytest.importorskip("skitter._native", reason="no Rust toolchain: there is no filter")

MEMORY = 16 * 1024**2
KEYS = 50


def fingerprints(seed: int, number: int = KEYS) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(16) for _ in range(number)]


@pytest.fixture
def slow_building(monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that has to be built is not whole at once."""
    monkeypatch.setattr(shards, "FIRST_SLICE", 3)
    monkeypatch.setattr(frontiers, "FILTER_SLICE", 4)


def opened(folder: Path, memory: int = MEMORY) -> Shard:
    return opened_shard(folder, memory=memory)


def arrive(shard: Shard, keys: list[bytes]) -> None:
    for number, key in enumerate(keys):
        shard.arrive(key, UrlRecord("http://a.org/", "a.org", State.QUEUED, 1.0, 0, 0.5, queue=b"q%d" % number))
    shard.commit_arrivals()
    shard.commit_settlements()


def used(folder: Path, keys: list[bytes]) -> None:
    """Leaves a store with these URLs and a filter of them, closed in order."""
    shard = opened(folder)
    arrive(shard, keys)
    close_in_order(shard)


# What a file is worth


def file_of(folder: Path) -> Path:
    return shard_path(folder, 0) / filters.FILE


def as_it_was(folder: Path) -> None:
    assert file_of(folder).exists()


def cut(folder: Path) -> None:
    file_of(folder).write_bytes(file_of(folder).read_bytes()[:-1])


def changed(folder: Path) -> None:
    raw = bytearray(file_of(folder).read_bytes())
    raw[-1] ^= 1
    file_of(folder).write_bytes(raw)


def gone(folder: Path) -> None:
    file_of(folder).unlink()


def of_another_store(folder: Path) -> None:
    used(folder / "other", fingerprints(2))
    shutil.copy(file_of(folder / "other"), file_of(folder))


def older_than_the_store(folder: Path) -> None:
    before = file_of(folder).read_bytes()
    used(folder, fingerprints(3))
    file_of(folder).write_bytes(before)


def killed_after_a_start(folder: Path) -> None:
    shard = opened(folder)
    shutil.copytree(shard_path(folder, 0), folder / "copy")
    close_in_order(shard)
    shutil.rmtree(shard_path(folder, 0))
    (folder / "copy").rename(shard_path(folder, 0))


def opened_without_the_kernel(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filters, "IS_NATIVE", False)
        used(folder, fingerprints(3))


def written_by_another_version(folder: Path) -> None:
    """The digest is right, but what it is of is not a filter that we know."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filters.UrlFilter, "save", saved_otherwise)
        close_in_order(opened(folder))


def saved_otherwise(_: filters.UrlFilter, store: ShardStore) -> bytes:
    raw = b"\x01" + (store.read_beside(filters.FILE) or b"")[1:]
    store.write_beside(filters.FILE, raw)
    return filters.xxh3_128_digest(raw)


def on_a_full_disk(folder: Path) -> None:
    """A directory in its place stands for whatever keeps the file from being written."""
    file_of(folder).unlink()
    file_of(folder).mkdir()
    close_in_order(opened(folder))


FILES: dict[str, tuple[Callable[[Path], None], bool]] = {
    "as a clean close left it": (as_it_was, True),
    "cut": (cut, False),
    "one bit changed": (changed, False),
    "gone": (gone, False),
    "of another store": (of_another_store, False),
    "older than the store": (older_than_the_store, False),
    "older than a kill": (killed_after_a_start, False),
    "older than a run without the kernel": (opened_without_the_kernel, False),
    "of another version": (written_by_another_version, False),
    "not to be written": (on_a_full_disk, False),
}


@pytest.mark.parametrize(("happens", "is_taken"), FILES.values(), ids=FILES)
@pytest.mark.usefixtures("slow_building")
def test_a_file_counts_only_if_it_is_the_one_of_this_moment(
    happens: Callable[[Path], None], is_taken: bool, tmp_path: Path
) -> None:
    used(tmp_path, fingerprints(1))
    happens(tmp_path)
    shard = opened(tmp_path)
    assert shard.filter.is_building != is_taken
    known = [key[1:] for key, _ in shard.iterate(b"u")]
    assert set(known) >= set(fingerprints(1))
    assert not any(map(shard.filter.rules_out, known))
    while shard.filter.is_building:
        assert shard.build_filter(7) > 0
        assert not any(map(shard.filter.rules_out, known))
    assert sum(map(shard.filter.rules_out, fingerprints(9))) > 0.9 * KEYS, "built or taken, it is of use"
    close_in_order(shard)


def rate(shard: Shard) -> float:
    """Returns how often the filter does not tell a new URL."""
    others = fingerprints(9, 20_000)
    return 1 - sum(map(shard.filter.rules_out, others)) / len(others)


@pytest.mark.slow
def test_it_is_wrong_once_in_a_hundred_times_at_the_most_as_it_grows(tmp_path: Path) -> None:
    shard, keys = opened(tmp_path), fingerprints(1, 60_000)
    highest = 0.0
    for start in range(0, len(keys), 1500):
        arrive(shard, keys[start : start + 1500])
        highest = max(highest, rate(shard))
        shard.build_filter(4000)
        assert not any(map(shard.filter.rules_out, keys[: start + 1500]))
    assert highest <= 0.01
    held = shard.filter._held
    assert held is not None
    assert held.layers <= 2, "else it would be wrong once more for each"
    close_in_order(shard)


@pytest.mark.slow
@pytest.mark.parametrize("happens", [gone, of_another_store, as_it_was])
def test_so_it_is_on_a_store_that_came_from_elsewhere(tmp_path: Path, happens: Callable[[Path], None]) -> None:
    keys = fingerprints(1, 20_000)
    used(tmp_path, keys)
    happens(tmp_path)
    shard = opened(tmp_path)
    while shard.filter.is_building:
        assert shard.build_filter(4000) > 0
    assert not any(map(shard.filter.rules_out, keys))
    assert rate(shard) <= 0.01
    held = shard.filter._held
    assert held is not None
    assert held.layers == 1
    close_in_order(shard)


def test_what_arrives_while_it_is_built_anew_is_in_it(tmp_path: Path) -> None:
    shard, later = opened(tmp_path), iter(fingerprints(2, 9000))
    arrive(shard, fingerprints(1, 3000))
    assert shard.filter.is_building, "it has two layers"
    shard.arrive(next(later), UrlRecord("http://a.org/", "a.org", State.QUEUED, 1.0, 0, 0.5, queue=b"q"))
    assert shard.build_filter(10) == 0, "what is not committed would be missing"
    while shard.filter.is_building:
        arrive(shard, [next(later)])
        assert shard.build_filter(50) > 0
    assert not any(shard.filter.rules_out(key[1:]) for key, _ in shard.iterate(b"u"))
    assert rate(shard) <= 0.01
    close_in_order(shard)


def test_it_is_built_anew_again_if_too_much_arrives_meanwhile(tmp_path: Path) -> None:
    shard = opened(tmp_path)
    arrive(shard, fingerprints(1, 3000))
    assert shard.build_filter(10) == 10
    arrive(shard, fingerprints(2, 9000))
    while shard.filter.is_building:
        assert shard.build_filter(700) > 0
    assert not any(shard.filter.rules_out(key[1:]) for key, _ in shard.iterate(b"u"))
    close_in_order(shard)


def test_without_memory_it_stays_as_it_is(tmp_path: Path) -> None:
    """Of 28 KB, filters may have nine: two layers of four each, and nothing beside them."""
    shard = opened(tmp_path, memory=28 * 1024)
    arrive(shard, fingerprints(1, 3000))
    assert shard.filter.is_building
    assert shard.build_filter(10) == 0
    assert not shard.filter.is_building, "it does not try again before it grows again"
    assert not any(map(shard.filter.rules_out, fingerprints(1, 3000)))
    assert rate(shard) < 1
    close_in_order(shard)


@pytest.mark.usefixtures("slow_building")
def test_what_arrives_while_a_filter_is_built_is_in_it(tmp_path: Path) -> None:
    used(tmp_path, fingerprints(1))
    gone(tmp_path)
    shard = opened(tmp_path)
    later = iter(fingerprints(2))
    while shard.filter.is_building:
        arrive(shard, [next(later)])  # before and behind where the building is
        shard.build_filter(5)
    assert not any(shard.filter.rules_out(key[1:]) for key, _ in shard.iterate(b"u"))
    assert sum(map(shard.filter.rules_out, fingerprints(9))) > 0.9 * KEYS
    close_in_order(shard)


def test_a_shard_that_is_abandoned_leaves_no_filter(tmp_path: Path) -> None:
    shard = opened(tmp_path)
    arrive(shard, fingerprints(1))
    shard.close()
    assert not file_of(tmp_path).exists()


# Any order of events


DEEDS = ("discover", "commit", "tick", "reopen", "kill", "no kernel", "old file", "cut file")


class Crawl:
    """A frontier, what it ought to know, and what can happen to it. A kill loses what was not committed."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self._folder = folder
        self._dice = dice
        self._known: set[int] = set()
        self._committed: set[int] = set()
        self._old: dict[str, bytes] = {}
        self._open()

    def _open(self) -> None:
        memory = structs.replace(SETTINGS.frontier, shards=1, seen_cache=0)
        self._frontier = opened_frontier(
            self._folder, structs.replace(SETTINGS, frontier=memory), range(1), lambda: 1e9
        )

    def discover(self) -> None:
        numbers = {self._dice.randrange(60) for _ in range(self._dice.randrange(1, 20))}
        new = self._frontier.discover(found(f"http://h{number % 5}.org/{number}") for number in numbers)
        assert new == len(numbers - self._known)
        self._known |= numbers

    def commit(self) -> None:
        self._frontier.committer.commit()
        self._committed = set(self._known)

    def tick(self) -> None:
        self._frontier.tick()
        self._committed = set(self._known)

    def reopen(self) -> None:
        self.close()
        self._open()

    def kill(self) -> None:
        """What is on disk at this moment goes on."""
        for shard in self._frontier._shards.opened.values():
            shard.close()
        self._known = set(self._committed)
        self._open()

    def no_kernel(self) -> None:
        self.close()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(filters, "IS_NATIVE", False)
            self._open()
            self.discover()
            self.close()
        self._open()

    def old_file(self) -> None:
        """Files of an earlier time come back, as from a copy of only a part of the folder."""
        self.close()
        old, self._old = self._old, {str(file): file.read_bytes() for file in self._folder.rglob(filters.FILE)}
        for file, raw in old.items():
            if Path(file).parent.exists():
                Path(file).write_bytes(raw)
        self._open()

    def cut_file(self) -> None:
        self.close()
        for file in self._folder.rglob(filters.FILE):
            file.write_bytes(file.read_bytes()[: self._dice.randrange(20)])
        self._open()

    def close(self) -> None:
        self._frontier.close()
        self._committed = set(self._known)


@pytest.mark.slow
@pytest.mark.usefixtures("slow_building")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.sampled_from(DEEDS), min_size=3, max_size=9), seed=st.integers(0, 2**32))
def test_no_url_is_new_twice_in_any_order_of_events(deeds: list[str], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        crawl = Crawl(Path(folder), random.Random(seed))
        crawl.discover()
        for deed in deeds:
            getattr(crawl, deed.replace(" ", "_"))()
            crawl.discover()
        crawl.close()


LIFE = """
import sys, time
from pathlib import Path
from tests.frontier.test_frontier import SETTINGS, found
from tests.frontiers import opened_frontier
frontier = opened_frontier(Path(sys.argv[1]), SETTINGS, range(SETTINGS.frontier.shards), lambda: 1e9)
frontier.discover(found(f"http://h{number % 9}.org/{number}") for number in range(int(sys.argv[2])))
frontier.committer.commit()
print("committed", flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_no_url_is_new_twice_after_kill_9(tmp_path: Path) -> None:
    pages = [found(f"http://h{number % 9}.org/{number}") for number in range(3000)]
    frontier = opened_frontier(tmp_path, SETTINGS, range(SETTINGS.frontier.shards), lambda: 1e9)
    assert frontier.discover(pages[:1000]) == 1000
    frontier.close()
    with subprocess.Popen([sys.executable, "-c", LIFE, str(tmp_path), "2000"], stdout=subprocess.PIPE) as life:
        assert life.stdout is not None
        try:
            assert life.stdout.readline() == b"committed\n"
        finally:
            life.kill()
    assert list(tmp_path.rglob(filters.FILE)), "the files of the first run are still there"
    frontier = opened_frontier(tmp_path, SETTINGS, range(SETTINGS.frontier.shards), lambda: 1e9)
    assert frontier.discover(pages) == 1000
    frontier.close()


# Memory


def test_filters_take_their_part_of_the_memory_and_no_more(tmp_path: Path) -> None:
    stores = RocksStores(tmp_path, 6 * 1024**2)  # 2 for what is written, 4 for blocks and filters
    assert stores.take_memory(1024**2)
    assert not stores.take_memory(1024**2 + 1)
    assert stores.take_memory(1024**2)
    stores.give_memory_back(2 * 1024**2)
    assert stores.take_memory(2 * 1024**2)


def test_a_filter_that_finds_no_memory_goes_and_gives_its_own_to_others(tmp_path: Path) -> None:
    stores, keys = RocksStores(tmp_path, 3 * 50_000), fingerprints(1, 60_000)
    shard = Shard(stores, 0, 1, 1.0)
    arrive(shard, [])
    grown = 0
    for grown, key in enumerate(keys, 1):
        shard.filter.add(key)
        if grown % 1000 == 0 and not shard.filter.rules_out(fingerprints(2, 1)[0]):
            break
    # 32 KB of the 50 it may have: the next layer is 32, and there is room for 512 lines of 42.
    assert 512 * 42 <= grown <= 512 * 42 + 1000
    assert stores.take_memory(50_000)
    assert not shard.filter.is_building
    close_in_order(shard)
    assert not file_of(tmp_path).exists()


def test_a_filter_that_was_saved_and_does_not_fit_is_left(tmp_path: Path) -> None:
    used(tmp_path, fingerprints(1, 3000))
    shard = opened(tmp_path, 3 * 4096)
    assert not shard.filter.rules_out(fingerprints(2, 1)[0])
    assert all(map(shard.has_url, fingerprints(1, 3000)))
    close_in_order(shard)


# Without the kernel


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "IS_NATIVE", False)
    monkeypatch.setattr("skitter.shard.recent.IS_NATIVE", False)


@pytest.mark.usefixtures("no_kernel")
def test_without_the_kernel_the_store_is_asked(tmp_path: Path) -> None:
    pages = [found(f"http://a.org/{number}") for number in range(20)]
    for known in (0, 20):
        frontier = opened_frontier(tmp_path, SETTINGS, range(SETTINGS.frontier.shards), lambda: 1e9)
        assert frontier.discover(pages) == 20 - known
        assert frontier.discover(pages) == 0
        seen = frontier.statistics().seen
        assert (seen.in_memory, seen.in_store, seen.new, seen.false_positives) == (20, known, 20 - known, 20 - known)
        frontier.close()
    assert not list(tmp_path.rglob(filters.FILE))


# Bands


def bands(seed: int, number: int = KEYS) -> list[bytes]:
    """Returns the keys of bands of one domain: their first half is the same."""
    return [band_prefix("a.org") + key[:8] for key in fingerprints(seed, number)]


def put_bands(shard: Shard, keys: list[bytes]) -> None:
    for at in range(0, len(keys), 6):
        shard.put_bands(keys[at : at + 6], b"a page")
    shard.commit_settlements()


def ruled_out(shard: Shard, keys: list[bytes]) -> int:
    out = len(keys) - len(shard.bands.known(keys))
    assert out == sum(shard.bands.rules_out(key[1:]) for key in keys)
    return out


def test_a_band_that_is_kept_is_never_ruled_out_and_others_are(tmp_path: Path) -> None:
    shard = opened(tmp_path)
    put_bands(shard, bands(1, 500))
    assert ruled_out(shard, bands(1, 500)) == 0
    assert ruled_out(shard, bands(2, 500)) > 480
    close_in_order(shard)
    again = opened(tmp_path)
    assert ruled_out(again, bands(1, 500)) == 0
    assert ruled_out(again, bands(2, 500)) > 480
    close_in_order(again)


@pytest.mark.usefixtures("slow_building")
def test_a_filter_of_bands_that_is_not_whole_rules_out_none(tmp_path: Path) -> None:
    shard = opened(tmp_path)
    put_bands(shard, bands(1))
    close_in_order(shard)
    again = opened(tmp_path)
    put_bands(again, bands(2))
    assert ruled_out(again, bands(3)) == 0
    while again.build_filter(4):
        assert ruled_out(again, bands(1) + bands(2)) == 0
    assert ruled_out(again, bands(3)) > 40
    close_in_order(again)


def test_a_filter_of_bands_grows_up_to_its_bound_and_then_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "MOST_FOR_BANDS", 8 * 1024)
    shard = opened(tmp_path)
    put_bands(shard, bands(1, 3000))  # of the first 4 KB there is room for 2688
    assert ruled_out(shard, bands(1, 3000)) == 0
    assert ruled_out(shard, bands(2, 500)) > 480
    put_bands(shard, bands(3, 4000))
    assert ruled_out(shard, bands(4)) == 0
    close_in_order(shard)
