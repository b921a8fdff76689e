"""A kept connection gives each request a time of its own, and one that is gone leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc

import pytest

from skitter.fetch.connection import Connection
from skitter.messages import Fetched, Kind
from tests.fetch.rawserver import Animal, Peer, RawServer
from tests.fetch.visit import LOOPS, fetcher, lease, run, within

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
loops = pytest.mark.parametrize("loop", LOOPS)


def first(then: Animal) -> Animal:
    """Returns what answers one request at once, and the next as `then` does."""

    async def play(peer: Peer) -> None:
        await peer.request()
        await peer.send(HEAD + b"page")
        await peer.request()
        await then(peer)

    return play


async def stays(peer: Peer) -> None:
    await peer.stay()


async def pauses(peer: Peer) -> None:
    await peer.send(HEAD, pause=1.5)
    await peer.send(b"page")
    await peer.stay()


def second(then: Animal, loop: str, *, after: float, window: float = 10.0, **options: float) -> Fetched:
    """Returns what the second request on one connection brings, asked `after` so many seconds."""

    async def main() -> Fetched:
        async with RawServer(first(then)) as server, fetcher(window=window, **options) as http:
            url = lease(f"http://a.test:{server.port}/")
            assert (await http.fetch(url, ["127.0.0.1"])).body == b"page"
            await asyncio.sleep(after)
            fetched = await within(9, http.fetch(url, ["127.0.0.1"]))
            assert server.connections == 1
            return fetched

    return run(main(), loop)


@pytest.mark.slow
@loops
def test_silence_is_counted_from_the_request_that_it_follows(loop: str) -> None:
    fetched = second(stays, loop, after=0.2, first_byte_timeout=0.3)
    assert fetched.failure is not None
    assert fetched.failure.kind is Kind.READ_TIMEOUT
    assert 0.28 <= fetched.ended - fetched.began < 9


@pytest.mark.slow
@loops
def test_speed_is_measured_from_the_request_that_it_is_of(loop: str) -> None:
    # The look that the first request has ordered comes 0.25 s into the second. Were it the first of that one, the next
    # would find no byte more after 1.25 s; its own come after 1 s and 2 s.
    fetched = second(pauses, loop, after=0.75, window=1.0, min_speed=1)
    assert (fetched.failure, fetched.body) == (None, b"page")


@loops
def test_a_connection_that_is_gone_is_freed(loop: str) -> None:
    async def closes(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npage")

    async def main() -> None:
        async with RawServer(closes) as server, fetcher() as http:
            assert (await http.fetch(lease(f"http://a.test:{server.port}/"), ["127.0.0.1"])).body == b"page"
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            gc.collect()
            assert not [one for one in gc.get_objects() if type(one) is Connection]

    gc.collect()
    run(main(), loop)
