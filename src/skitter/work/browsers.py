"""Browsers of workers elsewhere, as one renderer: they run pages, and ask nobody but us for anything.

A worker that has a browser waits here for a page. Each request that the page makes comes back as a question, and is
answered by whoever has the page rendered: so the address guard, robots.txt, delays and the archive are those of the
node, whatever the worker is. A worker that is silent has lost its page: that is one try, as with a browser that died.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque

from skitter.clock import Clock
from skitter.messages import Errand, Failure, Kind
from skitter.ports import Give, Rendered
from skitter.ports import Wanted as PartWanted
from skitter.settings import RenderSettings
from skitter.work.desk import GRACE, MARGIN, SEEN
from skitter.work.messages import (
    Accepted,
    Answer,
    AskPart,
    Beat,
    Beaten,
    Ended,
    Given,
    Leases,
    Part,
    Shown,
    Told,
    Wanted,
)

PATIENCE = 30.0
"""Seconds for which a page waits for a browser elsewhere, if there is none here."""
TRIES = 3
"""Workers that may take a page and be gone at once: one that was killed while it waited for one is told of it still."""


class _Page:
    """A page on its way to a worker, or with one."""

    def __init__(self, url: str, give: Give) -> None:
        loop = asyncio.get_running_loop()
        self.id, self.worker = "", ""
        self.url, self.give = url, give
        self.until = self.last = 0.0
        self.asked = self.bytes = 0
        self.is_heard = False  # since it has the page
        self.taken: asyncio.Future[None] = loop.create_future()
        self.told: asyncio.Future[Rendered | Failure] = loop.create_future()


class Browsers:
    """Gives pages to workers that have browsers. Of a page, no more is given than settings say."""

    def __init__(self, settings: RenderSettings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._pages: dict[str, _Page] = {}
        self._waiting: deque[_Page] = deque()
        self._seats: deque[asyncio.Future[None]] = deque()
        self._seen = -SEEN
        self.given = self.lapsed = 0

    # For whoever has a page rendered

    @property
    def are_there(self) -> bool:
        """Whether a worker with a browser was heard of late."""
        return bool(self._pages) or self._clock() - self._seen < SEEN

    async def render(self, url: str, give: Give, patience: float = PATIENCE) -> Rendered | Failure | None:
        """Returns what a page came to; None: no worker had time for it, and nothing was asked for."""
        for _ in range(TRIES):
            page = _Page(url, give)
            found = await self._tried(page, patience)
            if found is not None or not page.taken.done():
                return found
        return Failure(Kind.BROWSER_FAILED, "workers with browsers take pages and are gone")

    async def _tried(self, page: _Page, patience: float) -> Rendered | Failure | None:
        self._waiting.append(page)
        self._wake()
        try:
            await asyncio.wait([page.taken], timeout=patience)
            return await self._told(page) if page.taken.done() else None
        finally:
            if page in self._waiting:
                self._waiting.remove(page)
            self._pages.pop(page.id, None)

    async def _told(self, page: _Page) -> Rendered | Failure | None:
        """Returns what a worker told; None: nothing was heard of it ever, so that another may have the page."""
        while not page.told.done() and (wait := min(page.until, page.last) - self._clock()) > 0:
            await asyncio.wait([page.told], timeout=wait)
        if page.told.done():
            return page.told.result()
        self.lapsed += 1
        return Failure(Kind.BROWSER_FAILED, "the worker with the browser is gone") if page.is_heard else None

    def _wake(self) -> None:
        while self._seats:
            seat = self._seats.popleft()
            if not seat.done():
                seat.set_result(None)
                return

    # For workers

    async def answer(self, worker: str, question: Wanted | Beat | Told | AskPart | Shown) -> Answer:
        """Returns what a worker is told, by the name that its token has."""
        match question:
            case Wanted():
                return await self._wanted(worker, question)
            case Beat(ids):
                return Beaten({id_: self._prolonged(one) for id_ in ids if (one := self._page(worker, id_))})
            case AskPart():
                return await self._part(worker, question)
            case Shown(id_):
                return self._settled(worker, id_, question.rendered())
            case Told(id_):
                detail = question.failed.detail if question.failed is not None else "the worker has given it up"
                return self._settled(worker, id_, Failure(Kind.BROWSER_FAILED, detail))

    async def _wanted(self, worker: str, wanted: Wanted) -> Leases:
        came = self._seen = self._clock()
        if not self._waiting and wanted.wait:
            seat: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._seats.append(seat)
            await asyncio.wait([seat], timeout=wanted.wait)
            seat.cancel()
            self._seen = self._clock()
        pages = [self._give(self._waiting.popleft(), worker) for _ in range(min(wanted.count, len(self._waiting)))]
        seconds = [max(0.0, page.until - came - MARGIN) for page in pages]
        return Leases([_wire(page, left) for page, left in zip(pages, seconds, strict=True)], self._clock())

    def _give(self, page: _Page, worker: str) -> _Page:
        page.id, page.worker = secrets.token_urlsafe(24), worker
        # What is asked for takes its time, and is bounded by whoever answers.
        page.last = self._clock() + self._settings.page_seconds + self._settings.total_timeout + GRACE
        self._prolonged(page)
        self._pages[page.id] = page
        self.given += 1
        page.taken.set_result(None)
        return page

    def _prolonged(self, page: _Page) -> float:
        page.until = self._clock() + GRACE
        return max(0.0, min(GRACE, page.last - self._clock()) - MARGIN)

    def _page(self, worker: str, id_: str) -> _Page | None:
        page = self._pages.get(id_)
        if page is None or page.worker != worker or page.told.done():
            return None
        page.is_heard = True
        return page

    async def _part(self, worker: str, asked: AskPart) -> Part | Ended:
        page = self._page(worker, asked.id)
        if page is None:
            return Ended()
        page.asked += 1
        if page.asked > self._settings.max_requests or page.bytes > self._settings.max_bytes:
            return Part(refusal="too_much")
        given = await page.give(PartWanted(asked.url, asked.method, asked.kind, asked.headers, asked.body))
        page.bytes += len(given.body)
        return Part(given.status, list(given.headers), given.body, given.refusal)

    def _settled(self, worker: str, id_: str, what: Rendered | Failure) -> Accepted | Ended:
        page = self._page(worker, id_)
        if page is None:
            return Ended()
        page.told.set_result(what)
        return Accepted()

    def has(self, worker: str, id_: str) -> bool:
        """Whether a worker has a page by that name."""
        return self._page(worker, id_) is not None

    def __repr__(self) -> str:
        return f"<Browsers elsewhere: {len(self._pages)} pages with workers, {len(self._waiting)} wait>"


def _wire(page: _Page, seconds: float) -> Given:
    return Given(page.id, page.url, "", Errand.RENDER.value, seconds)
