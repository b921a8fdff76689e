"""Questions to name servers: one of them is asked, and if it can't say, another, within the time for all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from skitter.dns.health import Health, after, order
from skitter.dns.plain import PlainServer, system_servers
from skitter.dns.replies import NO_ANSWER, Reply, Said, Server
from skitter.dns.servers import checked_servers, is_https

MOST = 3
"""Servers that are asked the same. Where three can't say, a fourth hardly can."""


class Questions:
    """Asks `servers` (none: the system's own), waiting at most `timeout` for each answer, however many are asked."""

    def __init__(self, servers: tuple[str, ...], timeout: float) -> None:
        self._names = checked_servers(servers)
        self._timeout = timeout
        self._servers: list[Server] = [_server(name, timeout) for name in self._names]
        self._healths = [Health()] * len(self._servers)
        self._turn = 0
        self.unanswered = 0

    async def open(self) -> None:
        """Makes the servers ready to be asked. MachineError if the machine refuses that."""
        if not self._servers:
            names = await system_servers()
            self._servers = [_server(name, self._timeout) for name in names]
            self._healths = [Health()] * len(self._servers)
        for server in self._servers:
            server.open()

    async def ask(self, name: str, kind: str) -> Reply:
        """Returns what the servers say about the records of `kind` (A or AAAA) of `name`."""
        clock = asyncio.get_running_loop().time
        until, reply = clock() + self._timeout, NO_ANSWER
        self._turn += 1
        places = order(self._healths, self._turn, clock())[:MOST] if self._servers else []
        for left, place in zip(range(len(places), 0, -1), places, strict=True):
            reply = await self._ask(place, name, kind, _share(until - clock(), left), clock)
            if reply.said not in (Said.FAILED, Said.NOTHING):
                return reply
        return reply

    async def _ask(self, place: int, name: str, kind: str, timeout: float, clock: Callable[[], float]) -> Reply:
        reply = await self._servers[place].ask(name, kind, timeout)
        is_answered = reply.said is not Said.NOTHING
        self.unanswered += not is_answered
        self._healths[place] = after(self._healths[place], is_answered=is_answered, now=clock())
        return reply

    def down(self) -> Sequence[str]:
        """Returns the servers that count as down."""
        now = asyncio.get_running_loop().time()
        return [one.address for one, health in zip(self._servers, self._healths, strict=True) if health.is_down(now)]

    async def close(self) -> None:
        """Gives up the questions that are under way."""
        for server in self._servers:
            await server.close()


def _server(name: str, timeout: float) -> Server:
    if not is_https(name):
        return PlainServer(name, timeout)
    # Here and not above: nearly nobody asks over HTTPS, and the library for it is large.
    from skitter.dns.https import HttpsServer

    return HttpsServer(name)


def _share(left: float, servers: int) -> float:
    """Returns how long to wait for one of the servers that are left to be asked: the last has all the time there is."""
    return max(0.0, left if servers == 1 else left / 2)
