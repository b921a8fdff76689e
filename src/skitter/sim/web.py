"""The simulated web at work: the twin of `ports.Fetcher`, and a log of every request, as the servers saw it.

A server decides what to answer when a request reaches it. What was asked by a life that dies is at its end that moment:
the connection is closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct

from skitter.clock import Clock
from skitter.fetch.request import request_head, target_of
from skitter.messages import Errand, Failure, Fetched, Headers, Kind, Lease
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.world import ROBOTS_PATH, Located, Page, Robots, Trouble, World
from skitter.url.keys import origin_of

AGENT = "Mozilla/5.0 (compatible; Skitter; +https://sim.test/)"
CONNECT_TIMEOUT, READ_TIMEOUT = 10.0, 20.0
_TIMEOUTS = {Kind.CONNECT_TIMEOUT: CONNECT_TIMEOUT, Kind.READ_TIMEOUT: READ_TIMEOUT}
NOT_SENT = frozenset({Kind.CONNECT_TIMEOUT, Kind.REFUSED, Kind.UNREACHABLE})
"""Failures before a request is out."""


class Request(Struct):
    """One request, or the attempt to connect for one. Times are the loop's; `said` is as the crawler's clock had it."""

    href: str
    key: str
    host: str
    address: str
    errand: Errand
    life: Life
    began: float
    said: float
    ended: float | None = None
    over: float | None = None  # when the server is done with it, unless it is cut before
    status: int = 0
    failure: Kind | None = None
    retry_after: int | None = None
    location: str | None = None
    was_cut: bool = False  # by a death, or because it was given up
    origin: str = ""  # whose robots.txt this was to find, if it was
    robots: Robots | None = None  # and what that said

    def outcome(self) -> str:
        """Returns what came of it, in a word."""
        return "cut" if self.was_cut else self.failure.value if self.failure is not None else str(self.status)


class ServerAnswer(Struct, frozen=True):
    """What a server answers."""

    status: int = 0
    headers: Headers = ()
    body: bytes = b""
    kind: Kind | None = None
    takes: float = 0.1


class MemoryWeb:
    """The servers of a world. They remember who asked what, and how often a page was asked for."""

    def __init__(self, world: World, loop: SimLoop, seed: int = 0) -> None:
        self.world = world
        self.loop = loop
        self.log: list[Request] = []
        self._asked: Counter[str] = Counter()
        self._random = Random(seed)  # noqa: S311 (repeatable on purpose)

    def __repr__(self) -> str:
        return f"<MemoryWeb of {len(self.world.sites)} sites: {len(self.log)} requests>"

    def spread(self, seconds: float) -> float:
        """Returns a time around `seconds`: no two answers take the same."""
        return seconds * (0.5 + self._random.random())

    def answer(self, place: Located, request: Request) -> ServerAnswer:
        """Returns what the server has to say, and notes that it was asked."""
        if place.path == ROBOTS_PATH and place.site is not None:
            request.robots = robots = place.site.robots_at(self.loop.time())
            return _robots(robots)
        if place.page is None:
            return ServerAnswer(404, takes=0.05)
        times = self._asked[place.url.key]
        self._asked[place.url.key] += 1
        return _page(place, place.page, times)


class WebFetcher:
    """One life's way to the web, see `ports.Fetcher`."""

    def __init__(
        self, web: MemoryWeb, life: Life, clock: Clock, check: Callable[[Lease], None] = lambda _: None
    ) -> None:
        self._web = web
        self._check = check
        self._life = life
        self._clock = clock
        self._open: dict[int, Request] = {}
        life.at_death.append(self._cut)

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        """Returns what came back from the first of `addresses`, or why nothing did."""
        self._life.at("fetch.dial")
        place, began = self._web.world.place(lease.href), self._clock()
        refused = await self._dial(place, lease, addresses[0], began)
        if refused is not None:
            return Fetched(lease, began, self._clock(), failure=refused)
        self._life.at("fetch.request")
        self._check(lease)
        request = self._begin(place, lease, addresses[0], self._clock())
        try:
            answer = self._web.answer(place, request)
            takes = self._web.spread(answer.takes)
            request.over = self._web.loop.time() + takes
            await asyncio.sleep(takes)
            return self._fetched(lease, request, answer)
        finally:
            self._end(request)

    async def _dial(self, place: Located, lease: Lease, address: str, began: float) -> Failure | None:
        """Returns why the server can't be reached."""
        site, loop = place.site, self._web.loop
        kind = Kind.REFUSED if site is None or site.address != address else site.outage_at(loop.time())
        if kind is None and site is not None:
            await asyncio.sleep(self._web.spread(site.dial))
            return None
        assert kind in NOT_SENT, kind
        request = self._begin(place, lease, address, began)
        takes = _TIMEOUTS.get(kind, 0.05)
        request.over = loop.time() + takes
        try:
            await asyncio.sleep(takes)
            request.failure, request.was_cut = kind, False
        finally:
            self._end(request)
        return Failure(kind, "so it was made")

    def _begin(self, place: Located, lease: Lease, address: str, said: float) -> Request:
        url = place.url
        origin = origin_of(lease.chain[0] if lease.chain else lease.href) if lease.errand is Errand.ROBOTS else ""
        request = Request(
            url.href, url.key, url.host, address, lease.errand, self._life, self._web.loop.time(), said, origin=origin
        )
        request.was_cut = True  # until it is answered
        self._web.log.append(request)
        self._open[id(request)] = request
        return request

    def _fetched(self, lease: Lease, request: Request, answer: ServerAnswer) -> Fetched:
        self._life.check()
        request.was_cut = False
        request.status, request.failure = answer.status, answer.kind
        sent = request_head(target_of(lease.href), AGENT, lease.etag, lease.last_modified)
        ended = self._clock()
        if answer.kind is not None:
            failure = Failure(answer.kind, "so it was made")
            return Fetched(lease, request.said, ended, request.address, sent, failure=failure)
        for name, value in answer.headers:
            if name == "Retry-After":
                request.retry_after = int(value)
            elif name == "Location":
                request.location = value
        lines = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
        return Fetched(
            lease,
            request.said,
            ended,
            request.address,
            sent,
            f"HTTP/1.1 {answer.status} So\r\n{lines}\r\n".encode(),
            answer.body,
            answer.status,
            answer.headers,
            answer.body,
        )

    def _end(self, request: Request) -> None:
        if self._open.pop(id(request), None) is not None:
            # A client that is stopped keeps no server from ending.
            now = self._web.loop.time()
            request.ended = now if request.over is None else min(now, request.over)

    def _cut(self) -> None:
        for request in list(self._open.values()):
            self._end(request)


def _robots(robots: Robots) -> ServerAnswer:
    if robots.trouble is not None:
        return _trouble(robots.trouble)
    if robots.location is not None:
        return ServerAnswer(302, (("Location", robots.location),))
    age = (("Cache-Control", f"max-age={robots.max_age}"),) if robots.max_age is not None else ()
    return ServerAnswer(200, (("Content-Type", "text/plain"), *age), robots.text())


def _page(place: Located, page: Page, times: int) -> ServerAnswer:
    if times < len(page.troubles):
        return _trouble(page.troubles[times])
    if page.always is not None:
        return _trouble(page.always)
    path = place.path.partition("?")[0]
    if page.wants_slash and not path.endswith("/"):
        return ServerAnswer(301, (("Location", f"{path}/"),))
    if page.location is not None:
        return ServerAnswer(302, (("Location", page.location),) if page.location else ())
    kind = "application/xml" if page.listing else "text/plain" if page.raw else "text/html; charset=utf-8"
    return ServerAnswer(200, (("Content-Type", kind),), page.body(), takes=page.takes)


def _trouble(trouble: Trouble) -> ServerAnswer:
    if trouble.kind is not None:
        return ServerAnswer(kind=trouble.kind, takes=_TIMEOUTS.get(trouble.kind, trouble.takes))
    wish = (("Retry-After", str(trouble.retry_after)),) if trouble.retry_after is not None else ()
    return ServerAnswer(trouble.status, wish, b"trouble", takes=trouble.takes)
