"""Merging beside a crawl: when there is something to merge, that it may fail, and that it ends with the crawl."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skitter.store.compact.shelf import shelves_of
from skitter.store.index.parquet import SCHEMAS, Table
from skitter.store.index.paths import index_paths
from skitter.supervisor.compacting import LOG, Compacting
from tests.processes import children_since, wait_for

NAMES = [f"skitter-20200101000000-n0-{number:05d}.warc.gz" for number in range(3)]
NOW = 1_600_000_000.0


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    for name in NAMES:
        paths = index_paths(tmp_path, name)
        for path in paths.values():
            path.parent.mkdir(parents=True, exist_ok=True)
        for kind, schema in SCHEMAS.items():
            Table(paths[kind], schema).close()
        paths["cdxj"].write_bytes(b"")
    return tmp_path


def tables(crawl: Path) -> int:
    return len(list(crawl.glob("parquet/*/*/*/*/*.parquet")))


def run(crawl: Path, notes: list[str], story: object, now: float = NOW) -> None:
    async def beside() -> None:
        compacting = Compacting(crawl, lambda: now, notes.append, every=0.01, quiet=0.0)
        task = asyncio.create_task(compacting.keep_compacting())
        await story()  # type: ignore[operator]
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(beside())


@pytest.mark.slow
def test_it_is_done_by_a_process_when_there_is_something_to_merge(crawl: Path) -> None:
    notes: list[str] = []
    run(crawl, notes, lambda: wait_for(lambda: tables(crawl) == 4 and len(list(crawl.glob("cdxj/*"))) == 1))
    assert notes == []


def test_no_process_is_started_for_a_day_that_lasts(crawl: Path) -> None:
    started = children_since()

    async def story() -> None:
        for _ in range(5):
            await asyncio.sleep(0.01)
            assert not started()

    run(crawl, [], story, now=1_577_836_800.0 + 3600)  # on that day
    assert not (crawl / "run" / LOG).exists()


@pytest.mark.slow
def test_what_a_kill_left_is_mended_at_the_start_and_not_looked_for_again(crawl: Path) -> None:
    half_made = next(shelves_of(crawl)).path("skitter-20200101-merged-00000").with_suffix(".parquet.tmp")
    half_made.write_bytes(b"")
    run(crawl, [], lambda: wait_for(lambda: not half_made.exists()))


@pytest.mark.slow
def test_a_failure_is_said_once_and_the_crawl_goes_on(crawl: Path) -> None:
    started = children_since()
    index_paths(crawl, NAMES[1])["hosts"].write_bytes(b"no table")
    notes: list[str] = []
    seen: set[int] = set()

    def runs() -> int:
        seen.update(started())
        return len(seen)

    run(crawl, notes, lambda: wait_for(lambda: runs() == 3))  # so two have failed
    (note,) = notes
    assert note.startswith(
        "small index files could not be merged, and the crawl goes on: exit code 4. skitter: A table"
    )
