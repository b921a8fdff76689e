"""A server for every address of 127.0.0.0/8 at once, which knows no page: 404. Prints its port, then when it was asked.

Bound to the loopback device, so that nobody else can reach it. Times are of the machine's steady clock, one a line.
"""

from __future__ import annotations

import asyncio
import socket
import time

ANSWER = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


class Asked(asyncio.Protocol):
    """One connection; our crawler sends one request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remembers where to answer."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answers at the end of a request."""
        if data.endswith(b"\r\n\r\n"):
            print(time.monotonic(), flush=True)
            self._transport.write(ANSWER)


async def serve() -> None:
    """Serves until it is ended."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
    listening.bind(("0.0.0.0", 0))  # noqa: S104 (the device is the loopback)
    server = await asyncio.get_running_loop().create_server(Asked, sock=listening, backlog=4096)
    print(listening.getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
