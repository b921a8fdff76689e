"""One connection to the simulated web: requests in, answers out, one after the other."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Protocol, cast

from skitter.simweb.answer import Answer, Ending
from skitter.simweb.log import LOST, Request
from skitter.simweb.wire import MAX_HEAD, Head, read_head

TLS_HELLO = b"\x16\x03"
"""How the first message of TLS begins: someone takes our plain port for a secure one."""
_LINGER_NOT = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 s: closing sends a reset
_TCP_INFO = getattr(socket, "TCP_INFO", None)
_LAST_DATA_RECEIVED = struct.Struct("=52xI")  # of Linux's struct tcp_info: milliseconds since bytes came


class Desk(Protocol):
    """Whom a connection asks, and tells."""

    def opened(self, connection: Connection, address: str) -> int | None:
        """Notes a new connection and returns its number, or None if it is not welcome."""
        ...

    def closed(self, connection: Connection) -> None:
        """Notes that a connection is gone."""
        ...

    def arrived(self, connection: Connection, head: Head) -> tuple[Request, Answer]:
        """Notes a request and returns it with its answer."""
        ...

    def written(self, answer: Answer, head: Head) -> bytes:
        """Returns the answer as bytes."""
        ...

    def ended(self, request: Request, status: int, size: int) -> None:
        """Notes that a request was answered."""
        ...

    def release(self, connection: Connection, animal: str, path: str) -> None:
        """Lets an animal of the zoo loose on a connection; it ends the request and the connection."""
        ...

    def pour(self, connection: Connection, head: Head, answer: Answer) -> None:
        """Sends an answer that is too long to be held; then the connection is closed."""
        ...


class Connection(asyncio.Protocol):
    """A client's connection. It has at most one request under way; the next waits for the answer."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._buffer = b""
        self._busy: Request | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._sent: tuple[Head, int, int] | None = None  # an answer that the kernel has not taken in whole yet
        self._writable = asyncio.Event()
        self._taken = 0
        self.number = 0
        self.address = ""
        self.scheme = "http"
        self.is_lost = False
        self.waited = 0.0  # how long the last bytes were with the kernel

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.address = transport.get_extra_info("sockname")[0]
        self._writable.set()
        is_secure = transport.get_extra_info("sslcontext") is not None
        self.scheme = "https" if is_secure else "http"
        # So that `resume_writing` means: the kernel has it all. With TLS, asyncio takes 0 as "paused for ever".
        self._transport.set_write_buffer_limits(high=1 if is_secure else 0)
        number = self._desk.opened(self, self.address)
        if number is None:
            self._transport.abort()
        else:
            self.number = number

    def data_received(self, data: bytes) -> None:
        self.waited = _since_arrival(self._transport.get_extra_info("socket"))
        self._buffer += data
        if self._busy is None:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        self.is_lost = True
        self._writable.set()
        if self._timer is not None:
            self._timer.cancel()
        self.end(LOST)
        self._desk.closed(self)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()
        if self._sent is not None:
            self._finish(*self._sent)

    async def write(self, data: bytes) -> bool:
        """Sends bytes as fast as they are taken; False if nobody is there any more."""
        if not self.is_lost:
            self._transport.write(data)
            await self._writable.wait()
            self._taken += 0 if self.is_lost else len(data)
        return not self.is_lost

    def close(self) -> None:
        """Closes in order, once all that was written is sent."""
        self._transport.close()

    def reset(self) -> None:
        """Breaks the connection off."""
        raw = self._transport.get_extra_info("socket")
        if raw is not None and not self.is_lost:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._transport.abort()

    def end(self, status: int, size: int | None = None) -> None:
        """Notes that the request under way, if there is one, was answered. `size` is what `write` sent if not given."""
        if self._busy is not None:
            request, self._busy = self._busy, None
            self._desk.ended(request, status, self._taken if size is None else size)
            self._taken = 0

    def _next(self) -> None:
        text, end, rest = self._buffer.partition(b"\r\n\r\n")
        if not end and not text.startswith(TLS_HELLO):  # that one never ends, and is told at once, as by other servers
            if len(text) > MAX_HEAD:
                self._transport.abort()
            return
        self._buffer = rest
        head = read_head(text)
        if head is None:
            self._transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self._transport.close()
            return
        self._busy, answer = self._desk.arrived(self, head)
        if answer.animal:
            self._desk.release(self, answer.animal, head.target)
        elif answer.delay:
            self._timer = asyncio.get_running_loop().call_later(answer.delay, self._send, head, answer)
        else:
            self._send(head, answer)

    def _send(self, head: Head, answer: Answer) -> None:
        self._timer = None
        if answer.ending is Ending.RESET:
            self.end(answer.status)
            self.reset()
            return
        if answer.times > 1:
            self._desk.pour(self, head, answer)
            return
        data = self._desk.written(answer, head)
        self._transport.write(data)
        if self._writable.is_set():
            self._finish(head, answer.status, len(data))
        else:
            self._sent = head, answer.status, len(data)

    def _finish(self, head: Head, status: int, size: int) -> None:
        self._sent = None
        self.end(status, size)
        if not head.keeps:
            self._transport.close()
        elif self._buffer:
            # Not from here: a client that sends many requests at once would make us as deep as there are requests.
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        if self._busy is None and not self.is_lost:
            self._next()


def _since_arrival(raw: socket.socket | None) -> float:
    """Returns how long ago bytes last came, by the kernel; 0 where it does not tell."""
    if raw is None or _TCP_INFO is None:
        return 0.0
    told = raw.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LAST_DATA_RECEIVED.size)
    return float(_LAST_DATA_RECEIVED.unpack(told)[0]) / 1000 if len(told) == _LAST_DATA_RECEIVED.size else 0.0
