"""A server on loopback that sends exactly the bytes it is told to, when it is told to: one animal of the zoo each."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from types import TracebackType


class Peer:
    """The server's side of one connection."""

    def __init__(self, server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = server.connections
        self._server = server
        self._reader = reader
        self._writer = writer

    @property
    def has_resumed(self) -> bool:
        """Whether the client has taken up an earlier session."""
        return bool(self._writer.get_extra_info("ssl_object").session_reused)

    async def request(self) -> bytes:
        """Returns the next request as received."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        self._server.requests.append(head)
        return head

    async def send(self, *pieces: bytes, pause: float = 0.0) -> None:
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()
            if pause:
                await asyncio.sleep(pause)

    async def stay(self) -> None:
        """Waits until the other side closes."""
        while await self._reader.read(1024):
            pass

    async def join(self, port: int) -> None:
        """Hands everything on to another server, and back, until one of the two sides closes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        ways = [asyncio.create_task(_hand_on(*way)) for way in ((self._reader, writer), (reader, self._writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.transport.abort()

    def hang_up(self) -> None:
        """Sends a FIN at once, without waiting for the event loop."""
        sock = self._writer.get_extra_info("socket")
        with socket.fromfd(sock.fileno(), sock.family, sock.type) as same:
            same.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Closes with a RST instead of a FIN."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while some := await reader.read(2**16):
        writer.write(some)
        await writer.drain()


Animal = Callable[[Peer], Awaitable[None]]


class RawServer:
    """Plays `animal` on every connection, then closes it."""

    def __init__(
        self, animal: Animal, context: ssl.SSLContext | None = None, address: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.open = 0
        self.port = port
        self._animal = animal
        self._context = context
        self._address = address
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> RawServer:
        self._server = await asyncio.start_server(self._serve, self._address, self.port, ssl=self._context, limit=2**21)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        self.open += 1
        try:
            await self._animal(Peer(self, reader, writer))
            writer.close()
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            writer.transport.abort()
        finally:
            self.open -= 1
            self._tasks.discard(task)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()
        await asyncio.sleep(0)


def says(*pieces: bytes, pause: float = 0.0, then: str = "close") -> Animal:
    """Returns an animal that answers the first request with `pieces`, then closes, resets or stays."""

    async def animal(peer: Peer) -> None:
        await peer.request()
        await peer.send(*pieces, pause=pause)
        if then == "stay":
            await peer.stay()
        elif then == "reset":
            peer.reset()

    return animal


def repeats(reply: bytes) -> Animal:
    """Returns an animal that answers every request on a connection with `reply`."""

    async def animal(peer: Peer) -> None:
        while True:
            await peer.request()
            await peer.send(reply)

    return animal
