"""TLS by rustls: a third of the CPU time of a handshake, a fifth of the memory of a connection, and sessions.

A session that is taken up again brings no certificate: it stands for the one that was looked at when it began. So it is
offered to that name and port only and once, and all are forgotten an hour after the first: however often a server has
renewed one, nobody goes for longer without showing a certificate.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import cast

from skitter.fetch.tls import Server, bundled

try:
    from skitter import _tls
except ImportError:  # installed without a Rust toolchain
    IS_NATIVE = False
else:
    IS_NATIVE = True

HOUR = 3600.0
MAX_SERVERS = 1000  # at one port, whose sessions are kept: 5 KB each, 32 KB if they want it so
MAX_PORTS = 2


class Rustls:
    """What connections by rustls have in common: whom they trust, and the sessions."""

    def __init__(self, pem: bytes, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._trust = _tls.Trust(pem, 0)
        self._ports: dict[int, _tls.Trust] = {}
        self._until = 0.0

    @staticmethod
    def can_meet(server: Server) -> bool:
        """Returns whether a certificate can be for that name."""
        return _tls.is_name(server.name)

    def meet(self, server: Server) -> _tls.Wire:
        """Returns our end of a new connection."""
        now = self._clock()
        if now >= self._until or (server.port not in self._ports and len(self._ports) >= MAX_PORTS):
            self._ports, self._until = {}, now + HOUR
        if server.port not in self._ports:
            self._ports[server.port] = self._trust.afresh(MAX_SERVERS)
        return self._ports[server.port].meet(server.name)


def quick() -> Rustls | None:
    """Returns what trusts the system's certificates, where rustls was built and they are in one file."""
    bundle = bundled()
    if not IS_NATIVE or bundle is None:
        return None
    try:
        return Rustls(bundle.file.read_bytes())
    except OSError:  # `ssl` looks in other places too
        return None


class Secured(asyncio.Protocol):
    """Between the event loop, for which it is a protocol, and a protocol, for which it is the transport."""

    def __init__(self, wire: _tls.Wire, inner: asyncio.Protocol) -> None:
        self._wire = wire
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._shaken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._error: Exception | None = None

    async def wait_for_handshake(self) -> None:
        """Returns when the certificate was found good; raises what went wrong."""
        try:
            await self._shaken
        except BaseException:
            self.abort()
            raise

    # What a protocol asks of its transport.

    def write(self, plain: bytes) -> None:
        self._wire.write(plain)
        self._send()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    def get_extra_info(self, name: str) -> object:
        return None if self._transport is None else self._transport.get_extra_info(name)

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        try:
            plain = self._wire.feed(data)
        except _tls.RefusedError as error:
            self._error = ssl.SSLError(ssl.SSL_ERROR_SSL, str(error))
            self.abort()
            return
        self._send()
        if not self._shaken.done() and not self._wire.is_handshaking:
            self._shaken.set_result(None)
            self._inner.connection_made(cast(asyncio.Transport, self))
        if plain:
            self._inner.data_received(plain)
        if self._wire.is_over:
            self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        error = self._error or error
        if self._shaken.done():
            self._inner.connection_lost(error)
            return
        self._shaken.set_exception(error or ConnectionResetError("closed during the handshake"))
        self._shaken.exception()  # whoever dialled may be gone: then nobody has to know

    def _send(self) -> None:
        if self._transport is not None and (encrypted := self._wire.outgoing()):
            self._transport.write(encrypted)
