"""Has the tables of what documents say made beside a running crawl, and the last of them when it is over.

A process of its own makes them, as nice as can be, when a WARC file was sealed. It may fail or be killed, with us or
alone: the crawl goes on, and the next run makes what is missing. At the end there is nobody left to be nice to.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from skitter.settings import Settings
from skitter.supervisor.beside import run_beside

LOG = "content.log"
EVERY = 10.0
"""It is looked so often whether a file was sealed: a listing of names."""


class Contents:
    """The tables of one crawl."""

    def __init__(self, directory: Path, settings: Settings, note: Callable[[str], None], every: float = EVERY) -> None:
        self._directory = directory
        # In a bucket, a file is gone from here as soon as it is sealed: `skitter reparse` reads it from there.
        self._is_on = settings.content.text != "off" and not settings.bucket.address
        self._note = note
        self._every = every
        self._looked_at: set[str] = set()
        self._said = ""  # what went wrong the last time

    async def keep_making(self) -> None:
        """Makes tables whenever a file was sealed, until it is cancelled: then what is under way is ended."""
        while self._is_on:
            await self._make_new()
            await asyncio.sleep(self._every)

    async def finish(self) -> None:
        """Returns when all tables are made. If it is cancelled, the next run makes those that are missing."""
        if self._is_on:
            self._looked_at.clear()  # the one that was under way may be half made
            await self._make_new(str(len(os.sched_getaffinity(0))))

    async def _make_new(self, *workers: str) -> None:
        sealed = await asyncio.to_thread(self._sealed)
        if sealed <= self._looked_at:
            return
        self._tell(await run_beside("content", self._directory, LOG, *workers))
        self._looked_at = sealed

    def _sealed(self) -> set[str]:
        from skitter.store.warc.places import sealed_files  # here: no crawl waits at its start for what it does later

        return {path.name for path in sealed_files(self._directory / "warc")}

    def _tell(self, trouble: str) -> None:
        """Says what went wrong, unless that was said the last time."""
        if trouble and trouble != self._said:
            self._note(f"tables of text could not be made, and the crawl goes on without: {trouble}")
        self._said = trouble

    def __repr__(self) -> str:
        return f"<Contents of {self._directory} on={self._is_on} looked_at={len(self._looked_at)}>"
