"""The simulated web as a server: one process that plays all hosts of a world on loopback addresses, and keeps the log.

One socket listens on every address at once, tied to the loopback device by the kernel (SO_BINDTODEVICE), so nothing
from outside reaches it; a connection whose own address is not 127.0.0.0/8 is broken off besides. A socket for each
address would do as well, but a thousand hosts would need a thousand of them.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from email.utils import formatdate
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from msgspec import Struct, structs

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.connection import Connection
from skitter.simweb.log import LogWriter, Request
from skitter.simweb.wire import Head, write_answer
from skitter.simweb.world import World
from skitter.simweb.zoo import ANIMALS

if TYPE_CHECKING:  # `demo` has no certificates, and need not have what makes them
    from skitter.simweb.certificates import Tls

FLUSH_EVERY = 0.2
BACKLOG = 4096


class Statistics(Struct, frozen=True):
    """What a server has seen."""

    requests: int
    connections: int
    open: int
    in_flight: int
    refused: int


class SimWeb:
    """Serves a world on loopback while it is open: `async with SimWeb(world) as web`; with `tls` at two ports."""

    def __init__(
        self,
        world: World,
        *,
        port: int = 0,
        log: Path | None = None,
        tls: Tls | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.world = world
        self._port, self._log_path, self._tls = port, log, tls
        self.tls_port = 0
        self._clock, self._wall = clock, wall
        self._open: set[Connection] = set()
        self._at_host: Counter[str] = Counter()
        self._at_address: Counter[str] = Counter()
        self._asks: Counter[tuple[str, str]] = Counter()
        self._loose: set[asyncio.Task[None]] = set()
        self._requests = self._connections = self._refused = 0
        self._date = (0, "")

    def __repr__(self) -> str:
        seen = self.statistics()
        return f"<SimWeb {self.world!r} on port {self.port}: {seen.requests} requests, {seen.in_flight} under way>"

    async def __aenter__(self) -> Self:
        self._log = LogWriter(self._log_path)
        self._loop = asyncio.get_running_loop()
        listener = listen(self._port)
        self.world = self.world.on_port(listener.getsockname()[1])
        self._servers = [await self._loop.create_server(lambda: Connection(self), sock=listener, backlog=BACKLOG)]
        if self._tls is not None:
            await self._listen_with_tls(self._tls)
        self._flush()
        return self

    async def _listen_with_tls(self, tls: Tls) -> None:
        listener = listen(0)
        self.tls_port = listener.getsockname()[1]
        server = await self._loop.create_server(
            lambda: Connection(self), sock=listener, backlog=BACKLOG, ssl=tls.context()
        )
        self._servers.append(server)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flusher.cancel()
        for server in self._servers:
            server.close()
        for task in self._loose:
            task.cancel()
        await asyncio.gather(*self._loose, return_exceptions=True)
        for connection in list(self._open):
            connection.close()
        await asyncio.sleep(0)  # so that the lost ones are noted before the log is closed
        self._log.close()

    @property
    def port(self) -> int:
        """The port on which every host is found."""
        return self.world.settings.port

    def statistics(self) -> Statistics:
        """Returns what the server has seen so far."""
        under_way = sum(self._at_host.values())
        return Statistics(self._requests, self._connections, len(self._open), under_way, self._refused)

    def origin(self, name: str, *, tls: bool = False) -> str:
        """Returns scheme, name and port: the beginning of each URL of a host."""
        return f"https://{name}:{self.tls_port}" if tls else f"http://{name}:{self.port}"

    def seeds(self) -> list[str]:
        """Returns the URL from which all of the world can be reached."""
        return self.world.seeds()

    def hosts_file(self, path: Path) -> None:
        """Writes every name with its address, as /etc/hosts has them."""
        path.write_text("".join(f"{named.address} {named.name}\n" for named in self.world.names()), encoding="utf-8")

    def opened(self, connection: Connection, address: str) -> int | None:
        """See `connection.Desk`."""
        if not address.startswith("127."):
            self._refused += 1
            return None
        self._connections += 1
        self._open.add(connection)
        return self._connections

    def closed(self, connection: Connection) -> None:
        """See `connection.Desk`."""
        self._open.discard(connection)

    def arrived(self, connection: Connection, head: Head) -> tuple[Request, Answer]:
        """See `connection.Desk`."""
        self._requests += 1
        self._at_host[head.host] += 1
        self._at_address[connection.address] += 1
        now = self._wall()
        request = Request(
            number=self._requests,
            connection=connection.number,
            host=head.host,
            address=connection.address,
            method=head.method,
            path=head.target,
            agent=head.headers.get("user-agent", "").replace("\t", " "),
            began=self._clock(),
            began_wall=now,
            at_host=self._at_host[head.host],
            at_address=self._at_address[connection.address],
            scheme=connection.scheme,
            waited=connection.waited,
        )
        self._log.ask(request)
        return request, self._answer(request, head, now)

    def written(self, answer: Answer, head: Head) -> bytes:
        """See `connection.Desk`."""
        second = int(self._wall())
        if second != self._date[0]:
            self._date = second, formatdate(second, usegmt=True)
        return write_answer(answer, self._date[1], keeps=head.keeps, is_head=head.method == "HEAD")

    def ended(self, request: Request, status: int, size: int) -> None:
        """See `connection.Desk`."""
        at_host, at_address = self._leave(self._at_host, request.host), self._leave(self._at_address, request.address)
        request = structs.replace(request, status=status, size=size)
        self._log.end(request, self._clock(), self._wall(), at_host, at_address)

    def release(self, connection: Connection, animal: str, path: str) -> None:
        """See `connection.Desk`."""
        self._start(self._let_loose(connection, animal, path))

    def pour(self, connection: Connection, head: Head, answer: Answer) -> None:
        """See `connection.Desk`."""
        self._start(self._pour(connection, self.written(answer, head), answer))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._loose.add(task)
        task.add_done_callback(self._loose.discard)

    async def _let_loose(self, connection: Connection, animal: str, path: str) -> None:
        try:
            await ANIMALS[animal](connection, path)
        finally:
            connection.end(0)
            connection.close()

    async def _pour(self, connection: Connection, first: bytes, answer: Answer) -> None:
        is_there = await connection.write(first)
        for _ in range(1, answer.times):
            if not is_there:
                break
            is_there = await connection.write(answer.body)
        connection.end(answer.status)
        connection.close()

    def _answer(self, request: Request, head: Head, now: float) -> Answer:
        if head.method not in ("GET", "HEAD"):
            return Answer(405, (("Allow", "GET, HEAD"),))
        if (play := self.world.plays.get(head.name)) is not None:
            asks = self._asks[head.host, head.target]
            self._asks[head.host, head.target] += 1
            return play(Ask(head.name, head.target, now, asks, origin=f"{request.scheme}://{head.host}"))
        spec = self.world.spec(head.name, head.target)
        asks = 0
        if spec.failures > 0:
            asks = self._asks[head.host, head.target]
            self._asks[head.host, head.target] += 1
        headers = head.headers
        etag, modified = headers.get("if-none-match", ""), headers.get("if-modified-since", "")
        return self.world.answer_at(spec, Ask(head.name, head.target, now, asks, etag, modified))

    def _leave(self, counter: Counter[str], key: str) -> int:
        counter[key] -= 1
        left = counter[key]
        if not left:
            del counter[key]
        return left

    def _flush(self) -> None:
        self._log.flush()
        self._flusher = self._loop.call_later(FLUSH_EVERY, self._flush)


def listen(port: int) -> socket.socket:
    """Returns a socket that listens on every loopback address and on no other."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
    listener.bind(("0.0.0.0", port))  # noqa: S104 (the line above ties it to loopback)
    listener.setblocking(False)
    return listener
