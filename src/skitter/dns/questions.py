"""Questions to name servers: the one place that knows aiodns, its errors and the cache of the C library below it."""

from __future__ import annotations

import asyncio
import math
from enum import Enum
from typing import NamedTuple

import aiodns
import pycares
from aiodns.error import ARES_EBADNAME, ARES_ENODATA, ARES_ENOTFOUND, DNSError

from skitter.dns.servers import checked_servers
from skitter.errors import MachineError

# c-ares keeps every answer for its TTL, up to an hour, without a limit on their number, and pycares has no switch
# for that. A new channel begins with an empty cache: so memory stays bounded and `dns.max_ttl` keeps its meaning.
_CHANNEL_QUESTIONS = 10_000
_CHANNEL_SECONDS = 60.0
_TRIES = 2


class Said(Enum):
    """What the answer to a question amounts to."""

    FOUND = "found"
    EMPTY = "empty"  # the name exists, but not with this type
    UNKNOWN = "unknown"  # the name does not exist
    FAILED = "failed"  # nobody could say


class Reply(NamedTuple):
    """The answer to one question; `ttl` is the shortest on the way to the addresses."""

    said: Said
    addresses: tuple[str, ...] = ()
    ttl: float = 0.0
    detail: str = ""


_SAID = {ARES_ENOTFOUND: Said.UNKNOWN, ARES_ENODATA: Said.EMPTY, ARES_EBADNAME: Said.UNKNOWN}
_UNANSWERED = Reply(Said.FAILED, detail="no answer in time")


class Questions:
    """Asks `servers` (none: the system's own), waiting at most `timeout` for each answer."""

    def __init__(self, servers: tuple[str, ...], timeout: float) -> None:
        self._servers = checked_servers(servers)
        self._timeout = timeout
        self._channel: aiodns.DNSResolver | None = None
        self._born = -math.inf
        self._asked = 0

    async def ask(self, name: str, kind: str) -> Reply:
        """Returns what the servers say about the records of `kind` (A or AAAA) of `name`."""
        # The local name keeps the channel alive until this answer is in, though it may be replaced meanwhile.
        channel = self.open()
        try:
            async with asyncio.timeout(self._timeout):
                return _reply(await channel.query_dns(name, kind))
        except DNSError as error:
            return Reply(_SAID.get(error.args[0], Said.FAILED), detail=str(error.args[-1]))
        except TimeoutError:
            return _UNANSWERED

    def open(self) -> aiodns.DNSResolver:
        """Returns the channel to ask on, a new one if the last has served its time."""
        now = asyncio.get_running_loop().time()
        if self._asked >= _CHANNEL_QUESTIONS or now - self._born >= _CHANNEL_SECONDS or self._channel is None:
            self._channel = self._opened()
            self._born, self._asked = now, 0
        self._asked += 1
        return self._channel

    def _opened(self) -> aiodns.DNSResolver:
        # No search domains: a name in a URL is complete.
        loop = asyncio.get_running_loop()
        try:
            return aiodns.DNSResolver(self._servers or None, loop, timeout=self._timeout / _TRIES, tries=_TRIES)
        except pycares.AresError as error:
            remedy = "Look at the limits of open files and threads"
            raise MachineError("open a channel to the name servers", str(error.args[-1]), remedy) from error

    async def close(self) -> None:
        """Gives up the questions that are under way."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()


def _reply(result: pycares.DNSResult) -> Reply:
    addresses = tuple(
        record.data.addr
        for record in result.answer
        if isinstance(record.data, pycares.ARecordData | pycares.AAAARecordData)
    )
    if not addresses:  # aliases that lead nowhere, or in a circle
        return Reply(Said.EMPTY, detail="no address")
    return Reply(Said.FOUND, addresses, min(record.ttl for record in result.answer))
