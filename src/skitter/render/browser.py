"""One browser: started within a deadline, one page at a time, and ended with everything that it has started."""

from __future__ import annotations

import asyncio

from skitter.messages import Failure, Kind
from skitter.ports import Give, Rendered
from skitter.render.cdp import Cdp, Event, Gone
from skitter.render.finding import Found
from skitter.render.page import CALL, HEARD, Page
from skitter.render.process import Process, start
from skitter.render.walls import Walls
from skitter.settings import RenderSettings

STARTING = 60.0
ESCAPES = 6
"""Bytes of JSON for a character of a document, at the most."""


class Browser:
    """`is_fit` says whether it may have another page."""

    def __init__(self, process: Process, settings: RenderSettings) -> None:
        reader, writer = process.pipes
        self.pages = 0
        self.is_fit = True
        self.idle_since = 0.0
        self.process, self._settings = process, settings
        self._cdp = Cdp(reader, writer, self._refuse, heard=HEARD, longest=settings.max_dom * ESCAPES)
        self._reading = asyncio.create_task(self._cdp.run())

    async def greet(self) -> None:
        """Returns when it is ready, and every request of it stops at us. Gone with its last words if that fails."""
        try:
            await self._cdp.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}, seconds=STARTING)
            await self._cdp.call("Browser.setDownloadBehavior", {"behavior": "deny"}, seconds=CALL)
        except Gone as why:
            raise Gone(f"the browser does not start: {why}; its last words: {self.process.last_words()}") from None

    async def render(self, url: str, give: Give, settings: RenderSettings | None = None) -> Rendered | Failure:
        """Returns what a page came to, by bounds of its own if there are any."""
        self.pages += 1
        self.is_fit = False  # until it is known
        page = Page(self._cdp, self.process, settings or self._settings, give)
        try:
            found = await page.render(url)
            await page.dispose()
        except Gone as why:
            return Failure(Kind.BROWSER_FAILED, f"the browser: {why}")
        self.is_fit = not page.is_harmful and self._is_young()
        return found

    def kill(self) -> None:
        """Ends it at once; `end` waits for that, and takes away what is left."""
        self.process.kill()

    async def end(self) -> None:
        """Returns when nothing of it is left."""
        await self.process.end()
        await self._reading

    def _is_young(self) -> bool:
        memory = self.process.use().memory
        return self.pages < self._settings.recycle_pages and memory < self._settings.recycle_memory

    def _refuse(self, event: Event) -> None:
        """What asks for anything without a page gets nothing."""
        if event.method == "Fetch.requestPaused":
            number = {"requestId": event.params["requestId"], "errorReason": "BlockedByClient"}
            self._cdp.tell("Fetch.failRequest", number, session=event.session)


async def launch(found: Found, walls: Walls, settings: RenderSettings, agent: str) -> Browser:
    """Returns a browser that is ready. Gone if there is none to be had, with why."""
    try:
        process = await start(found, walls, settings, agent)
    except OSError as why:
        raise Gone(f"the browser does not start: {why}") from None
    browser = Browser(process, settings)
    try:
        await browser.greet()
    except BaseException:
        browser.kill()
        await browser.end()
        raise
    return browser
