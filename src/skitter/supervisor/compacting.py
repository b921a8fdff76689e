"""Merges small index files beside a running crawl, in a process of its own. It may fail, and the crawl goes on.

It may be killed too, with us or alone: the first run after that mends what it left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from skitter.clock import Clock
from skitter.supervisor.beside import run_beside

if TYPE_CHECKING:
    from skitter.store.compact.shelf import Shelf

LOG = "compact.log"
EVERY = 600.0
"""It is looked so often whether there is something to merge: a listing of names, nothing is read."""
QUIET = 30.0
"""Seconds that nobody has read a folder before its files become one; fewer if that never is (`store.compact.quiet`)."""


class Compacting:
    """Keeps the indexes of one crawl compact."""

    def __init__(
        self,
        directory: Path,
        clock: Clock,
        note: Callable[[str], None],
        *,
        every: float = EVERY,
        quiet: float = QUIET,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._note = note
        self._every = every
        self._quiet = quiet
        self._is_whole = False  # as far as we know
        self._said = ""  # what went wrong the last time

    async def keep_compacting(self) -> None:
        """Merges whenever there is something to merge, until it is cancelled: then what is under way is ended."""
        while True:
            if await asyncio.to_thread(self._has_work):
                self._tell(await run_beside("store.compact", self._directory, LOG, str(self._quiet)))
            else:
                self._is_whole = True
            await asyncio.sleep(self._every)

    def _has_work(self) -> bool:
        from skitter.store.compact.shelf import (
            shelves_of,  # here: no crawl waits at its start for what is done beside it
        )

        return any(self._needs_work(shelf) for shelf in shelves_of(self._directory))

    def _needs_work(self, shelf: Shelf) -> bool:
        return shelf.has_small(self._clock()) or (not self._is_whole and shelf.may_be_torn())

    def _tell(self, trouble: str) -> None:
        """Says what went wrong, unless that was said the last time."""
        self._is_whole = not trouble
        if trouble and trouble != self._said:
            self._note(f"small index files could not be merged, and the crawl goes on: {trouble}")
        self._said = trouble

    def __repr__(self) -> str:
        return f"<Compacting of {self._directory} whole={self._is_whole}>"
