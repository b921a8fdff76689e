"""New connections, each to the very address that the guard was asked about."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any

from skitter.fetch.connection import Connection, Endpoint
from skitter.fetch.failures import failure_of, raise_if_ours
from skitter.fetch.rustls import Rustls, Secured, quick
from skitter.fetch.tls import Remembered, Server, trusting, verifying
from skitter.messages import Failure, Kind
from skitter.settings import FetchSettings

if TYPE_CHECKING:
    from skitter._tls import Wire

Refusal = Callable[[str], str | None]

MAX_REMEMBERED = 10_000  # servers, some 250 bytes each
HOUR = 3600.0
# What a server does that has no cipher in common with us: it says so, or closes without a word.
_NOT_FOR_RUSTLS = (Kind.TLS_FAILED, Kind.RESET)


class Dialler:
    """Opens connections, with certificates verified by the system's own store."""

    def __init__(self, settings: FetchSettings, refusal: Refusal, window: float, *, remember: float = HOUR) -> None:
        self._settings = settings
        self._refusal = refusal
        self._window = window
        self._odd = Remembered(MAX_REMEMBERED, remember)  # rustls does not get along with them
        self._bad = Remembered(MAX_REMEMBERED, remember)  # their certificates are not in order
        self.opened = 0

    @cached_property
    def _quick(self) -> Rustls | None:
        return quick()

    # Reading the system's certificates takes OpenSSL 70 ms, so it waits for the first server that needs it.
    @cached_property
    def _verifying(self) -> ssl.SSLContext:
        return verifying()

    @cached_property
    def _trusting(self) -> ssl.SSLContext:
        return trusting()

    async def dial(self, place: Endpoint, deadline: float) -> Connection | Failure:
        """Returns an open connection to `place`, made before `deadline` and within the time for connecting."""
        refusal = self._refusal(place.address)
        if refusal is not None:
            return Failure(Kind.ADDRESS_REFUSED, f"{place.address}: {refusal}")
        deadline = min(deadline, asyncio.get_running_loop().time() + self._settings.connect_timeout)
        if place.scheme == "http":
            return await self._connect(place, deadline)
        if not _is_server_name(place.hostname):
            return Failure(Kind.TLS_FAILED, "a name that no certificate can have")
        # A server name has no final dot (RFC 6066, 3).
        server = Server(place.hostname.removesuffix("."), place.port)
        return await self._secure(place, server, deadline)

    async def _secure(self, place: Endpoint, server: Server, deadline: float) -> Connection | Failure:
        """Tries what is cheapest first. Python's `ssl` has the last word on who is refused, and is slower."""
        now = asyncio.get_running_loop().time()
        is_bad, is_odd = self._bad.has(server, now), self._odd.has(server, now)
        if self._quick is not None and not is_bad and not is_odd and self._quick.can_meet(server):
            connection = await self._connect_quickly(place, deadline, self._quick.meet(server))
            if not _has_failed(connection, *_NOT_FOR_RUSTLS):
                return connection
            self._odd.add(server, now)
        if not is_bad:
            connection = await self._connect(place, deadline, self._verifying, server.name)
            if not self._settings.insecure or not _has_failed(connection, Kind.BAD_CERTIFICATE):
                return connection
            self._bad.add(server, now)
        # A certificate that was mended meanwhile is not seen before the bad one is forgotten. Its pages stay marked,
        # which says no more than that nobody has looked.
        connection = await self._connect(place, deadline, self._trusting, server.name)
        if isinstance(connection, Connection):
            connection.insecure = True
        return connection

    async def _connect(
        self, place: Endpoint, deadline: float, context: ssl.SSLContext | None = None, name: str | None = None
    ) -> Connection | Failure:
        async def opening() -> Connection:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(place, self._settings, self._window),
                place.address,
                place.port,
                ssl=context,
                server_hostname=name,
                ssl_handshake_timeout=None if context is None else self._settings.connect_timeout + 1,
                flags=socket.AI_NUMERICHOST,
            )
            return connection

        return await self._opened(place, deadline, opening())

    async def _connect_quickly(self, place: Endpoint, deadline: float, wire: Wire) -> Connection | Failure:
        async def opening() -> Connection:
            connection = Connection(place, self._settings, self._window)
            _, secured = await asyncio.get_running_loop().create_connection(
                lambda: Secured(wire, connection), place.address, place.port, flags=socket.AI_NUMERICHOST
            )
            await secured.wait_for_handshake()
            return connection

        return await self._opened(place, deadline, opening())

    async def _opened(
        self, place: Endpoint, deadline: float, connecting: Coroutine[Any, Any, Connection]
    ) -> Connection | Failure:
        try:
            async with asyncio.timeout_at(deadline):
                connection = await connecting
        except TimeoutError:
            return Failure(Kind.CONNECT_TIMEOUT, place.address)
        except (OSError, ValueError) as error:
            raise_if_ours(error)
            failure = failure_of(error)
            return Failure(failure.kind, f"{place.address}: {failure.detail}")
        self.opened += 1
        return connection


def _has_failed(outcome: Connection | Failure, *kinds: Kind) -> bool:
    return isinstance(outcome, Failure) and outcome.kind in kinds


def _is_server_name(name: str) -> bool:
    """Returns whether `ssl` takes `name`; it would say so only after connecting, and leave the socket open."""
    try:
        return bool(name.removesuffix(".").encode("idna"))
    except UnicodeError:
        return False
