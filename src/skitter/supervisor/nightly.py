"""The nightly look beside a running crawl: in a process of its own, when it is due. It may fail, and the crawl goes on.

Due is what `wait_for` says: time in, decision out. The process makes itself as nice as can be, and is ended with the
crawl; a look that was cut off has published nothing, and the next one begins anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from skitter.clock import Clock
from skitter.rank.published import newest
from skitter.supervisor.beside import run_beside

LOG = "rank.log"
TABLES_AGAIN = 60.0
"""Without any table of links, it is looked again so often whether there is one."""


def wait_for(every: float, last: float, now: float) -> float | None:
    """Returns how long it is until a look is due that is taken `every` so often; 0: it is due, None: it never is.

    `last` is when the one before began, or if there was none, the crawl.
    """
    if not every:
        return None
    return max(0.0, last + every - now)


class Nightly:
    """Takes the looks of one crawl."""

    def __init__(
        self, directory: Path, every: float, created: float, clock: Clock, note: Callable[[str], None]
    ) -> None:
        self._directory = directory
        self._every = every
        self._last = created
        self._clock = clock
        self._note = note
        self._said = ""  # what went wrong with the last one

    async def keep_looking(self) -> None:
        """Takes a look whenever one is due, until it is cancelled: then the one that is under way is ended."""
        published = newest(self._directory)
        if published is not None:
            self._last = max(self._last, published.stat().st_mtime)
        while (wait := wait_for(self._every, self._last, self._clock())) is not None:
            if wait:
                await asyncio.sleep(wait)
            elif not self._has_tables():
                await asyncio.sleep(min(self._every, TABLES_AGAIN))
            else:
                self._last = self._clock()
                self._tell(await self._look())

    def _tell(self, trouble: str) -> None:
        """Says what went wrong, unless that was said of the look before."""
        if trouble and trouble != self._said:
            self._note(f"the nightly look failed, and the crawl goes on without: {trouble}")
        self._said = trouble

    def _has_tables(self) -> bool:
        from skitter.store.index.paths import table_folder  # here: no crawl waits at its start for what a look needs

        return next(table_folder(self._directory, "links").rglob("*.parquet"), None) is not None

    async def _look(self) -> str:
        """Returns what went wrong, empty if nothing did."""
        return await run_beside("rank", self._directory, LOG)

    def __repr__(self) -> str:
        return f"<Nightly of {self._directory} every={self._every} last={self._last}>"
