"""A name server asked in the plain way, by UDP and TCP.

The one place that knows aiodns, its errors and the cache of the C library below it.
"""

from __future__ import annotations

import asyncio
import math

import aiodns
import pycares
from aiodns.error import ARES_EBADNAME, ARES_ENODATA, ARES_ENOTFOUND, ARES_ESERVFAIL, DNSError

from skitter.dns.replies import NO_ANSWER, Reply, Said
from skitter.errors import MachineError

# c-ares keeps every answer for its TTL, up to an hour, without a limit on their number, and pycares has no switch
# for that. A new channel begins with an empty cache: so memory stays bounded and `dns.max_ttl` keeps its meaning.
_CHANNEL_QUESTIONS = 10_000
_CHANNEL_SECONDS = 60.0
_TRIES = 2

_SAID = {
    ARES_ENOTFOUND: Said.UNKNOWN,
    ARES_ENODATA: Said.EMPTY,
    ARES_EBADNAME: Said.UNKNOWN,
    ARES_ESERVFAIL: Said.FAILED,
}


class PlainServer:
    """The server at `address`; `timeout` is the longest that anybody waits for its answer."""

    def __init__(self, address: str, timeout: float) -> None:
        self.address = address
        self._timeout = timeout
        self._channel: aiodns.DNSResolver | None = None
        self._born = -math.inf
        self._asked = 0

    async def ask(self, name: str, kind: str, timeout: float) -> Reply:
        """Returns what the server says about the records of `kind` (A or AAAA) of `name`, within `timeout`."""
        # The local name keeps the channel alive until this answer is in, though it may be replaced meanwhile.
        channel = self.open()
        self._asked += 1
        try:
            async with asyncio.timeout(timeout):
                return _reply(await channel.query_dns(name, kind))
        except DNSError as error:
            return Reply(_SAID.get(error.args[0], Said.NOTHING), detail=str(error.args[-1]))
        except TimeoutError:
            return NO_ANSWER

    def open(self) -> aiodns.DNSResolver:
        """Returns the channel to ask on, a new one if the last has served its time."""
        now = asyncio.get_running_loop().time()
        if self._asked >= _CHANNEL_QUESTIONS or now - self._born >= _CHANNEL_SECONDS or self._channel is None:
            self._channel = _channel((self.address,), self._timeout)
            self._born, self._asked = now, 0
        return self._channel

    async def close(self) -> None:
        """Gives up the questions that are under way."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()


async def system_servers() -> tuple[str, ...]:
    """Returns the servers that the system asks."""
    channel = _channel(None, 1.0)
    try:
        return tuple(channel.nameservers)
    finally:
        await channel.close()


def _channel(servers: tuple[str, ...] | None, timeout: float) -> aiodns.DNSResolver:
    # No search domains: a name in a URL is complete.
    loop = asyncio.get_running_loop()
    try:
        return aiodns.DNSResolver(servers, loop, timeout=timeout / _TRIES, tries=_TRIES)
    except pycares.AresError as error:
        remedy = "Look at the limits of open files and threads"
        raise MachineError("open a channel to the name servers", str(error.args[-1]), remedy) from error


def _reply(result: pycares.DNSResult) -> Reply:
    addresses = tuple(
        record.data.addr
        for record in result.answer
        if isinstance(record.data, pycares.ARecordData | pycares.AAAARecordData)
    )
    if not addresses:  # aliases that lead nowhere, or in a circle
        return Reply(Said.EMPTY, detail="no address")
    return Reply(Said.FOUND, addresses, min(record.ttl for record in result.answer))
