"""The twin of `ports.Renderer`: a browser in virtual time that knows just enough of pages to be one.

It asks for the document, for each `<script src>` in it, and for whatever these `fetch("…")`; what that brings is put
where the document says `<div id=root>`. Redirects come back to whoever gives, hop by hop, as with a real browser.
"""

from __future__ import annotations

import asyncio
import re
from random import Random
from urllib.parse import urljoin

from skitter.messages import Failure, Kind, header_values
from skitter.ports import Give, Given, Rendered, Wanted
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop

TAKES = 0.2
"""Seconds that a script runs, about."""
HOPS = 10
ROOT = b"<div id=root>"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SCRIPT = re.compile(rb'<script src="([^"]+)">')
_FETCH = re.compile(rb'fetch\("([^"]+)"\)')


class MemoryBrowser:
    """The browser of one life. `fails` of its pages in a hundred kill it, `hangs` of them never come to an end."""

    def __init__(self, loop: SimLoop, life: Life, seed: int = 0, *, fails: float = 0.0, hangs: float = 0.0) -> None:
        self._loop = loop
        self._life = life
        self._random = Random(seed)  # noqa: S311 (repeatable on purpose)
        self._fails, self._hangs = fails, hangs
        self.trouble = ""
        self.open = 0  # pages that it has open now

    async def render(self, url: str, give: Give) -> Rendered | Failure:
        """Returns what the page at `url` came to, see `ports.Renderer`."""
        if self.trouble:
            return Failure(Kind.BROWSER_FAILED, self.trouble)
        self._life.at("browser.open")
        self.open += 1
        try:
            return await _Page(self, url, give).run()
        finally:
            self.open -= 1

    async def think(self) -> bool:
        """Takes the time that a script runs; False: the browser died of it."""
        self._life.at("browser.think")
        if self._random.random() < self._hangs:
            await asyncio.sleep(30.0)
            return False
        await asyncio.sleep(TAKES * (0.5 + self._random.random()))
        return self._random.random() >= self._fails

    def now(self) -> float:
        """Returns the loop's time."""
        return self._loop.time()


class _Page:
    def __init__(self, browser: MemoryBrowser, url: str, give: Give) -> None:
        self._browser = browser
        self._url = url
        self._give = give
        self._asked = self._refused = 0

    async def run(self) -> Rendered | Failure:
        began = self._browser.now()
        document = await self._ask(self._url, "document")
        if document.refusal:
            return Failure(Kind.BROWSER_FAILED, f"the document was refused: {document.refusal}")
        brought = b""
        for address in _SCRIPT.findall(document.body):
            script = await self._ask(self._resolved(address), "script")
            if script.status != 200:
                continue
            if not await self._browser.think():
                return Failure(Kind.BROWSER_FAILED, "the browser died")
            for wanted in _FETCH.findall(script.body):
                brought += (await self._ask(self._resolved(wanted), "fetch")).body
        dom = document.body.replace(ROOT, ROOT + brought, 1)
        seconds = self._browser.now() - began
        return Rendered(dom, self._url, True, seconds, TAKES, self._asked, self._refused)

    def _resolved(self, address: bytes) -> str:
        return urljoin(self._url, address.decode())

    async def _ask(self, url: str, kind: str) -> Given:
        for _ in range(HOPS):
            self._asked += 1
            given = await self._give(Wanted(url, kind=kind))
            self._refused += bool(given.refusal)
            location = header_values(given.headers, "location") if given.status in REDIRECTS else []
            if not location:
                return given
            url = urljoin(url, location[0])
            if kind == "document":
                self._url = url
        return Given(refusal="redirects")
