"""A bare HTTP client on httptools: one connection, one GET at a time, and nothing that can be left out."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from functools import cache
from urllib.parse import urlsplit

import httptools

_context = cache(ssl.create_default_context)


class Wire(asyncio.Protocol):
    """A kept connection to one host."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._name, self._port = parts.hostname or "", parts.port or 80
        self._ssl = _context() if parts.scheme == "https" else None
        self._head = f" HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\nUser-Agent: bare\r\n\r\n".encode()
        self._start = len(f"{parts.scheme}://{parts.netloc}")
        self._transport: asyncio.Transport | None = None

    async def get(self, url: str) -> bytes:
        """Returns the body."""
        if self._transport is None or self._transport.is_closing():
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.create_connection(lambda: self, self._name, self._port, ssl=self._ssl)
        self._parser, self._pieces, self._packed = httptools.HttpResponseParser(self), [], False
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport.write(b"GET " + url[self._start :].encode() + self._head)
        await self._done
        body = b"".join(self._pieces)
        return zlib.decompress(body, 31) if self._packed else body

    def close(self) -> None:
        """Hangs up."""
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(error or ConnectionError("closed"))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._packed |= name == b"Content-Encoding" and value == b"gzip"

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        self._done.set_result(None)
