"""An archive whose files go to a bucket: `ports.Archive` as the one on disk keeps it, and a shipper beside it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from msgspec import structs

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import ArchiveStatistics, Capture
from skitter.store.archive import Archive
from skitter.store.shipping.shipper import Shipper
from skitter.store.warc.repair import Recovered

LOOK = 0.2
_log = logging.getLogger(__name__)


class ShippedArchive:
    """See `ports.Archive`. What is under way when the bucket is too slow is still stored; nothing more is leased."""

    def __init__(self, archive: Archive, shipper: Shipper, closing_seconds: float) -> None:
        self._archive = archive
        self._shipper = shipper
        self._closing_seconds = closing_seconds
        self._beside: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self._archive.__aenter__()
        beside = (self._shipper.keep_shipping(), self._shipper.keep_looking())
        self._beside = [asyncio.create_task(one, name="shipping") for one in beside]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Seals what is open, then sends what there is to send, for a while."""
        for task in self._beside:
            task.cancel()
        await asyncio.wait(self._beside)
        try:
            await self._archive.__aexit__(kind, error, trace)
        finally:
            if left := await self._shipper.finish(self._closing_seconds):
                _log.warning("%d WARC files are still here: the next start sends them.", left)

    @property
    def recovered(self) -> list[Recovered]:
        """The files that an earlier run left open, with what was cut off."""
        return self._archive.recovered

    async def append(self, capture: Capture) -> Stored:
        """See `ports.Archive`."""
        return await self._archive.append(capture)

    async def describe(self, facts: Mapping[str, str]) -> None:
        """Puts `facts` into the warcinfo of every file from now on."""
        await self._archive.describe(facts)

    def is_writable(self) -> bool:
        """See `ports.Archive`."""
        return self.trouble is None

    @property
    def trouble(self) -> MachineError | None:
        """See `ports.Archive`."""
        for task in self._beside:
            if task.done() and not task.cancelled():
                task.result()  # a bug: here it is seen, and the node ends by it
        return self._archive.trouble or self._shipper.trouble

    async def wait_writable(self) -> None:
        """See `ports.Archive`."""
        while not self.is_writable():
            await self._archive.wait_writable()
            await asyncio.sleep(LOOK)

    def statistics(self) -> ArchiveStatistics:
        """See `ports.Archive`."""
        counted = self._archive.statistics()
        return structs.replace(counted, sent_bytes=self._shipper.sent_bytes, unsent_bytes=self._shipper.waiting_bytes)

    def __repr__(self) -> str:
        return f"<ShippedArchive {self._archive} {self._shipper}>"
