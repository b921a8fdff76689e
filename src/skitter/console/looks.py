"""One thread that looks into a crawl's stores, for all who ask: they are opened to read, and kept for a while.

A store is opened in some milliseconds, beside its writer, who is not asked. One thread, so that who looks takes at most
one core from the crawl, and few may wait for it: the others are told to ask again. On a busy machine a store is kept
for longer, so that opening them takes a part of the time only, however many hosts are asked about.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from skitter.console.port import Busy
from skitter.folder.crawlfile import CRAWL_FILE
from skitter.inspection.folder import Folder, ShardLook

T = TypeVar("T")

KEPT = 3.0
"""Seconds for which a store is kept open at least."""

SHARE = 1 / 20
"""Of the time, for opening one store: one that took a second to open is kept for twenty."""

MOST = 64
"""That wait at once."""


LONGEST = 30.0
"""Seconds that anybody waits for an answer."""


class KeptFolder(Folder):
    """A folder whose stores are opened anew when they are too old."""

    def __init__(self, directory: Path, stores: dict[int, ShardLook], ends: dict[int, float], kept: float) -> None:
        super().__init__(directory)
        self._open = stores
        self._ends = ends  # when each is to be opened anew
        self._kept = kept

    def shard(self, number: int) -> ShardLook | None:
        """Returns a shard, no older than it may be; None if nothing was ever put into it."""
        began = time.monotonic()
        if number in self._open and began > self._ends.get(number, 0.0):
            self._open.pop(number).close()
        if number in self._open:
            return self._open[number]
        found, now = super().shard(number), time.monotonic()
        self._ends[number] = now + max(self._kept, (now - began) / SHARE)
        return found


class Looks:
    """Asks a folder. `ask` may be called by any number of tasks."""

    def __init__(self, directory: Path, kept: float = KEPT, most: int = MOST, longest: float = LONGEST) -> None:
        self._directory = directory
        self._kept = kept
        self._most = most
        self._longest = longest
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "looks")
        self._stores: dict[int, ShardLook] = {}
        self._ends: dict[int, float] = {}
        self._folder: KeptFolder | None = None
        self._opened = 0.0

    async def ask(self, question: Callable[[Folder], T], *, is_fresh: bool = False) -> T:
        """Returns what `question` finds in the folder, fresh: of this moment. Busy: too many wait, or too long."""
        if self._waiting >= self._most:
            raise Busy
        self._waiting += 1
        asked = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question, is_fresh)
        asked.add_done_callback(self._answered)
        try:
            # Who acts waits for the end of it: nobody may be told to ask again for what is then done.
            return await asyncio.wait_for(asyncio.shield(asked), None if is_fresh else self._longest)
        except TimeoutError:
            raise Busy(5) from None  # the thread goes on, and counts as one that waits until it is through

    def _answered(self, asked: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not asked.cancelled():
            asked.exception()  # whoever asked may be gone

    def close(self) -> None:
        """Closes the stores."""
        self._thread.submit(self._close)
        self._thread.shutdown()

    def _answer(self, question: Callable[[Folder], T], is_fresh: bool) -> T:
        if not (self._directory / CRAWL_FILE).exists():
            raise Busy  # it is being begun
        if is_fresh:
            with Folder(self._directory) as folder:
                return question(folder)
        now = time.monotonic()
        if self._folder is None or now - self._opened > self._kept:
            self._folder = KeptFolder(self._directory, self._stores, self._ends, self._kept)
            self._opened = now
        try:
            return question(self._folder)
        except BaseException:
            self._close()  # a file that the writer has replaced meanwhile: the next one opens anew
            raise

    def _close(self) -> None:
        for store in self._stores.values():
            store.close()
        self._stores.clear()
        self._folder = None
