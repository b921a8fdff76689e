"""A name server that is asked over HTTPS, and can misbehave."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Self

from skitter.simweb.certificates import Tls
from skitter.simweb.nameserver import NameServer, Record

GARBAGE = b"\xff" * 40


class HttpsNameServer:
    """Answers as `NameServer` does from the same table; `wrong` says what is wrong with its answers."""

    def __init__(self, table: Mapping[str, Record], tls: Tls, *, wrong: str = "") -> None:
        self.names = NameServer(dict(table))
        self.connections = 0
        self._tls = tls
        self._wrong = wrong
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls.context())
        self.address = f"https://localhost:{self._server.sockets[0].getsockname()[1]}/dns-query"
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while self._wrong != "closed":
                    head = await reader.readuntil(b"\r\n\r\n")
                    assert head.startswith(b"POST /dns-query HTTP/1.1\r\n")
                    size = next(
                        int(line[15:]) for line in head.lower().splitlines() if line.startswith(b"content-length")
                    )
                    answer = await self.names._answer(await reader.readexactly(size))
                    writer.write(self._answered(answer or b""))
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    def _answered(self, message: bytes) -> bytes:
        status = b"500 No" if self._wrong == "500" else b"200 OK"
        kind = b"text/html" if self._wrong == "html" else b"application/dns-message"
        bodies = {"cut": message[:-3], "garbage": GARBAGE, "huge": message + bytes(70_000)}
        body = bodies.get(self._wrong, message)
        return b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (status, kind, len(body), body)
