"""One fetch against one animal, in short."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import uvloop

from skitter.fetch.fetcher import HttpFetcher
from skitter.messages import Errand, Fetched, Lease
from skitter.settings import FetchSettings
from tests.fetch.rawserver import Animal, RawServer

T = TypeVar("T")

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
AGENT = "Mozilla/5.0 (compatible; Skitter/0; +https://crawler.test/)"
QUICK: dict[str, Any] = {"connect_timeout": 2.0, "first_byte_timeout": 2.0, "total_timeout": 4.0}


def run(main: Coroutine[Any, Any, T], loop: str = "asyncio") -> T:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(main)


def lease(href: str, etag: str | None = None, last_modified: str | None = None) -> Lease:
    return Lease(href, "host", Errand.PAGE, 0.0, etag=etag, last_modified=last_modified)


def fetcher(refusal: Callable[[str], str | None] = lambda _: None, window: float = 10.0, **options: Any) -> HttpFetcher:
    settings = FetchSettings(**{**QUICK, **options})
    return HttpFetcher(settings, user_agent=AGENT, refusal=refusal, speed_window=window)


async def within(seconds: float, what: Awaitable[T]) -> T:
    async with asyncio.timeout(seconds):
        return await what


def visit(animal: Animal, loop: str = "asyncio", context: ssl.SSLContext | None = None, **options: Any) -> Fetched:
    """Returns what one fetch of /page from a server that plays `animal` brought."""

    async def main() -> Fetched:
        async with RawServer(animal, context) as server, fetcher(**options) as http:
            return await within(9, http.fetch(lease(f"http://127.0.0.1:{server.port}/page"), ["127.0.0.1"]))

    return run(main(), loop)
