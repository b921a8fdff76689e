"""The twin of `ports.Archive`: captures in a list that survives every life.

A capture takes a moment to be written. A life that dies meanwhile leaves it or not: it passes a place before the
capture is there, and one after.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from xxhash import xxh3_128_hexdigest

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import ArchiveStatistics, Capture
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop

TAKES = 0.003
PROBE = 1.0


class Kept(NamedTuple):
    """A capture in the archive, and whose it is."""

    capture: Capture
    life: Life


class MemoryShelf:
    """What all lives have written, and when writing fails."""

    def __init__(self, loop: SimLoop, *, takes: float = TAKES) -> None:
        self.loop = loop
        self.takes = takes
        self.kept: list[Kept] = []
        self.full: list[tuple[float, float]] = []  # from, until: nothing can be written then

    def keep(self, kept: Kept) -> int:
        """Keeps a capture; returns its place."""
        self.kept.append(kept)
        return len(self.kept) - 1

    def is_full(self) -> bool:
        """Whether nothing can be written now."""
        now = self.loop.time()
        return any(since <= now < until for since, until in self.full)


class MemoryArchive:
    """One life's part of the archive, see `ports.Archive`."""

    def __init__(self, shelf: MemoryShelf, life: Life) -> None:
        self._shelf = shelf
        self._life = life
        self._trouble: MachineError | None = None
        self._captures = self._responses = self._waiting = self._bytes = 0

    async def append(self, capture: Capture) -> Stored:
        """Returns where the capture is, once our death can't lose it any more. MachineError if it can't be written."""
        self._life.at("archive.append")
        self._refuse_if_full()
        self._waiting += 1
        try:
            await asyncio.sleep(self._shelf.takes)
        finally:
            self._waiting -= 1
        self._refuse_if_full()
        return self._keep(capture)

    def _keep(self, capture: Capture) -> Stored:
        self._life.at("archive.write")
        place = self._shelf.keep(Kept(capture, self._life))
        self._captures += 1
        self._responses += capture.fetched.status > 0
        self._bytes += len(capture.fetched.payload)
        self._life.at("archive.written")
        digest = xxh3_128_hexdigest(capture.fetched.body)
        return Stored(digest, f"warc/n{self._life.node}.warc.gz", place, len(capture.fetched.payload))

    def _refuse_if_full(self) -> None:
        self._life.check()
        if self._trouble is None and self._shelf.is_full():
            self._trouble = MachineError("the archive can't be written", "the shelf", "Make room.")
        if self._trouble is not None:
            raise self._trouble

    def is_writable(self) -> bool:
        """Whether captures are taken."""
        return self._trouble is None

    @property
    def trouble(self) -> MachineError | None:
        """Why captures are not taken."""
        return self._trouble

    async def wait_writable(self) -> None:
        """Returns when captures are taken again."""
        while self._trouble is not None:
            if not self._shelf.is_full():
                self._trouble = None
                return
            await asyncio.sleep(PROBE)

    def statistics(self) -> ArchiveStatistics:
        """Returns the counts so far."""
        return ArchiveStatistics(
            self._captures,
            self._responses,
            failures=self._captures - self._responses,
            bytes_received=self._bytes,
            bytes_written=self._bytes,
            waiting=self._waiting,
        )
