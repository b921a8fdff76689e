"""The browsers of a node: none until there is a page, as many as there are pages up to a bound, and none for long.

Each has one page at a time, so that a browser that dies or hangs costs one page one try. Before the first page, one of
them is tried with a page of many ways out (`canary.py`): if anything arrives, nothing is rendered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from msgspec import Struct

from skitter.messages import Failure, Kind
from skitter.ports import Give, Rendered
from skitter.render.browser import Browser, launch
from skitter.render.canary import try_walls
from skitter.render.cdp import Gone
from skitter.render.finding import Found, find
from skitter.render.process import Process, sweep
from skitter.render.walls import Walls, raise_walls
from skitter.settings import RenderSettings

AGAIN = 60.0
"""Seconds until browsers that did not start are tried again."""


class PoolStatistics(Struct, frozen=True):
    """Counts since the pool was opened; the last two are of this moment."""

    pages: int = 0
    failures: int = 0
    launches: int = 0
    troubles: int = 0
    at_work: int = 0
    idle: int = 0


class Pool:
    """Fills the port `Renderer`, while it is open."""

    def __init__(self, settings: RenderSettings, *, agent: str) -> None:
        self._settings, self._agent = settings, agent
        self._found: Found | str = find(settings.browser)
        self._walls: Walls | str = raise_walls(settings) if isinstance(self._found, Found) else ""
        self._room = asyncio.Semaphore(settings.browsers)
        self._idle: list[Browser] = []
        self._busy: set[Browser] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._proving: asyncio.Task[None] | None = None
        self._breach = ""
        self._failed = ""
        self._failed_at = 0.0
        self._pages = self._failures = self._launches = self._troubles = 0

    @property
    def trouble(self) -> str:
        """Why nothing can be rendered for now; empty if it can."""
        for found in (self._found, self._walls, self._breach):
            if isinstance(found, str) and found:
                return found
        is_over = not self._failed or asyncio.get_running_loop().time() > self._failed_at + AGAIN
        return "" if is_over else self._failed

    @property
    def browsers(self) -> Sequence[Process]:
        """The browsers that have a page now."""
        return [browser.process for browser in self._busy]

    def statistics(self) -> PoolStatistics:
        """Returns the counts so far."""
        return PoolStatistics(
            self._pages, self._failures, self._launches, self._troubles, len(self._busy), len(self._idle)
        )

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(sweep)
        self._tending = asyncio.create_task(self._tend())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for task in (self._tending, self._proving):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        for browser in self._idle:
            self._discard(browser)
        self._idle.clear()
        await asyncio.gather(*self._ending)

    async def render(self, url: str, give: Give) -> Rendered | Failure:
        """Returns what the page came to."""
        async with self._room:
            if trouble := self.trouble:
                return Failure(Kind.BROWSER_FAILED, trouble)
            found = await self._render(url, give)
            self._pages += 1
            self._failures += isinstance(found, Failure)
            return found

    async def _render(self, url: str, give: Give) -> Rendered | Failure:
        browser = await self._take()
        if browser is None:
            return Failure(Kind.BROWSER_FAILED, self.trouble)
        self._busy.add(browser)
        try:
            return await browser.render(url, give)
        finally:
            self._busy.discard(browser)
            self._put_back(browser)

    async def _take(self) -> Browser | None:
        """Returns a browser whose walls hold; None: there is trouble."""
        if self._proving is None:
            self._proving = asyncio.create_task(self._prove())
        await asyncio.shield(self._proving)  # whoever is cancelled meanwhile, others wait for it too
        if self.trouble:
            return None
        return self._idle.pop() if self._idle else await self._launch()

    async def _launch(self) -> Browser | None:
        assert isinstance(self._found, Found)
        assert isinstance(self._walls, Walls)
        self._launches += 1
        try:
            browser = await launch(self._found, self._walls, self._settings, self._agent)
        except Gone as why:
            self._fail(why)
            return None
        self._failed = ""
        return browser

    def _fail(self, why: Gone) -> None:
        self._troubles += 1
        self._failed, self._failed_at = str(why), asyncio.get_running_loop().time()

    async def _prove(self) -> None:
        """Tries the walls with a browser, which then has the first page."""
        browser = await self._launch()
        if browser is None:
            self._proving = None  # it is tried again when browsers are
            return
        try:
            self._breach = await try_walls(browser)
            browser.is_fit &= not self._breach
        except Gone as why:
            browser.is_fit = False
            self._proving = None
            self._fail(why)
        finally:
            self._put_back(browser)

    def _put_back(self, browser: Browser) -> None:
        if browser.is_fit:
            browser.idle_since = asyncio.get_running_loop().time()
            self._idle.append(browser)
        else:
            self._discard(browser)

    def _discard(self, browser: Browser) -> None:
        browser.kill()
        task = asyncio.create_task(browser.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _tend(self) -> None:
        """Ends browsers that have had nothing to do for long: those that came back first."""
        while True:
            await asyncio.sleep(max(1.0, self._settings.idle_seconds / 4))
            oldest = asyncio.get_running_loop().time() - self._settings.idle_seconds
            while self._idle and self._idle[0].idle_since < oldest:
                self._discard(self._idle.pop(0))
