"""Small index files become one: every row is there at every moment, and once, whatever is killed when."""

from __future__ import annotations

import fcntl
import os
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from skitter.errors import MachineError
from skitter.ports import Capture
from skitter.store.compact.compact import compact
from skitter.store.compact.plan import MANY
from skitter.store.compact.shelf import shelves_of
from skitter.store.disk import RealDisk
from skitter.store.index.files import Index
from skitter.store.index.holding import indexed_files, reading
from skitter.store.index.indexer import Indexer
from skitter.store.index.parquet import GROUP, SCHEMAS
from skitter.store.index.paths import index_paths, tables_of, temporary
from skitter.store.warc.batch import Batch

NOON = 1_794_744_000.0  # 15 November 2026
LATER = NOON + 86400.0
FILES = 5


class Killed(BaseException):
    """The process ends here."""


class DyingDisk(RealDisk):
    """A disk under a process that is killed before or after its n-th call that changes something."""

    def __init__(self, calls: int, *, is_after: bool) -> None:
        self.left = calls
        self._is_after = is_after

    def _call(self, act: Callable[[], None]) -> None:
        self.left -= 1
        if self.left == 0 and not self._is_after:
            raise Killed
        act()
        if self.left == 0:
            raise Killed

    def rename(self, path: Path, new: Path) -> None:
        self._call(lambda: super(DyingDisk, self).rename(path, new))

    def remove(self, path: Path) -> None:
        self._call(lambda: super(DyingDisk, self).remove(path))


class WatchedDisk(RealDisk):
    """A disk with a reader who looks after each change."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look

    def rename(self, path: Path, new: Path) -> None:
        super().rename(path, new)
        self._look()

    def remove(self, path: Path) -> None:
        super().remove(path)
        self._look()


def name(number: int, day: str = "20261115") -> str:
    return f"skitter-{day}204551-n1-{number:05d}"


def index(folder: Path, file: str, captures: list[Capture]) -> None:
    batch = Batch(f"{file}.warc.gz", 0, 4, {}.get)
    for one in captures:
        batch.add(one)
    made = Index(folder, f"{file}.warc.gz")
    made.add(batch.entries)
    made.finish()


@pytest.fixture
def crawl(tmp_path: Path, capture: Callable[..., Capture], failure: Callable[..., Capture]) -> Path:
    for number in range(FILES):
        pages = [capture(f"https://{'cab'[one]}.example/{number}", b"%d" % number) for one in range(3)]
        index(tmp_path, name(number), [*pages, failure(f"https://dead.example/{number}")])
    return tmp_path


def held(folder: Path) -> dict[str, Counter[Any]]:
    """Returns all rows and lines as any reader with a glob finds them."""
    tables: dict[str, Counter[Any]] = {}
    for kind in SCHEMAS:
        query = f"select * from read_parquet('{folder}/parquet/{kind}/**/*.parquet')"
        tables[kind] = Counter(map(repr, duckdb.sql(query).fetchall()))
    lines = [line for path in folder.glob("cdxj/*.cdxj") for line in path.read_bytes().splitlines()]
    return {**tables, "cdxj": Counter(line for line in lines if not line.startswith(b"!"))}


def files(folder: Path) -> Counter[str]:
    found = [*folder.glob("parquet/**/*.parquet"), *folder.glob("cdxj/*.cdxj")]
    return Counter(path.relative_to(folder).parts[-5 if path.suffix == ".parquet" else 0] for path in found)


def test_the_files_of_a_day_that_is_over_become_one_of_each_kind(crawl: Path) -> None:
    before = held(crawl)
    assert before["captures"].total() == 3 * FILES
    assert compact(crawl, LATER) == 5 * (FILES - 1)
    assert held(crawl) == before
    assert set(files(crawl).values()) == {1}
    (cdxj,) = (crawl / "cdxj").iterdir()
    lines = cdxj.read_bytes().splitlines()
    assert lines == sorted(lines), "pywb searches it by halves"
    assert compact(crawl, LATER) == 0


def test_a_day_that_lasts_is_left_alone(crawl: Path) -> None:
    assert compact(crawl, NOON) == 0
    assert set(files(crawl).values()) == {FILES}


@pytest.mark.slow
def test_too_many_files_are_merged_while_the_day_lasts(crawl: Path, capture: Callable[..., Capture]) -> None:
    for number in range(FILES, MANY):
        index(crawl, name(number), [capture(f"https://a.example/{number}")])
    before = held(crawl)
    compact(crawl, NOON)
    assert held(crawl) == before
    assert set(files(crawl).values()) == {1}
    index(crawl, name(MANY), [capture("https://late.example/")])
    compact(crawl, NOON)
    assert set(files(crawl).values()) == {2}
    compact(crawl, LATER)
    assert set(files(crawl).values()) == {1}
    assert held(crawl)["captures"].total() == before["captures"].total() + 1


def test_days_stay_apart(crawl: Path, capture: Callable[..., Capture]) -> None:
    index(crawl, name(0, "20261114"), [capture("https://a.example/")])
    index(crawl, name(1, "20261114"), [capture("https://b.example/")])
    compact(crawl, LATER)
    assert [path.relative_to(crawl / "parquet" / "links").parts[:3] for path in tables_of(crawl, "links")] == [
        ("2026", "11", "14"),
        ("2026", "11", "15"),
    ]
    assert len(list((crawl / "cdxj").iterdir())) == 2


@pytest.mark.slow
def test_kills_after_every_single_step_lose_nothing_and_it_gets_done(crawl: Path) -> None:
    before = held(crawl)
    for step in range(1000):
        try:
            compact(crawl, LATER, DyingDisk(1, is_after=True))
            break
        except Killed:
            after = held(crawl)
            assert all(after[kind] >= before[kind] for kind in before), f"lost at step {step}"
    assert held(crawl) == before
    assert set(files(crawl).values()) == {1}
    assert not list(crawl.rglob("*.tmp"))
    assert step == 5 * (FILES + 1)


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
def test_a_kill_at_the_nth_step_is_mended_by_one_run(
    tmp_path: Path, is_after: bool, capture: Callable[..., Capture]
) -> None:
    for step in range(1, 100):
        folder = tmp_path / str(step)
        for number in range(3):
            index(folder, name(number), [capture(f"https://a.example/{number}")])
        before, disk = held(folder), DyingDisk(step, is_after=is_after)
        try:
            compact(folder, LATER, disk)
        except Killed:
            assert all(held(folder)[kind] >= before[kind] for kind in before)
            assert indexed_files(folder) == {name(0), name(1), name(2)}, "no index is made again"
            compact(folder, LATER)
        assert held(folder) == before
        if disk.left > 0:
            break
    assert step == 5 * 4 + 1, "a rename and three removals of each kind"


def test_at_every_moment_each_row_is_there_at_least_once(crawl: Path) -> None:
    before, moments = held(crawl), []

    def look() -> None:
        now = held(crawl)
        assert all(now[kind] >= before[kind] for kind in before)
        moments.append(max((now[kind] - before[kind]).total() for kind in before))

    compact(crawl, LATER, WatchedDisk(look))
    assert moments[-1] == 0
    assert len(moments) == 5 * (FILES + 1)


def test_our_own_readers_see_each_row_exactly_once(crawl: Path) -> None:
    before = held(crawl)
    done = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not done.is_set():
            with reading(crawl):
                if held(crawl) != before:
                    wrong.append(held(crawl))

    reader = threading.Thread(target=read)
    reader.start()
    compact(crawl, LATER)
    done.set()
    reader.join()
    assert not wrong


def test_a_file_whose_index_is_not_whole_is_left_alone(crawl: Path) -> None:
    index_paths(crawl, f"{name(2)}.warc.gz")["cdxj"].unlink()  # a crash: its tables were renamed, its CDXJ was not
    compact(crawl, LATER)
    assert tables_of(crawl, "links")[1].stem == name(2)
    assert files(crawl) == {"captures": 2, "failures": 2, "links": 2, "hosts": 2, "cdxj": 1}


def test_a_merged_index_is_not_made_again(crawl: Path) -> None:
    (crawl / "warc").mkdir()
    for number in range(FILES):
        (crawl / "warc" / f"{name(number)}.warc.gz").write_bytes(b"not to be read")
    compact(crawl, LATER)
    indexer = Indexer(crawl, "n1")
    indexer.clean()
    indexer.make_missing()
    indexer.close()
    assert (indexer.made, indexer.failed) == (0, 0)


def test_half_made_files_are_removed(crawl: Path) -> None:
    for shelf in shelves_of(crawl):
        temporary(shelf.path(f"skitter-{shelf.day}-merged-00007")).write_bytes(b"PAR1 and no more")
    compact(crawl, NOON)
    assert not list(crawl.rglob("*.tmp"))


def test_a_table_that_lacks_a_column_says_nothing_in_it(crawl: Path) -> None:
    path = index_paths(crawl, f"{name(0)}.warc.gz")["links"]
    pq.write_table(pq.read_table(path).drop(["refused"]), path)
    compact(crawl, LATER)
    (merged,) = tables_of(crawl, "links")
    assert pq.read_schema(merged).names == SCHEMAS["links"].names
    assert pq.read_metadata(merged).num_rows == 9 * FILES


def test_a_damaged_table_stops_its_own_day_only(crawl: Path) -> None:
    index_paths(crawl, f"{name(1)}.warc.gz")["captures"].write_bytes(b"no table")
    with pytest.raises(MachineError, match="can't be merged"):
        compact(crawl, LATER)
    assert files(crawl) == {"captures": FILES, "failures": 1, "links": 1, "hosts": 1, "cdxj": 1}


def test_two_at_once_do_not_get_into_each_others_way(crawl: Path) -> None:
    other = os.open(crawl / "cdxj", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    assert compact(crawl, LATER) == 0
    os.close(other)
    assert compact(crawl, LATER) > 0


@pytest.mark.slow
def test_row_groups_are_of_a_good_size(crawl: Path, capture: Callable[..., Capture]) -> None:
    links = capture().links * 4000
    for number in range(FILES, FILES + 4):
        index(crawl, name(number), [capture(f"https://a.example/{number}", links=links)])
    compact(crawl, LATER)
    (merged,) = tables_of(crawl, "links")
    about = pq.read_metadata(merged)
    sizes = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    assert sum(sizes) == 4 * 12_000 + 9 * FILES
    assert all(GROUP <= size < 2 * GROUP for size in sizes[:-1])
