"""The archive: hand in one capture, and know on return that it is stored.

A thread of its own compresses and writes; the captures that wait together go out in one write. Orders (roll, probe,
close) stand in the same line as the captures, so each takes effect after all that was handed in before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import Self

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.settings import StoreSettings
from skitter.store.capture import Capture
from skitter.store.digests import DigestMemory, RocksDigests
from skitter.store.disk import Disk, RealDisk
from skitter.store.indexer import Indexer
from skitter.store.line import Item, Line
from skitter.store.repair import Recovered
from skitter.store.statistics import Statistics
from skitter.store.writer import Writer


class Archive:
    """One node's part of the archive in `directory`. Open it with `async with`; any task may then append.

    `heir_of` are nodes that are no more: what they left open or without an index is mended too.
    `facts` go into the warcinfo record of every file: software, robots policy, user agent, contact, configuration.
    """

    def __init__(
        self,
        directory: Path,
        settings: StoreSettings,
        *,
        node: str,
        facts: Mapping[str, str],
        clock: Callable[[], float],
        disk: Disk | None = None,
        digests: Callable[[], DigestMemory] | None = None,
        heir_of: Collection[str] = (),
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._node = node
        self._facts = facts
        self._heir_of = heir_of
        self._clock = clock
        self._disk = disk or RealDisk()
        self._open_digests = digests or (lambda: RocksDigests(directory / f"digests-{node}"))
        self._waiting = 0
        self.recovered: list[Recovered] = []
        """The files that an earlier run left open, with what was cut off."""

    async def __aenter__(self) -> Self:
        """Mends what a crash left, then takes captures. MachineError if it can't be mended."""
        self._line = Line(asyncio.get_running_loop())
        self._writer = await asyncio.to_thread(self._open)
        self._thread = Thread(target=self._run, name=f"skitter-archive-{self._node}", daemon=True)
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes what waits, seals, and makes the indexes. MachineError if the disk does not let it."""
        try:
            await asyncio.shield(self._line.put(order=self._writer.close))
        finally:
            await asyncio.shield(asyncio.to_thread(self._thread.join))

    async def append(self, capture: Capture) -> Stored:
        """Returns where the capture is, once its bytes are with the operating system: `kill -9` does not lose them.

        MachineError if they can't be written; `wait_writable` tells when to go on.
        """
        if self._writer.trouble:
            raise self._writer.trouble
        self._waiting += 1
        try:
            stored = await self._line.put(capture=capture)
        finally:
            self._waiting -= 1
        assert isinstance(stored, Stored)
        return stored

    async def roll(self) -> None:
        """Seals the file that is open: all that was handed in before is in it. Its index follows soon."""
        await self._line.put(order=self._writer.roll)

    def is_writable(self) -> bool:
        """Whether captures are taken. If not, lease nothing more and `wait_writable`."""
        return self._writer.trouble is None

    @property
    def trouble(self) -> MachineError | None:
        """Why captures are not taken, in a sentence for the operator."""
        return self._writer.trouble

    async def wait_writable(self) -> None:
        """Returns when captures are taken again; until then the disk is tried every `probe_seconds`."""
        while not self.is_writable() and not await self._line.put(order=self._writer.probe):
            await asyncio.sleep(self._settings.probe_seconds)

    def statistics(self) -> Statistics:
        """Returns the counts so far."""
        return self._writer.statistics(self._waiting)

    def _open(self) -> Writer:
        (self._directory / "warc").mkdir(parents=True, exist_ok=True)
        digests = self._open_digests()
        indexer = Indexer(self._directory, self._node, self._heir_of)
        writer = Writer(
            self._directory,
            self._settings,
            node=self._node,
            facts=self._facts,
            clock=self._clock,
            disk=self._disk,
            digests=digests,
            indexer=indexer,
            heir_of=self._heir_of,
        )
        try:
            indexer.clean()
            self.recovered = writer.recover()
        except BaseException:
            writer.close()
            raise
        return writer

    def _run(self) -> None:
        """The life of the writer's thread. Whatever ends it, everyone who waits and everyone who comes is told."""
        why: BaseException = RuntimeError("the archive is closed")
        try:
            self._serve()
        except BaseException as error:  # noqa: BLE001 (a bug; the event loop is where it must be seen)
            why = error
            self._writer.let_go()
        finally:
            self._line.end(why)

    def _serve(self) -> None:
        next_sync = monotonic() + self._settings.sync_seconds
        while True:
            batch, order = self._line.take(next_sync - monotonic())
            if batch:
                self._write(batch)
            if order and self._obey(order) == self._writer.close:
                return
            if monotonic() >= next_sync:
                self._sync()
                next_sync = monotonic() + self._settings.sync_seconds

    def _write(self, batch: list[Item]) -> None:
        try:
            stored = self._writer.write([item.capture for item in batch if item.capture])
        except BaseException as error:
            self._line.refuse(batch, error)
            if not isinstance(error, MachineError):
                raise
        else:
            self._line.answer(batch, stored)

    def _obey(self, item: Item) -> Callable[[], object]:
        assert item.order is not None
        try:
            answer = item.order()
        except BaseException as error:
            self._line.refuse([item], error)
            if not isinstance(error, MachineError):
                raise
        else:
            self._line.answer([item], [answer])
        return item.order

    def _sync(self) -> None:
        with suppress(MachineError):  # the writer has said so and is in trouble: the next append raises it
            self._writer.sync()

    def __repr__(self) -> str:
        return f"<Archive {self._directory} node={self._node} waiting={self._waiting}>"
