from __future__ import annotations

import asyncio

import pytest

from skitter.simweb.answer import Ask
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from skitter.simweb.zoo import ANIMALS

ENDLESS = {
    "slow-headers": 40,
    "slow-body": 60,
    "endless-body": 5_000_000,
    "endless-chunks": 5_000_000,
    "early-hints": 2000,
}
"""Animals that never stop, and bytes after which they are believed. `slow-` ones are let go after one drip."""
SILENT = {"never-answers", "closes-at-once", "resets-at-once"}
RESETS = {"resets-at-once", "resets-in-status", "resets-in-headers", "resets-in-body"}
FIRST_BYTES = {
    "resets-in-status": b"HTTP/1.1 2",
    "http-0.9": b"<html>",
    "garbage-first": b"\x00\xff",
    "status-999": b"HTTP/1.1 999 ",
    "status-odd": b"HTTP/1.1 abc ",
    "upgrade": b"HTTP/1.1 101 ",
    "early-hints": b"HTTP/1.1 103 ",
    "asks-password": b"HTTP/1.1 401 ",
}


async def met(web: SimWeb, animal: str, path: str = "/") -> tuple[bytes, bool]:
    """Returns what an animal sends, as far as we wait for it, and whether the connection was reset."""
    named = next(named for named in web.world.names() if named.name.startswith(f"{animal}.zoo."))
    reader, writer = await asyncio.open_connection(named.address, web.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {named.name}:{web.port}\r\n\r\n".encode())
    limit, patience, taken = ENDLESS.get(animal, 10**9), 0.2 if animal == "never-answers" else 30, bytearray()
    try:
        while len(taken) < limit and (part := await asyncio.wait_for(reader.read(2**20), patience)):
            taken += part
    except ConnectionResetError:
        return bytes(taken), True
    except TimeoutError:
        assert animal == "never-answers"
    finally:
        writer.close()
    return bytes(taken), False


def visited(animal: str, path: str = "/") -> tuple[bytes, bool]:
    async def main() -> tuple[bytes, bool]:
        async with SimWeb(World(WorldSettings(hosts=1, animals=tuple(ANIMALS)))) as web:
            return await met(web, animal, path)

    return asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize("animal", ANIMALS)
def test_animal_misbehaves_as_it_is_named(animal: str) -> None:
    taken, reset = visited(animal)
    assert reset is (animal in RESETS)
    assert bool(taken) is (animal not in SILENT)
    if animal not in SILENT:
        default = b"HTTP/1.1 302 " if animal.startswith("to-") else b"HTTP/1.1 2"
        assert taken.startswith(FIRST_BYTES.get(animal, default))


@pytest.mark.slow
def test_animals_that_depend_on_the_path() -> None:
    assert b'href="/a/b/again/' in visited("echo", "/a/b")[0]
    assert b"Location: /a/b\r\n" in visited("to-itself", "/a/b")[0]


def test_server_ends_while_animals_are_loose_and_others_are_served_beside_them() -> None:
    async def main() -> None:
        loose = ("never-answers", "endless-body", "slow-headers")
        async with SimWeb(World(WorldSettings(hosts=2, animals=loose))) as web:
            writers = []
            for named in [named for named in web.world.names() if ".zoo." in named.name]:
                reader, writer = await asyncio.open_connection(named.address, web.port)
                writer.write(f"GET / HTTP/1.1\r\nHost: {named.name}:{web.port}\r\n\r\n".encode())
                writers.append(writer)
            while web.statistics().in_flight < len(loose):
                await asyncio.sleep(0)
            reader, writer = await asyncio.open_connection(web.world.site(0).address, web.port)
            writer.write(f"GET / HTTP/1.1\r\nHost: h0000.sim.test:{web.port}\r\nConnection: close\r\n\r\n".encode())
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            for one in (*writers, writer):
                one.close()

    asyncio.run(asyncio.wait_for(main(), 10))


def test_animal_waits_for_a_victim_that_does_not_read() -> None:
    async def main() -> None:
        async with SimWeb(World(WorldSettings(hosts=1, animals=("endless-body",)))) as web:
            named = list(web.world.names())[-1]
            _, writer = await asyncio.open_connection(named.address, web.port, limit=1024)
            writer.write(f"GET / HTTP/1.1\r\nHost: {named.name}:{web.port}\r\n\r\n".encode())
            while not web.statistics().in_flight:
                await asyncio.sleep(0)
            for _ in range(1000):  # enough turns for 57 MB, if nothing held it back
                await asyncio.sleep(0)
            (connection,) = web._open
            assert connection._transport.get_write_buffer_size() < 2**20
            writer.close()

    asyncio.run(asyncio.wait_for(main(), 20))


def test_robots_of_an_animal_is_missing_so_that_it_is_met() -> None:
    world = World(WorldSettings(hosts=1, animals=("echo",)))
    assert world.answer(Ask("echo.zoo.sim.test", "/robots.txt")).status == 404
    assert world.answer(Ask("echo.zoo.sim.test", "/x")).animal == "echo"
    assert world.answer(Ask("never-answers.zoo.sim.test", "/x")).status == 421
