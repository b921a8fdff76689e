from __future__ import annotations

import asyncio
import http.client
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
import uvloop
from msgspec import structs

from skitter.simweb.answer import Ask
from skitter.simweb.connection import Connection
from skitter.simweb.log import LOST, Request, read_log
from skitter.simweb.roles import Role
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN, WorldSettings
from skitter.simweb.world import World

T = TypeVar("T")
SMALL = structs.replace(PLAIN, hosts=8, pages_per_host=10, page_bytes=600)


def serving(settings: WorldSettings, visit: Callable[[SimWeb], Awaitable[T]], log: Path | None = None) -> T:
    async def main() -> T:
        async with SimWeb(World(settings), log=log) as web:
            return await asyncio.wait_for(visit(web), 20)

    return asyncio.run(main())


def request_for(web: SimWeb, path: str, host: str = "h0001.sim.test", more: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}:{web.port}\r\nUser-Agent: tester/1\r\n{more}\r\n".encode()


async def exchange(web: SimWeb, data: bytes, address: str = "127.20.0.2") -> bytes:
    """Sends bytes and returns all that comes back until the server closes."""
    reader, writer = await asyncio.open_connection(address, web.port)
    writer.write(data)
    try:
        return await reader.read()
    finally:
        writer.close()


def get(web: SimWeb, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> http.client.HTTPResponse:
    site = web.world.site(1)
    connection = http.client.HTTPConnection(site.address, web.port, timeout=10)
    connection.request(method, path, headers={"Host": f"{site.name}:{web.port}", **(headers or {})})
    response = connection.getresponse()
    response.read_body = response.read()  # type: ignore[attr-defined]
    connection.close()
    return response


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_every_answer_can_be_read_by_the_standard_library(loop: Callable[..., None]) -> None:
    mixed = WorldSettings(hosts=2, pages_per_host=80, page_bytes=500, slow=0.01, strains_per_host=0, robots={"none": 1})

    def read_all(web: SimWeb) -> None:
        site = web.world.site(1)
        connection = http.client.HTTPConnection(site.address, web.port, timeout=10)
        for path in site.paths:
            connection.request("GET", path, headers={"Host": f"{site.name}:{web.port}"})
            response = connection.getresponse()
            answer = web.world.answer(Ask(site.name, path))
            assert (response.status, response.read()) == (answer.status, answer.body), path
            assert dict(answer.headers).items() <= dict(response.getheaders()).items()
        connection.close()
        assert web.statistics().connections == 1  # kept alive throughout

    async def main() -> None:
        async with SimWeb(World(mixed)) as web:
            await asyncio.to_thread(read_all, web)

    loop(main())


def test_head_has_no_body_and_other_methods_are_refused() -> None:
    async def visit(web: SimWeb) -> None:
        head = await asyncio.to_thread(get, web, "/p/1", None, "HEAD")
        assert (head.status, int(head.headers["Content-Length"]) > 100) == (200, True)
        assert (await asyncio.to_thread(get, web, "/p/1", None, "DELETE")).status == 405

    serving(SMALL, visit)


def test_conditional_request_is_answered_304() -> None:
    async def visit(web: SimWeb) -> None:
        first = await asyncio.to_thread(get, web, "/fresh/1")
        again = await asyncio.to_thread(get, web, "/fresh/1", {"If-None-Match": first.headers["ETag"]})
        assert (first.status, again.status) == (200, 304)

    serving(structs.replace(SMALL, roles={Role.FRESH: 1.0}), visit)


def test_passing_failure_passes_for_the_one_who_asks_again() -> None:
    async def visit(web: SimWeb) -> list[int]:
        return [(await asyncio.to_thread(get, web, f"/busy/{n}")).status for n in (1, 1, 2, 1)]

    busy = structs.replace(SMALL, roles={Role.BUSY: 1.0}, strains_per_host=9)
    assert serving(busy, visit) == [503, 200, 503, 200]


def test_reset_breaks_the_connection_off() -> None:
    async def visit(web: SimWeb) -> None:
        with pytest.raises(ConnectionResetError):
            await exchange(web, request_for(web, "/reset/1"))

    serving(structs.replace(SMALL, roles={Role.RESET: 1.0}, strains_per_host=9), visit)


def test_pipelined_requests_are_answered_in_order(tmp_path: Path) -> None:
    async def visit(web: SimWeb) -> None:
        data = b"".join(request_for(web, f"/p/{n}") for n in range(1, 6))
        answers = await exchange(web, data + request_for(web, "/p/6", more="Connection: close\r\n"))
        titles = [int(part.split(b" ")[1]) for part in answers.split(b"<title>")[1:]]
        assert titles == [1, 2, 3, 4, 5, 6]

    serving(SMALL, visit, tmp_path / "log")
    assert max(request.at_host for request in read_log(tmp_path / "log")) == 1


@pytest.mark.parametrize("data", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\0\xff\r\n\r\n"], ids=repr)
def test_bad_request_is_answered_400_and_closed(data: bytes) -> None:
    async def visit(web: SimWeb) -> bytes:
        return await exchange(web, data)

    assert serving(SMALL, visit).startswith(b"HTTP/1.1 400 ")


def test_head_without_end_is_given_up() -> None:
    async def visit(web: SimWeb) -> bytes:
        try:
            return await exchange(web, b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000)
        except ConnectionResetError:
            return b""

    assert serving(SMALL, visit) == b""


def test_log_tells_every_request_when_many_come_at_once(tmp_path: Path) -> None:
    slow = structs.replace(SMALL, roles={Role.SLOW: 1.0}, slow=0.05)

    async def visit(web: SimWeb) -> None:
        close = "Connection: close\r\n"
        sites = [web.world.site(index) for index in (1, 2, 3)]
        await asyncio.gather(
            *(
                exchange(web, request_for(web, f"/slow/{n}", site.name, close), site.address)
                for site in sites
                for n in range(1, 6)
            )
        )
        assert web.statistics().in_flight == 0

    serving(slow, visit, tmp_path / "log")
    requests = read_log(tmp_path / "log")
    assert sorted((request.host.partition(".")[0], request.path) for request in requests) == [
        (f"h000{site}", f"/slow/{n}") for site in (1, 2, 3) for n in range(1, 6)
    ]
    assert len({request.connection for request in requests}) == 15
    assert {request.agent for request in requests} == {"tester/1"}
    assert {request.status for request in requests} == {200}
    assert counted(requests) == [(request.at_host, request.at_address) for request in requests]
    assert all(request.ended is not None and request.ended - request.began >= 0.01 for request in requests)


def counted(requests: list[Request]) -> list[tuple[int, int]]:
    """Returns how many were under way at each request's host and address when it came, from begins and ends alone."""

    def under_way(one: Request, where: str) -> int:
        same = [request for request in requests if getattr(request, where) == getattr(one, where)]
        return sum(r.number <= one.number and (r.ended is None or r.ended > one.began) for r in same)

    return [(under_way(request, "host"), under_way(request, "address")) for request in requests]


def test_client_that_leaves_is_noted_as_lost(tmp_path: Path) -> None:
    slow = structs.replace(SMALL, roles={Role.SLOW: 1.0}, slow=30.0)

    async def visit(web: SimWeb) -> None:
        _, writer = await asyncio.open_connection("127.20.0.2", web.port)
        writer.write(request_for(web, "/slow/1"))
        while not web.statistics().in_flight:
            await asyncio.sleep(0)
        writer.close()
        while web.statistics().in_flight:
            await asyncio.sleep(0)

    serving(slow, visit, tmp_path / "log")
    assert [request.status for request in read_log(tmp_path / "log")] == [LOST]


def test_a_request_that_the_server_was_late_to_read_arrived_when_it_came(tmp_path: Path) -> None:
    async def visit(web: SimWeb) -> None:
        reader, writer = await asyncio.open_connection("127.20.0.2", web.port)
        writer.write(request_for(web, "/", more="Connection: close\r\n"))
        time.sleep(0.1)  # the server shares this thread: it is held up while the kernel has the request
        await reader.read()
        writer.close()

    began = time.monotonic()
    serving(SMALL, visit, tmp_path / "log")
    (request,) = read_log(tmp_path / "log")
    assert request.began - began > 0.1
    assert request.waited > 0.08
    assert request.arrived < request.began - 0.08


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_answer_is_under_way_until_it_is_taken(loop: Callable[..., None]) -> None:
    big = structs.replace(SMALL, roles={Role.BIG: 1.0}, big_bytes=20_000_000)

    async def main() -> None:
        async with SimWeb(World(big)) as web:
            reader, writer = await asyncio.open_connection("127.20.0.2", web.port, limit=1024)
            writer.write(request_for(web, "/big/1", more="Connection: close\r\n"))
            await reader.read(1)
            assert web.statistics().in_flight == 1
            while await reader.read(2**20):
                pass
            assert web.statistics().in_flight == 0
            writer.close()

    loop(main())


def test_hosts_on_one_address_are_told_apart(tmp_path: Path) -> None:
    async def visit(web: SimWeb) -> None:
        for index in (1, 2):
            site = web.world.site(index)
            await exchange(web, request_for(web, "/", site.name, "Connection: close\r\n"), site.address)

    serving(structs.replace(SMALL, hosts_per_address=8), visit, tmp_path / "log")
    requests = read_log(tmp_path / "log")
    assert [request.address for request in requests] == ["127.20.0.1", "127.20.0.1"]
    assert len({request.host for request in requests}) == 2


def test_hosts_file_has_every_name(tmp_path: Path) -> None:
    async def visit(web: SimWeb) -> None:
        web.hosts_file(tmp_path / "hosts")

    serving(SMALL, visit)
    lines = (tmp_path / "hosts").read_text().splitlines()
    assert lines[:3] == ["127.20.0.1 h0000.sim.test", "127.20.0.1 www.h0000.sim.test", "127.20.0.2 h0001.sim.test"]
    assert len(lines) == 16


def outside_address() -> str | None:
    """Returns an address of this machine that is not loopback. Nothing is sent: it asks which one would be used."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return None if address.startswith("127.") else address


async def answer_or_nothing(web: SimWeb, address: str) -> bytes:
    try:
        return await exchange(web, request_for(web, "/"), address)
    except ConnectionError:
        return b""


def test_listens_on_loopback_only() -> None:
    async def visit(web: SimWeb) -> None:
        (listener,) = (server.sockets[0] for server in web._servers)
        device = listener.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
        assert device.rstrip(b"\0") == b"lo"
        address = outside_address()
        if address is not None:
            assert await answer_or_nothing(web, address) == b""
        assert web.opened(Connection(web), "192.0.2.2") is None  # the second lock, should the kernel's not hold
        assert web.statistics().connections == 0

    serving(SMALL, visit)


def test_what_was_seen_is_told() -> None:
    async def visit(web: SimWeb) -> None:
        await exchange(web, request_for(web, "/", more="Connection: close\r\n"))
        seen = web.statistics()
        assert (seen.requests, seen.connections, seen.in_flight) == (1, 1, 0)
        assert f"port {web.port}: 1 requests" in repr(web)

    serving(SMALL, visit)
