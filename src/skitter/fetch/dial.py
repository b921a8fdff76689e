"""New connections, each to the very address that the guard was asked about."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import cached_property

from skitter.fetch.connection import Connection, Place
from skitter.fetch.failures import failure_of, raise_if_ours
from skitter.messages import Failure, Kind
from skitter.settings import FetchSettings

Refusal = Callable[[str], str | None]


class Dialler:
    """Opens connections, with certificates verified by the system's own store."""

    def __init__(self, settings: FetchSettings, refusal: Refusal, window: float) -> None:
        self._settings = settings
        self._refusal = refusal
        self._window = window
        self.opened = 0

    # Reading the system's certificates takes tens of milliseconds, so it waits for the first https URL.
    @cached_property
    def _verified(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    @cached_property
    def _unverified(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def dial(self, place: Place, deadline: float) -> Connection | Failure:
        """Returns an open connection to `place`, made before `deadline` and within the time for connecting."""
        refusal = self._refusal(place.address)
        if refusal is not None:
            return Failure(Kind.ADDRESS_REFUSED, f"{place.address}: {refusal}")
        deadline = min(deadline, asyncio.get_running_loop().time() + self._settings.connect_timeout)
        if place.scheme == "http":
            return await self._connect(place, None, deadline)
        if not _is_server_name(place.hostname):
            return Failure(Kind.TLS_FAILED, "a name that no certificate can have")
        connection = await self._connect(place, self._verified, deadline)
        if self._settings.insecure and isinstance(connection, Failure) and connection.kind is Kind.BAD_CERTIFICATE:
            connection = await self._connect(place, self._unverified, deadline)
            if isinstance(connection, Connection):
                connection.insecure = True
        return connection

    async def _connect(self, place: Place, context: ssl.SSLContext | None, deadline: float) -> Connection | Failure:
        # A server name has no final dot (RFC 6066, 3).
        name = place.hostname.removesuffix(".") if context is not None else None
        try:
            async with asyncio.timeout_at(deadline):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: Connection(place, self._settings, self._window),
                    place.address,
                    place.port,
                    ssl=context,
                    server_hostname=name,
                    ssl_handshake_timeout=None if context is None else self._settings.connect_timeout + 1,
                    flags=socket.AI_NUMERICHOST,
                )
        except TimeoutError:
            return Failure(Kind.CONNECT_TIMEOUT, place.address)
        except (OSError, ValueError) as error:
            raise_if_ours(error)
            failure = failure_of(error)
            return Failure(failure.kind, f"{place.address}: {failure.detail}")
        self.opened += 1
        return connection


def _is_server_name(name: str) -> bool:
    """Returns whether `ssl` takes `name`; it would say so only after connecting, and leave the socket open."""
    try:
        return bool(name.removesuffix(".").encode("idna"))
    except UnicodeError:
        return False
