"""One thread that looks into a crawl's stores, for all who ask: they are opened to read, and kept for some seconds.

A store is opened in some 10 ms, beside its writer, who is not asked. One thread, so that who looks takes at most one
core from the crawl, and few may wait for it: the others are told to ask again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from skitter.console.port import Busy
from skitter.folder.crawlfile import CRAWL_FILE
from skitter.inspection.folder import Folder

T = TypeVar("T")

KEPT = 3.0
"""Seconds for which a store is kept open: what is told is no older."""

MOST = 64
"""That wait at once."""


class Looks:
    """Asks a folder. `ask` may be called by any number of tasks."""

    def __init__(self, directory: Path, kept: float = KEPT, most: int = MOST) -> None:
        self._directory = directory
        self._kept = kept
        self._most = most
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "looks")
        self._folder: Folder | None = None
        self._opened = 0.0

    async def ask(self, question: Callable[[Folder], T], *, is_fresh: bool = False) -> T:
        """Returns what `question` finds in the folder, of this moment if it is to be fresh. Busy: too many wait."""
        if self._waiting >= self._most:
            raise Busy
        self._waiting += 1
        try:
            asked = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question, is_fresh)
            return await asyncio.shield(asked)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Closes the stores."""
        self._thread.submit(self._close)
        self._thread.shutdown()

    def _answer(self, question: Callable[[Folder], T], is_fresh: bool) -> T:
        now = time.monotonic()
        if not (self._directory / CRAWL_FILE).exists():
            raise Busy  # it is being begun
        if self._folder is None or is_fresh or now - self._opened > self._kept:
            self._close()
            self._folder, self._opened = Folder(self._directory), now
        try:
            return question(self._folder)
        except BaseException:
            self._close()  # a file that the writer has replaced meanwhile: the next one opens anew
            raise

    def _close(self) -> None:
        if self._folder is not None:
            self._folder.__exit__(None, None, None)
            self._folder = None
