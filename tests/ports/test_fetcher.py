"""The contract of the fetcher, for HTTP against a server on loopback and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

import pytest

from skitter.messages import Errand, Kind, Lease, header_values
from skitter.ports import Fetcher
from skitter.sim.clock import MachineClock
from skitter.sim.loop import SimLoop
from skitter.sim.web import MemoryWeb, WebFetcher
from skitter.sim.world import Page, Site, Trouble, World
from tests.fetch.rawserver import Peer, RawServer
from tests.fetch.visit import fetcher

PAGES = {
    "/": Page(text="hello", links=("/next",)),
    "/moved": Page(location="http://elsewhere.test/"),
    "/busy": Page(always=Trouble(429, retry_after=7)),
    "/reset": Page(always=Trouble(kind=Kind.RESET)),
    "/slow": Page(takes=0.5),
}
ADDRESS = "127.0.0.1"
Run: TypeAlias = Callable[[Any], Any]


class There:
    """A web, and a fetcher in it."""

    def __init__(self, fetcher: Fetcher, authority: str, under_way: Callable[[], int]) -> None:
        self._fetcher = fetcher
        self._authority = authority
        self.under_way = under_way

    def lease(self, path: str) -> Lease:
        return Lease(f"http://{self._authority}{path}", "host", Errand.PAGE, 0.0)

    async def fetch(self, path: str) -> Any:
        return await self._fetcher.fetch(self.lease(path), [ADDRESS])


async def play(peer: Peer) -> None:
    """Says what the pages of the simulated web say."""
    while True:
        path = (await peer.request()).split()[1].decode()
        page = PAGES.get(path)
        if page is None:
            await peer.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        elif page.always is not None and page.always.kind is not None:
            peer.reset()
            return
        elif page.always is not None:
            await peer.send(b"HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
        elif page.location is not None:
            await peer.send(b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test/\r\nContent-Length: 0\r\n\r\n")
        else:
            await asyncio.sleep(page.takes if page.takes > 0.1 else 0)
            head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
            await peer.send((head % len(page.body())).encode(), page.body())


@contextlib.asynccontextmanager
async def real() -> AsyncIterator[There]:
    async with RawServer(play) as server, fetcher() as http:
        yield There(http, f"127.0.0.1:{server.port}", lambda: server.open)


@pytest.fixture(params=["http", "memory"])
def there(request: pytest.FixtureRequest) -> Iterator[tuple[Run, Callable[[], Any]]]:
    if request.param == "http":
        with asyncio.Runner() as runner:
            yield runner.run, real
        return
    world = World(
        {"a.test": Site("a.test", ADDRESS)}, {f"a.test{path.rstrip('/')}": page for path, page in PAGES.items()}
    )
    with contextlib.closing(SimLoop()) as loop:

        @contextlib.asynccontextmanager
        async def twin() -> AsyncIterator[There]:
            web = MemoryWeb(world, loop)
            http = WebFetcher(web, loop.begin("one"), MachineClock(loop).steady())
            yield There(http, "a.test", lambda: sum(request.ended is None for request in web.log))

        yield loop.run_until_complete, twin
        assert loop.troubles == []


def test_an_answer_comes_whole(there: tuple[Run, Callable[[], Any]]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as web:
            fetched = await web.fetch("/")
            assert fetched.lease == web.lease("/")
            assert (fetched.status, fetched.failure, fetched.truncated) == (200, None, None)
            assert fetched.body == fetched.payload == PAGES["/"].body()
            assert header_values(fetched.headers, "content-type") == ["text/html; charset=utf-8"]
            assert fetched.request_head.startswith(b"GET / HTTP/1.1\r\nHost: ")
            assert fetched.response_head.startswith(b"HTTP/1.1 200 ")
            assert fetched.response_head.endswith(b"\r\n\r\n")
            assert fetched.address == ADDRESS
            assert fetched.began < fetched.ended

    run(story())


def test_redirects_are_not_followed_and_errors_not_tried_again(there: tuple[Run, Callable[[], Any]]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as web:
            moved = await web.fetch("/moved")
            assert (moved.status, moved.failure) == (302, None)
            assert header_values(moved.headers, "location") == ["http://elsewhere.test/"]
            missing = await web.fetch("/missing")
            assert (missing.status, missing.failure) == (404, None)
            busy = await web.fetch("/busy")
            assert (busy.status, busy.failure) == (429, None)
            assert header_values(busy.headers, "retry-after") == ["7"]

    run(story())


def test_what_fails_on_the_way_is_a_value(there: tuple[Run, Callable[[], Any]]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as web:
            fetched = await web.fetch("/reset")
            assert fetched.failure.kind is Kind.RESET
            assert (fetched.status, fetched.body, fetched.response_head) == (0, b"", b"")
            assert fetched.request_head

    run(story())


def test_cancelled_it_leaves_no_request_under_way(there: tuple[Run, Callable[[], Any]]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as web:
            asking = asyncio.create_task(web.fetch("/slow"))
            while not web.under_way():
                await asyncio.sleep(0.001)
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
            async with asyncio.timeout(5):
                while web.under_way():
                    await asyncio.sleep(0.001)

    run(story())
