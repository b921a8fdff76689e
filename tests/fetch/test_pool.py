"""Idle connections: the one used last first, not too many, not too long."""

from __future__ import annotations

import asyncio
import socket

import pytest

from skitter.fetch.connection import Connection, Endpoint
from skitter.fetch.pool import Pool
from skitter.settings import FetchSettings
from tests.fetch.rawserver import Peer, RawServer
from tests.fetch.visit import LOOPS, run


async def stays(peer: Peer) -> None:
    await peer.stay()


async def connect(server: RawServer, name: str) -> Connection:
    place = Endpoint("http", name, server.port, "127.0.0.1")
    loop = asyncio.get_running_loop()
    _, made = await loop.create_connection(lambda: Connection(place, FetchSettings(), 10.0), "127.0.0.1", server.port)
    return made


def test_take_gives_back_what_was_put_and_only_once() -> None:
    async def main() -> None:
        async with RawServer(stays) as server:
            pool = Pool(10, 5.0)
            first, second, other = [await connect(server, name) for name in ("a", "a", "b")]
            for connection in (first, second, other):
                pool.put(connection, 0.0)
            assert pool.take(first.place, 1.0) is second
            assert pool.take(first.place, 1.0) is first
            assert pool.take(first.place, 1.0) is None
            assert len(pool) == 1
            pool.close()
            for connection in (first, second):
                connection.abort()
            assert not other.is_open

    run(main())


def test_too_old_and_too_many_are_closed_the_oldest_first() -> None:
    async def main() -> None:
        async with RawServer(stays) as server:
            pool = Pool(2, 5.0)
            a, b, c = [await connect(server, name) for name in "abc"]
            pool.put(a, 0.0)
            pool.put(b, 1.0)
            pool.put(c, 2.0)
            assert (a.is_open, b.is_open, c.is_open, len(pool)) == (False, True, True, 2)
            assert pool.take(b.place, 6.0) is None
            assert (b.is_open, c.is_open, len(pool)) == (False, True, 1)
            pool.sweep(7.0)
            assert (c.is_open, len(pool)) == (False, 0)

    run(main())


def test_whoever_takes_closes_what_is_too_old_each_time_that_something_is() -> None:
    async def main() -> None:
        async with RawServer(stays) as server:
            pool = Pool(10, 5.0)
            a, b, c = [await connect(server, name) for name in "abc"]
            elsewhere = Endpoint("http", "z", server.port, "127.0.0.1")
            kept = []
            for connection, put in ((a, 0.0), (b, 6.0), (c, 20.0)):
                pool.put(connection, put)
                for now in (put, put + 4.9, put + 5.0):
                    assert pool.take(elsewhere, now) is None
                    kept.append(len(pool))
            assert kept == [1, 1, 0] * 3
            assert (a.is_open, b.is_open, c.is_open) == (False, False, False)

    run(main())


@pytest.mark.parametrize(("limit", "max_idle"), [(0, 5.0), (5, 0.0)])
def test_nothing_is_kept_if_nothing_may_be(limit: int, max_idle: float) -> None:
    async def main() -> None:
        async with RawServer(stays) as server:
            pool = Pool(limit, max_idle)
            connection = await connect(server, "a")
            pool.put(connection, 0.0)
            assert (connection.is_open, len(pool)) == (False, 0)

    run(main())


@pytest.mark.parametrize("loop", LOOPS)
def test_one_that_the_server_has_closed_is_not_given_out_though_the_loop_was_too_busy_to_say_so(loop: str) -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            place = Endpoint("http", "a", server.getsockname()[1], "127.0.0.1")
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(place, FetchSettings(), 10.0), place.address, place.port
            )
            pool = Pool(10, 5.0)
            pool.put(connection, 0.0)
            theirs, _ = server.accept()
            assert not connection.is_left
            theirs.close()  # and nothing is awaited from here on
            assert (pool.take(place, 1.0), connection.is_open, len(pool)) == (None, False, 0)

    run(main(), loop)


def test_a_connection_that_the_server_closes_is_forgotten() -> None:
    async def main() -> None:
        hold = asyncio.Event()

        async def closes(peer: Peer) -> None:
            await hold.wait()

        async with RawServer(closes) as server:
            pool = Pool(5, 5.0)
            pool.put(await connect(server, "a"), 0.0)
            hold.set()
            async with asyncio.timeout(9):
                while len(pool):
                    await asyncio.sleep(0)

    run(main())


def test_a_connection_that_is_closing_is_not_given_out() -> None:
    async def main() -> None:
        async with RawServer(stays) as server:
            pool = Pool(5, 5.0)
            open_one, closing = await connect(server, "a"), await connect(server, "a")
            pool.put(open_one, 0.0)
            pool.put(closing, 0.0)
            closing.abort()
            assert pool.take(open_one.place, 1.0) is open_one
            open_one.abort()

    run(main())
