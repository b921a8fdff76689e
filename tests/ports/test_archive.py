"""The contract of the archive, for WARC files and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from skitter.errors import MachineError
from skitter.ports import Archive as ArchivePort
from skitter.settings import StoreSettings
from skitter.sim.archive import MemoryArchive, MemoryShelf
from skitter.sim.loop import SimLoop
from skitter.store.archive import Archive
from tests.store.conftest import FaultyDisk, a_capture, a_failure

Run: TypeAlias = Callable[[Any], Any]


class Real:
    """WARC files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disk = FaultyDisk()

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[ArchivePort]:
        settings = StoreSettings(probe_seconds=0.01)
        async with Archive(self.folder, settings, node="n1", facts={}, clock=lambda: 1.0, disk=self.disk) as archive:
            yield archive

    def break_down(self) -> None:
        self.disk.room = 0

    def mend(self) -> None:
        self.disk.room = None


class Twin:
    """A shelf in memory."""

    def __init__(self, loop: SimLoop) -> None:
        self.loop = loop
        self.shelf = MemoryShelf(loop)

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[ArchivePort]:
        yield MemoryArchive(self.shelf, self.loop.begin("one"))

    def break_down(self) -> None:
        self.shelf.full.append((self.loop.time(), float("inf")))

    def mend(self) -> None:
        self.shelf.full.clear()


@pytest.fixture(params=["warc", "memory"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Run, Real | Twin]]:
    if request.param == "warc":
        with asyncio.Runner() as runner:
            yield runner.run, Real(tmp_path)
        return
    with contextlib.closing(SimLoop()) as loop:
        yield loop.run_until_complete, Twin(loop)
        assert loop.troubles == []


def test_whoever_appends_learns_where_it_is(there: tuple[Run, Real | Twin]) -> None:
    run, world = there

    async def story() -> None:
        async with world.opened() as archive:
            captures = [a_capture(f"https://a.example/{number}", b"%d" % number) for number in range(5)]
            stored = await asyncio.gather(*map(archive.append, captures))
            assert len({(one.file, one.offset) for one in stored}) == 5
            assert len({one.digest for one in stored}) == 5
            assert all(one.length > 0 for one in stored)
            again = await archive.append(captures[0])
            assert again.digest == stored[0].digest
            assert (again.file, again.offset) != (stored[0].file, stored[0].offset)

    run(story())


def test_a_fetch_without_an_answer_is_kept_too(there: tuple[Run, Real | Twin]) -> None:
    run, world = there

    async def story() -> None:
        async with world.opened() as archive:
            await archive.append(a_capture())
            await archive.append(a_failure())
            counts = archive.statistics()
            assert (counts.captures, counts.responses, counts.failures, counts.waiting) == (2, 1, 1, 0)
            assert counts.bytes_received == len(b"<p>hello</p>")

    run(story())


def test_what_can_not_be_written_is_refused_until_it_can(there: tuple[Run, Real | Twin]) -> None:
    run, world = there

    async def story() -> None:
        async with world.opened() as archive:
            assert archive.is_writable()
            await asyncio.wait_for(archive.wait_writable(), 1)
            world.break_down()
            with pytest.raises(MachineError):
                await archive.append(a_capture())
            assert not archive.is_writable()
            with pytest.raises(MachineError):
                await archive.append(a_capture())
            waiting = asyncio.create_task(archive.wait_writable())
            await asyncio.sleep(0.05)
            assert not waiting.done()
            world.mend()
            await waiting
            assert archive.is_writable()
            assert (await archive.append(a_capture())).length > 0
            assert archive.statistics().captures == 1

    run(story())


def test_one_who_is_cancelled_does_not_harm_the_others(there: tuple[Run, Real | Twin]) -> None:
    run, world = there

    async def story() -> None:
        async with world.opened() as archive:
            first, second = (asyncio.create_task(archive.append(a_capture())) for _ in range(2))
            await asyncio.sleep(0)
            first.cancel()
            assert (await second).length > 0

    run(story())
