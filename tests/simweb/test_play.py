"""Hosts that are played from a script, asked over real connections."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.log import LOST, read_log
from skitter.simweb.play import NEVER, RESET, Play, by_path, in_turn, moved, over_time, page, status, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World

NAME = "odd.sim.test"
MIB = 1024 * 1024


async def ask(web: SimWeb, path: str, limit: int = -1) -> bytes:
    address = next(named.address for named in web.world.names() if named.name == NAME)
    reader, writer = await asyncio.open_connection(address, web.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {NAME}:{web.port}\r\nConnection: close\r\n\r\n".encode())
    try:
        return await reader.read(limit)
    finally:
        writer.close()


def play(host: Play, paths: Sequence[str], log: Path | None = None) -> list[bytes]:
    async def main() -> list[bytes]:
        async with SimWeb(World(WorldSettings(hosts=1), plays={NAME: host}), log=log) as web:
            return [await ask(web, path) for path in paths]

    return asyncio.run(main())


def test_each_path_has_its_turns_and_the_last_one_stays() -> None:
    host = by_path({"/a": in_turn(text("one"), status(503), text("three")), "/b": in_turn(text("b"), moved("/c"))})
    answers = play(host, ["/a", "/b", "/a", "/a", "/a", "/b", "/nothing"])
    assert [answer.split(b" ")[1] for answer in answers] == [b"200", b"200", b"503", b"200", b"200", b"301", b"404"]
    assert [answer.rpartition(b"\r\n\r\n")[2] for answer in answers[::2]] == [b"one", b"503\n", b"three", b"404\n"]
    assert b"\r\nLocation: /c\r\n" in answers[5]


def test_time_can_decide() -> None:
    changing = over_time(lambda now: int(now // 100), text("young"), page("/old"))
    bodies = [changing(Ask(NAME, "/", now)).body for now in (0.0, 99.0, 100.0, 900.0)]
    assert [b"old" in body for body in bodies] == [False, False, True, True]


def test_the_host_knows_as_what_it_was_asked() -> None:
    async def main() -> tuple[bytes, int]:
        host: Play = lambda asked: text(asked.origin)  # noqa: E731 (a table entry)
        async with SimWeb(World(WorldSettings(hosts=1), plays={NAME: host})) as web:
            return await ask(web, "/"), web.port

    answer, port = asyncio.run(main())
    assert answer.endswith(f"\r\n\r\nhttp://{NAME}:{port}".encode())


def test_a_reset_is_one() -> None:
    with pytest.raises(ConnectionResetError):
        play(by_path({"/": RESET}), ["/"])


def test_who_never_answers_is_noted_as_lost_when_the_client_goes(tmp_path: Path) -> None:
    async def main() -> None:
        async with SimWeb(
            World(WorldSettings(hosts=1), plays={NAME: by_path({"/": NEVER})}), log=tmp_path / "log"
        ) as web:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(ask(web, "/"), 0.1)
            while web.statistics().in_flight:
                await asyncio.sleep(0.01)

    asyncio.run(main())
    assert [request.status for request in read_log(tmp_path / "log")] == [LOST]


HUGE = Answer(200, body=b"y" * MIB, times=1024)


def test_a_body_that_is_sent_over_and_over_is_as_long_as_it_says(tmp_path: Path) -> None:
    (answer,) = play(by_path({"/": Answer(200, body=b"yz", times=1000)}), ["/"], tmp_path / "log")
    assert b"\r\nContent-Length: 2000\r\n" in answer
    assert answer.endswith(b"\r\n\r\n" + b"yz" * 1000)
    (request,) = read_log(tmp_path / "log")
    assert (request.status, request.size) == (200, len(answer))


def test_of_a_huge_body_the_log_says_how_much_was_taken(tmp_path: Path) -> None:
    async def main() -> None:
        async with SimWeb(
            World(WorldSettings(hosts=1), plays={NAME: by_path({"/": HUGE})}), log=tmp_path / "log"
        ) as web:
            assert b"\r\nContent-Length: 1073741824\r\n" in await ask(web, "/", 1000)
            while web.statistics().in_flight:
                await asyncio.sleep(0.01)

    asyncio.run(main())
    (request,) = read_log(tmp_path / "log")
    assert request.status == LOST
    assert request.size < 100 * MIB  # what the kernel holds, and no more
