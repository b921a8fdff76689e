from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from skitter.simweb.animals.mazes import MAZES
from skitter.simweb.animals.packed import BOMB_BYTES
from skitter.simweb.answer import Ask
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from skitter.simweb.zoo import ANIMALS

ENDLESS = {
    "slow-status": 14,
    "slow-headers": 40,
    "slow-body": 60,
    "slow-chunks": 80,
    "endless-headers": 1_000_000,
    "endless-body": 5_000_000,
    "endless-chunks": 5_000_000,
    "endless-chunk-line": 1_000_000,
    "endless-trailers": 1_000_000,
    "early-hints": 2000,
    "continues": 20_000,
}
"""Animals that never stop, and bytes after which they are believed. `slow-` ones are let go after one drip."""
HOLDING = {"never-answers", "stops-in-headers", "stops-in-body", "stops-before-body"}
SILENT = {"never-answers", "closes-at-once", "resets-at-once"}
RESETS = {animal for animal in ANIMALS if animal.startswith("resets-")}
FIRST_BYTES = {
    "resets-in-status": b"HTTP/1.1 2",
    "http-0.9": b"<html>",
    "http-2": b"\0\0\x12",
    "http-9.9": b"HTTP/9.9 200 ",
    "garbage-first": b"\x00\xff",
    "empty-lines-first": b"\r\n\r\n",
    "status-999": b"HTTP/1.1 999 ",
    "status-000": b"HTTP/1.1 000 ",
    "status-odd": b"HTTP/1.1 abc ",
    "status-huge": b"HTTP/1.1 200000000000 ",
    "upgrade": b"HTTP/1.1 101 ",
    "early-hints": b"HTTP/1.1 103 ",
    "continues": b"HTTP/1.1 100 ",
    "asks-password": b"HTTP/1.1 401 ",
    "asks-much": b"HTTP/1.1 401 ",
    "asks-proxy": b"HTTP/1.1 407 ",
    "busy-for-ever": b"HTTP/1.1 503 ",
}
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": lambda packed: zstandard.ZstdDecompressor().decompress(packed, max_output_size=2**30),
}
BOMBS = {
    "gzip-bomb": ("gzip",),
    "deflate-bomb": ("deflate",),
    "br-bomb": ("br",),
    "zstd-bomb": ("zstd",),
    "gzip-nested-bomb": ("gzip", "gzip"),
    "br-nested-bomb": ("gzip", "br"),
    "zstd-nested-bomb": ("zstd", "gzip"),
    "bomb-called-br": ("gzip",),
    "bomb-called-zstd": ("gzip",),
    "bomb-called-nothing": ("gzip",),
    "bomb-many-codings": ("gzip",),
}
"""What undoes a bomb, the outermost coding first."""


async def met(web: SimWeb, animal: str, path: str = "/") -> tuple[bytes, bool]:
    """Returns what an animal sends, as far as we wait for it, and whether the connection was reset."""
    named = next(named for named in web.world.names() if named.name.startswith(f"{animal}.zoo."))
    reader, writer = await asyncio.open_connection(named.address, web.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {named.name}:{web.port}\r\n\r\n".encode())
    limit, patience, taken = ENDLESS.get(animal, 10**9), 0.2 if animal in HOLDING else 30, bytearray()
    try:
        while len(taken) < limit and (part := await asyncio.wait_for(reader.read(2**20), patience)):
            taken += part
    except ConnectionResetError:
        return bytes(taken), True
    except TimeoutError:
        assert animal in HOLDING
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
@pytest.mark.parametrize("animal", BOMBS)
def test_bombs_are_small_on_the_wire_and_large_within(animal: str) -> None:
    body = visited(animal)[0].partition(b"\r\n\r\n")[2]
    assert len(body) < BOMB_BYTES / 900
    for coding in BOMBS[animal]:
        body = UNPACK[coding](body)
    assert body == bytes(BOMB_BYTES)


PATHS = {
    "echo": ("echo", "/a/b", b'href="/a/b/again/'),
    "to itself": ("to-itself", "/a/b", b"Location: /a/b\r\n"),
    "to and fro": ("to-and-fro", "/a", b"Location: /b\r\n"),
    "to the next": ("to-the-next", "/on/6", b"Location: /on/7\r\n"),
    "to the deeper": ("to-the-deeper", "/more", b"Location: /more/more\r\n"),
    "the month after December": ("calendar", "/calendar/9998/12", b'href="/calendar/9999/01"'),
    "a day": ("calendar", "/calendar/2026/11", b'href="/calendar/2026/11/28"'),
    "the day after": ("dates", "/events?day=9", b'href="/events?day=10"'),
    "a charset": ("charsets", "/c/koi8-r", b"charset=koi8-r\r\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("animal", "path", "told"), PATHS.values(), ids=PATHS)
def test_animals_that_depend_on_the_path(animal: str, path: str, told: bytes) -> None:
    assert told in visited(animal, path)[0]


@pytest.mark.slow
@pytest.mark.parametrize("maze", MAZES)
def test_a_maze_leads_on_from_every_page(maze: str) -> None:
    links = re.findall(rb'href="([^"]+)"', visited(maze)[0])
    assert links
    onward = re.findall(rb'href="([^"]+)"', visited(maze, f"/{links[0].decode().lstrip('/')}")[0])
    assert onward
    is_new = set(onward) != set(links)
    assert is_new or not links[0].startswith(b"/")  # a relative link is a new one wherever it stands


@pytest.mark.slow
def test_a_calendar_ends_with_the_year_9999() -> None:
    assert b"/calendar/10000/" not in visited("calendar", "/calendar/9999/12")[0]


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
