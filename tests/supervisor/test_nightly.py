"""The nightly look beside a crawl: when it is due, that it may fail, and that it ends with the crawl."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from skitter.rank.published import newest
from skitter.supervisor.nightly import LOG, Nightly, wait_for
from tests.processes import children_since
from tests.processes import wait_for as wait_until
from tests.rank.folders import made, table_path, write_links

DAY = 86400.0


@pytest.mark.parametrize(
    ("every", "last", "now", "expected"),
    [
        (DAY, 1000.0, 1000.0, DAY),
        (DAY, 1000.0, 1000.0 + DAY - 5, 5.0),
        (DAY, 1000.0, 1000.0 + DAY, 0.0),
        (DAY, 1000.0, 1000.0 + 9 * DAY, 0.0),
        (0.0, 1000.0, 1000.0 + 9 * DAY, None),
    ],
    ids=["just done", "soon", "due", "long overdue", "never"],
)
def test_when_it_is_due(every: float, last: float, now: float, expected: float | None) -> None:
    assert wait_for(every, last, now) == expected


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    folder = made(tmp_path / "crawl")
    (folder / "run").mkdir()
    return folder


def nightly(crawl: Path, notes: list[str], every: float = 0.01) -> Nightly:
    return Nightly(crawl, every, 0.0, time.time, notes.append)


@pytest.mark.slow
def test_it_is_taken_by_a_nice_process(crawl: Path) -> None:
    started = children_since()
    notes: list[str] = []
    write_links(crawl, ("http://a.com/", "http://b.com/"))

    async def story() -> int:
        looking = asyncio.create_task(nightly(crawl, notes, every=DAY).keep_looking())
        await wait_until(lambda: bool(started()))
        nice = 0
        while newest(crawl) is None:
            for child in started():
                nice = max(nice, _nice(child))
            await asyncio.sleep(0.005)
        looking.cancel()
        await asyncio.wait([looking])
        return nice

    assert asyncio.run(story()) == 19
    assert notes == []


@pytest.mark.slow
def test_one_that_was_published_of_late_is_not_taken_again(crawl: Path) -> None:
    started = children_since()
    write_links(crawl, ("http://a.com/", "http://b.com/"))
    published = crawl / "parquet" / "ranks" / "ranks-20260101000000.parquet"
    published.parent.mkdir(parents=True)
    published.write_bytes(b"")

    async def story() -> None:
        looking = asyncio.create_task(nightly(crawl, [], every=DAY).keep_looking())
        await asyncio.sleep(0)
        assert not started()
        looking.cancel()
        await asyncio.wait([looking])

    asyncio.run(story())
    assert not (crawl / "run" / LOG).exists()


@pytest.mark.slow
def test_a_failure_is_said_once(crawl: Path) -> None:
    started = children_since()
    table_path(crawl, "links").write_bytes(b"no table")
    notes: list[str] = []
    processes: set[int] = set()

    def looks() -> int:
        processes.update(started())
        return len(processes)

    async def story() -> None:
        looking = asyncio.create_task(nightly(crawl, notes).keep_looking())
        await wait_until(lambda: looks() == 3)  # so two have failed
        looking.cancel()
        await asyncio.wait([looking])

    asyncio.run(story())
    (note,) = notes
    assert note.startswith(
        "the nightly look failed, and the crawl goes on without: exit code 4. skitter: a table can't"
    )


@pytest.mark.slow
def test_it_ends_with_the_crawl(crawl: Path) -> None:
    started = children_since()
    os.mkfifo(table_path(crawl, "links"))  # whoever opens it waits for ever

    async def story() -> tuple[int, list[int]]:
        looking = asyncio.create_task(nightly(crawl, []).keep_looking())
        await wait_until(lambda: bool(started()))
        (child,) = started()
        looking.cancel()
        await asyncio.wait([looking])
        return child, started()

    child, left = asyncio.run(story())
    assert left == []
    assert not Path(f"/proc/{child}").exists()


def _nice(pid: int) -> int:
    try:
        return os.getpriority(os.PRIO_PROCESS, pid)
    except ProcessLookupError:
        return 0
