"""The archive: hand in one capture, and know on return that it is stored.

The captures that wait together become one batch of bytes, here, and go out in one write, in a thread of its own: the
disk may take its time, and nobody else waits for it. Compressing in that thread too would cost a fifth more CPU time,
since two threads of one Python take turns (`docs/decisions/0009-threads.md`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import Self

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import ArchiveStatistics, Capture
from skitter.settings import StoreSettings
from skitter.store.bodies.memory import Bodies, Known
from skitter.store.disk import Disk, RealDisk
from skitter.store.index.indexer import Indexer
from skitter.store.orders import Order, OrderQueue
from skitter.store.warc.payload import digests_of
from skitter.store.warc.repair import Recovered
from skitter.store.warc.writer import Writer

BATCH_CAPTURES, BATCH_BYTES = 32, 2 * 1024**2
"""What becomes one batch at the most, payloads before compression: the event loop stands still for some 10 ms."""

BUSY, GATHER = 4, 0.002
"""After a batch of so many captures we wait so long for more: fewer and larger batches cost less."""

PATIENCE, AGAIN = 3.0, 0.005
"""A body that another node is storing is asked for again after AGAIN, and stored once more after PATIENCE seconds."""


class _Waiting:
    """A capture, and who waits for it to be stored."""

    __slots__ = ("capture", "digests", "stored", "until")

    def __init__(self, capture: Capture, stored: asyncio.Future[Stored]) -> None:
        self.capture = capture
        self.stored = stored
        self.digests = digests_of(capture.fetched)
        self.until = inf  # then it is stored, whoever else is storing its body

    def is_ready(self, known: Known) -> bool:
        """Whether it may be stored now."""
        key = self.digests.key
        return key is None or key in known or monotonic() >= self.until


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
        bodies: Callable[[], Bodies] | None = None,
        heir_of: Collection[str] = (),
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._node = node
        self._facts = facts
        self._heir_of = heir_of
        self._clock = clock
        self._disk = disk or RealDisk()
        self._open_bodies = bodies or (lambda: Bodies(directory))
        self._waiting: list[_Waiting] = []
        self._under_way = 0
        self._is_closing = False
        self._broken: BaseException | None = None
        self._arrived = asyncio.Event()
        self.recovered: list[Recovered] = []
        """The files that an earlier run left open, with what was cut off."""

    async def __aenter__(self) -> Self:
        """Mends what a crash left, then takes captures. MachineError if it can't be mended."""
        self._orders = OrderQueue(asyncio.get_running_loop())
        self._writer = await asyncio.to_thread(self._open)
        self._thread = Thread(target=self._run, name=f"skitter-archive-{self._node}", daemon=True)
        self._thread.start()
        self._pump = asyncio.create_task(self._keep_storing(), name=f"archive {self._node}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes what waits, seals, and makes the indexes. MachineError if the disk does not let it."""
        self._is_closing = True
        self._arrived.set()
        await asyncio.shield(self._close())

    async def _close(self) -> None:
        try:
            await self._pump
            await self._orders.put(self._writer.close)
        finally:
            await asyncio.to_thread(self._thread.join)
        if self._broken:
            raise RuntimeError("the archive takes no more") from self._broken

    async def append(self, capture: Capture) -> Stored:
        """Returns where the capture is, once its bytes are with the operating system: `kill -9` does not lose them.

        MachineError if they can't be written; `wait_writable` tells when to go on.
        """
        if self._writer.trouble:
            raise self._writer.trouble
        if self._broken or self._is_closing:
            raise RuntimeError("the archive takes no more") from self._broken
        waiting = _Waiting(capture, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._arrived.set()
        return await waiting.stored

    async def roll(self) -> None:
        """Seals the file that is open: all that was stored before is in it. Its index follows soon."""
        await self._orders.put(self._writer.roll)

    async def describe(self, facts: Mapping[str, str]) -> None:
        """Puts `facts` into the warcinfo of every file from now on: the one that is open is sealed."""
        await self._orders.put(partial(self._writer.describe, facts))

    def is_writable(self) -> bool:
        """Whether captures are taken. If not, lease nothing more and `wait_writable`."""
        return self._writer.trouble is None

    @property
    def trouble(self) -> MachineError | None:
        """Why captures are not taken, in a sentence for the operator."""
        return self._writer.trouble

    def growing(self) -> tuple[Path, int] | None:
        """Returns the file that is being written and how much of it is whole records, if there is one."""
        return self._writer.growing()

    async def wait_writable(self) -> None:
        """Returns when captures are taken again; until then the disk is tried every `probe_seconds`."""
        while not self.is_writable() and not await self._orders.put(self._writer.probe):
            await asyncio.sleep(self._settings.probe_seconds)

    def statistics(self) -> ArchiveStatistics:
        """Returns the counts so far."""
        return self._writer.statistics(len(self._waiting) + self._under_way)

    def _open(self) -> Writer:
        (self._directory / "warc").mkdir(parents=True, exist_ok=True)
        bodies = self._open_bodies()
        indexer = Indexer(self._directory, self._node, self._heir_of)
        writer = Writer(
            self._directory,
            self._settings,
            node=self._node,
            facts=self._facts,
            clock=self._clock,
            disk=self._disk,
            bodies=bodies,
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

    async def _keep_storing(self) -> None:
        """The life of the task that makes batches. A bug ends it, and then everyone who waits or comes is told."""
        size = 0
        try:
            while self._waiting or not self._is_closing:
                if size >= BUSY:
                    await asyncio.sleep(GATHER)
                elif not self._waiting:
                    self._arrived.clear()
                    await self._arrived.wait()
                size = await self._store(self._take())
                if not size:
                    await asyncio.sleep(AGAIN)
        except Exception as error:  # noqa: BLE001 (a bug; those who wait are where it must be seen)
            self._broken = error
            _refuse(self._take_all(), error)

    def _take(self) -> list[_Waiting]:
        size = count = 0
        while count < min(len(self._waiting), BATCH_CAPTURES) and size < BATCH_BYTES:
            size += len(self._waiting[count].capture.fetched.payload)
            count += 1
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    def _take_all(self) -> list[_Waiting]:
        taken, self._waiting = self._waiting, []
        return taken

    async def _store(self, some: Sequence[_Waiting]) -> int:
        """Stores captures, tells each who waits where its own is, and returns how many were done with.

        The others wait on: another node is storing their bodies at this moment.
        """
        self._under_way, left = len(some), list(some)
        try:
            while left and (done := await self._write(left)) is not None:
                left = [one for one in left if one not in done]
        except BaseException as error:
            _refuse(left, error)
            if not isinstance(error, MachineError):
                raise
            left = []
        finally:
            self._under_way = 0
        for one in left:
            one.until = min(one.until, monotonic() + PATIENCE)
        self._waiting += left
        return len(some) - len(left)

    async def _write(self, left: Sequence[_Waiting]) -> Sequence[_Waiting] | None:
        """Writes one batch and returns the captures in it, None if each is to wait for another node."""
        try:
            known = self._writer.claim(one.digests.key for one in left if one.digests.key)
            if not (ready := [one for one in left if one.is_ready(known)]):
                return None
            if (batch := self._writer.filled([(one.capture, one.digests) for one in ready], known)) is None:
                await self._orders.put(self._writer.open)
                return ()
            stored: list[Stored] = await self._orders.put(partial(self._writer.put, batch))
            if stored:
                self._writer.learn(batch)
        finally:
            self._writer.release()
        _resolve(ready[: len(stored)], stored)
        return ready[: len(stored)]

    def _run(self) -> None:
        """The life of the writer's thread. Whatever ends it, everyone who waits and everyone who comes is told."""
        why: BaseException = RuntimeError("the archive is closed")
        try:
            self._serve()
        except BaseException as error:  # noqa: BLE001 (a bug; the event loop is where it must be seen)
            why = error
            self._writer.let_go()
        finally:
            self._orders.end(why)

    def _serve(self) -> None:
        next_sync = monotonic() + self._settings.sync_seconds
        while True:
            item = self._orders.take(next_sync - monotonic())
            if item and self._obey(item) == self._writer.close:
                return
            if monotonic() >= next_sync:
                self._keep_up()
                next_sync = monotonic() + self._settings.sync_seconds

    def _obey(self, item: Order) -> Callable[[], object]:
        try:
            answer = item.order()
        except BaseException as error:
            self._orders.refuse(item, error)
            if not isinstance(error, MachineError):
                raise
        else:
            self._orders.answer(item, answer)
        return item.order

    def _keep_up(self) -> None:
        with suppress(MachineError):  # the writer has said so and is in trouble: the next append raises it
            self._writer.sync()
            self._writer.roll_old()

    def __repr__(self) -> str:
        return f"<Archive {self._directory} node={self._node} waiting={len(self._waiting)}>"


def _resolve(some: Sequence[_Waiting], stored: Sequence[Stored]) -> None:
    for one, place in zip(some, stored, strict=True):
        if not one.stored.done():  # whoever waited may have been cancelled
            one.stored.set_result(place)


def _refuse(some: Sequence[_Waiting], error: BaseException) -> None:
    for one in some:
        if not one.stored.done():
            one.stored.set_exception(error)
