"""Files become one while nobody reads them: a reader who has listed them never finds one gone, nor a row twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from skitter.ports import Capture
from skitter.store.compact.compact import compact
from skitter.store.compact.quiet import HALF, LEAST, PATIENCE, Quiet, Watched, enough, watching
from tests.store.compact.test_compact import FILES, LATER, files, index, name

LONGEST = 30.0


class Time:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def crawl(tmp_path: Path, capture: Callable[..., Capture]) -> Path:
    for number in range(FILES):
        index(tmp_path, name(number), [capture(f"https://a.example/{number}")])
    return tmp_path


def test_a_pause_may_be_the_shorter_the_longer_we_have_waited() -> None:
    pauses = [enough(LONGEST, waited) for waited in (0.0, HALF, 2 * HALF, 1e9)]
    assert pauses == [LONGEST, LONGEST / 2, LONGEST / 4, LEAST]
    assert enough(0.0, 1e9) == 0.0


@pytest.mark.parametrize(
    ("read", "is_heard"),
    [
        (lambda folder: list(folder.iterdir()), True),
        (lambda folder: (folder / "one").read_bytes(), True),
        (lambda folder: (folder / "half.parquet.tmp").write_bytes(b""), False),
        (lambda folder: (folder / "one").stat(), False),
        (lambda folder: list(folder.parent.iterdir()), False),
    ],
    ids=["list", "open", "made", "look", "elsewhere"],
)
def test_readers_are_heard(tmp_path: Path, read: Callable[[Path], object], is_heard: bool) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    (folder / "one").write_bytes(b"")
    with watching(folder, LONGEST) as quiet:
        assert isinstance(quiet, Watched), "this kernel tells"
        assert not quiet.is_broken()
        read(folder)
        assert quiet.is_broken() == is_heard
        assert not quiet.is_broken(), "once"


def test_who_reads_all_the_time_is_left_alone(crawl: Path) -> None:
    now = 0.0

    @contextmanager
    def read_again_and_again(folder: Path) -> Iterator[Quiet]:
        def clock() -> float:
            nonlocal now
            now += 20.0
            list(folder.iterdir())
            return now

        with watching(folder, LONGEST, clock) as quiet:
            yield quiet

    assert compact(crawl, LATER, watched=read_again_and_again) == 0
    assert set(files(crawl).values()) == {FILES}
    assert not list(crawl.rglob("*.tmp"))
    assert now >= 5 * PATIENCE, "it was waited for a pause in each folder"


def test_a_reader_in_between_puts_it_off(crawl: Path) -> None:
    """Somebody lists the folder when it was quiet for long enough, just before its files become one."""
    listed: list[list[Path]] = []

    class Late:
        def wait(self) -> bool:
            return True

        def is_broken(self) -> bool:
            if listed:
                return False
            listed.append(sorted(crawl.glob("parquet/captures/*/*/*/*.parquet")))
            assert len(listed[0]) == FILES
            return True

    @contextmanager
    def late(folder: Path) -> Iterator[Quiet]:
        yield Late()

    compact(crawl, LATER, watched=late)
    assert set(files(crawl).values()) == {1}


@pytest.mark.slow
def test_duckdb_counts_right_while_files_are_merged(crawl: Path) -> None:
    """DuckDB asks in a loop, with less than a pause in between; the clock is ours, so that no machine is too slow."""
    clock = Time()
    merging = threading.Thread(
        target=lambda: compact(crawl, LATER, watched=lambda folder: watching(folder, LEAST, clock)), daemon=True
    )
    merging.start()
    for number in range(40):
        # Folders are merged one after the other: the four tables that it reads, and CDXJ, which nobody does.
        kind = ("captures", "links", "hosts", "captures")[number % 4]
        rows = {"captures": FILES, "links": 3 * FILES, "hosts": FILES}[kind]
        query = f"select count(*) from read_parquet('{crawl}/parquet/{kind}/**/*.parquet', union_by_name = true)"
        for every in ("captures", "failures", "links", "hosts"):
            list((crawl / "parquet" / every / "2026" / "11" / "15").iterdir())
        assert duckdb.sql(query).fetchall() == [(rows,)]
        clock.now += LEAST / 2
    assert files(crawl)["captures"] == FILES, "there was no pause yet"
    while merging.is_alive():
        clock.now += LEAST
        merging.join(0.05)
    assert set(files(crawl).values()) == {1}
