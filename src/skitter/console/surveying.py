"""Has the table of hosts made anew while somebody looks at it, and not more often than the machine can spare."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from skitter.console.port import Busy
from skitter.console.survey import TABLE, Survey, read_survey
from skitter.console.table import HostTable
from skitter.supervisor.beside import run_beside

AT_LEAST = 5.0
"""Seconds between two surveys."""

SHARE = 0.05
"""Of the time, at the most, in which one is being made."""

WANTED_FOR = 120.0
"""Seconds for which surveys are made after somebody has asked for one."""

PATIENCE = 20.0
"""For the first."""

LOG = "survey.log"


class Surveying:
    """The last survey of a crawl, and the next one. `keep` runs beside those who ask."""

    def __init__(self, directory: Path, at_least: float = AT_LEAST) -> None:
        self._directory = directory
        self._at_least = at_least
        self._asked = asyncio.Event()
        self._asked_at = -WANTED_FOR
        self._made = asyncio.Event()
        self._survey = read_survey(directory)
        self._table: HostTable | None = None
        self.trouble = ""  # why the last one was not made

    async def survey(self) -> Survey | None:
        """Returns the last survey; None if there is none yet. It is as old as it says."""
        self._want()
        return self._survey

    async def table(self) -> HostTable:
        """Returns the table of the last survey, the first time after a while. Busy if there is none yet."""
        self._want()
        if self._survey is None:
            try:
                await asyncio.wait_for(self._made.wait(), PATIENCE)
            except TimeoutError:
                raise Busy(5) from None
        assert self._survey is not None
        if self._table is None:
            self._table = HostTable(self._directory / "run" / TABLE, self._survey.at)
        return self._table

    async def keep(self) -> None:
        """Makes surveys as long as somebody wants them, until it is cancelled."""
        while True:
            await self._asked.wait()
            if time.monotonic() - self._asked_at > WANTED_FOR:
                self._asked.clear()
                continue
            began = time.monotonic()
            self.trouble = await run_beside("console", self._directory, LOG)
            found = read_survey(self._directory)
            if not self.trouble and found is not None:
                self._survey, self._table = found, None
                self._made.set()
            took = time.monotonic() - began
            await asyncio.sleep(max(self._at_least, took / SHARE - took))

    def _want(self) -> None:
        self._asked_at = time.monotonic()
        self._asked.set()
