from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
import uvloop
from msgspec import structs

from skitter.errors import OperatorError
from skitter.metrics.server import MAX_HEAD, MetricsServer
from skitter.supervisor.progress import NOTHING
from tests.metrics.reports import report
from tests.metrics.scraped import scrape

Answer = TypeVar("Answer")
Runner = Callable[[Awaitable[Answer]], Answer]


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Runner[object]:
    return asyncio.run if request.param == "asyncio" else uvloop.run  # type: ignore[return-value]


async def ask(port: int, request: bytes) -> bytes:
    """Returns what came until the other side ended it, in whatever way."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = b""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(9):
            answer = await reader.read()
    writer.close()
    return answer


def test_what_is_shown_is_what_is_reported_now(run: Runner[object]) -> None:
    pages = [3]

    async def main() -> None:
        async with MetricsServer(0, lambda: [report(0, structs.replace(NOTHING, pages=pages[0]))]) as server:
            assert (await scrape(server.port))["skitter_pages_total"] == 3
            pages[0] = 8
            assert (await scrape(server.port))["skitter_pages_total"] == 8
            assert server.statistics().answered == 2
            assert str(server.port) in repr(server)

    run(main())


@pytest.mark.parametrize(
    ("request_line", "status", "told"),
    [
        ("GET /metrics HTTP/1.1", "200 OK", b"skitter_pages_total 0"),
        ("GET /metrics?x=1 HTTP/1.0", "200 OK", b"skitter_pages_total 0"),
        ("HEAD /metrics HTTP/1.1", "200 OK", b""),
        ("GET / HTTP/1.1", "404 Not Found", b"/metrics"),
        ("GET /metrics/x HTTP/1.1", "404 Not Found", b"/metrics"),
        ("POST /metrics HTTP/1.1", "405 Method Not Allowed", b"GET"),
        ("", "405 Method Not Allowed", b"GET"),
        ("\xff\xfe \x00", "405 Method Not Allowed", b"GET"),
    ],
)
def test_requests(request_line: str, status: str, told: bytes) -> None:
    async def main() -> bytes:
        async with MetricsServer(0, list) as server:
            return await ask(server.port, request_line.encode("latin-1") + b"\r\nHost: x\r\n\r\n")

    head, _, body = asyncio.run(main()).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status}\r\n".encode())
    assert told in body
    length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    assert length > 0
    assert len(body) == (0 if request_line.startswith("HEAD") else length)


def test_a_request_may_come_in_pieces() -> None:
    async def main() -> bytes:
        async with MetricsServer(0, list) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            for piece in (b"GET /met", b"rics HTTP/1.1\r\n", b"\r", b"\n"):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.005)
            answer = await reader.read()
            writer.close()
            return answer

    assert asyncio.run(main()).startswith(b"HTTP/1.1 200 OK")


def test_a_head_without_end_is_cut_off(run: Runner[object]) -> None:
    async def main() -> None:
        async with MetricsServer(0, list) as server:
            assert await ask(server.port, b"GET /metrics HTTP/1.1\r\n" + b"x" * MAX_HEAD) == b""
            assert server.statistics().answered == 0

    run(main())


def test_who_does_not_finish_asking_is_cut_off(run: Runner[object]) -> None:
    async def main() -> None:
        async with MetricsServer(0, list, patience=0.02) as server:
            assert await ask(server.port, b"GET /metrics HTTP/1.1\r\n") == b""
            assert server.statistics().open == 0

    run(main())


def test_the_end_does_not_wait_for_those_who_are_connected(run: Runner[object]) -> None:
    async def main() -> None:
        async with asyncio.timeout(9):
            async with MetricsServer(0, list) as server:
                await scrape(server.port)
                _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                while not server.statistics().open:
                    await asyncio.sleep(0.001)
            while server.statistics().open:
                await asyncio.sleep(0.001)
            writer.close()
            with pytest.raises(OSError):
                await asyncio.open_connection("127.0.0.1", server.port)

    run(main())


def test_a_port_in_use_is_the_operators_to_change(run: Runner[object]) -> None:
    async def main() -> None:
        async with MetricsServer(0, list) as first:
            with pytest.raises(OperatorError, match=rf"^--metrics-port = {first.port}: .*in use") as caught:
                async with MetricsServer(first.port, list):
                    pass
            assert caught.value.key == "--metrics-port"
            assert await scrape(first.port)  # the first is none the worse for it

    run(main())


def test_a_port_that_is_none_is_the_operators_to_change() -> None:
    async def main() -> None:
        async with MetricsServer(70000, list):
            pass

    with pytest.raises(OperatorError, match="--metrics-port = 70000"):
        asyncio.run(main())


def test_only_this_machine_is_answered() -> None:
    async def main() -> None:
        async with MetricsServer(0, list) as server:
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.2", server.port)

    asyncio.run(main())
