"""Addresses for a name: from a literal, the hosts file, the cache, the other nodes of the machine, or the name servers.

A name is asked for once at a time: whoever wants it meanwhile waits for the same answer. While no server can say, an
answer that has ended is used for up to `dns.stale` (RFC 8767). Which of the addresses may be connected to is not
decided here, but by the guard.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import re
from collections.abc import Callable
from functools import lru_cache
from types import TracebackType

from skitter.dns.cache import Cache
from skitter.dns.hosts import read_hosts
from skitter.dns.questions import Questions
from skitter.dns.replies import Reply, Said
from skitter.dns.shared import Known, SharedAnswers
from skitter.messages import Failure, Kind
from skitter.ports import Resolution, Resolved, ResolverStatistics
from skitter.settings import DnsSettings

MAX_ADDRESSES = 16
# A failure is asked about again soon, since name servers recover soon; but not for every URL of the host.
FAILED_TTL = 30.0
# How long a name that has IPv4 addresses waits for its IPv6 ones: some servers never answer for those.
PATIENCE = 1.0

_REMEMBERED = 16_384
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
_LOCALHOST = Resolved(("127.0.0.1",), math.inf)
_NO_NAME = Failure(Kind.DNS_UNKNOWN, "not a host name")


class Resolver:
    """Resolves names. Close it, or use it in `async with`: it owns the questions under way."""

    def __init__(self, settings: DnsSettings, clock: Callable[[], float], shared: SharedAnswers | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._shared = shared
        self._hosts = read_hosts(settings.hosts_file)
        self._cache = Cache(settings.cache_size)
        self._questions = Questions(settings.servers, settings.timeout)
        self._in_flight: dict[str, asyncio.Task[Resolution]] = {}
        self._asked = self._hits = self._joined = self._unknown = self._failed = self._told = self._stale = 0

    async def resolve(self, name: str) -> Resolution:
        """Returns the addresses of `name`, or why there are none."""
        known = self.resolve_nowait(name)
        if known is not None:
            return known
        name = _plain(name)
        told = self._told_by_others(name)
        if told is not None:
            return told
        task = self._in_flight.get(name)
        if task is None:
            task = self._in_flight[name] = asyncio.create_task(self._learn(name), name=f"dns {name}")
            task.add_done_callback(lambda _: self._in_flight.pop(name))
        else:
            self._joined += 1
        # A waiter that is cancelled leaves; the question goes on for the others, and for the cache.
        return await asyncio.shield(task)

    def resolve_nowait(self, name: str) -> Resolution | None:
        """Returns what is known of `name` without asking anybody; None: it has to be asked for."""
        cached = self._cache.get(name, self._clock())
        if cached is not None:
            self._hits += 1
            return cached
        plain = _plain(name)
        if plain != name:
            return self.resolve_nowait(plain)
        return self._given(name)

    def _given(self, name: str) -> Resolution | None:
        """Returns the answer that needs no name server, if there is one."""
        literal = _literal(name)
        if literal is not None:
            return Resolved((literal,), math.inf)
        if name in self._hosts:
            return Resolved(self._hosts[name][:MAX_ADDRESSES], math.inf)
        if name == "localhost" or name.endswith(".localhost"):  # RFC 6761, 6.3
            return _LOCALHOST
        return None if _NAME.fullmatch(name) else _NO_NAME

    def _told_by_others(self, name: str) -> Resolved | None:
        known, now = self._shared.get(name) if self._shared is not None else None, self._clock()
        if known is None or not known.since <= now < known.until:
            return None
        self._told += 1
        answer = Resolved(known.addresses, known.until)
        self._cache.put(name, answer, now, known.until)
        return answer

    async def _learn(self, name: str) -> Resolution:
        self._asked += 1
        replies = await self._ask_both(name)
        now = self._clock()
        answer, ttl = judge(replies, now, self._settings)
        if isinstance(answer, Resolved) and self._shared is not None:
            self._shared.put(name, Known(answer.addresses, now, answer.expires))
        if isinstance(answer, Failure):
            self._unknown += answer.kind is Kind.DNS_UNKNOWN
            self._failed += answer.kind is Kind.DNS_FAILED
            if answer.kind is Kind.DNS_FAILED:
                answer = self._expired(name, now) or answer
        self._cache.put(name, answer, now, now + ttl)
        return answer

    def _expired(self, name: str, now: float) -> Resolved | None:
        """Returns the answer that has ended, if it did not do so too long ago."""
        answer = self._cache.expired(name)
        known = self._shared.get(name) if self._shared is not None else None
        if known is not None and (answer is None or known.until > answer.expires):
            answer = Resolved(known.addresses, known.until)
        if answer is None or now >= answer.expires + self._settings.stale:
            return None
        self._stale += 1
        return answer

    async def _ask_both(self, name: str) -> list[Reply]:
        """Returns the replies for IPv4, then IPv6; the latter is not waited for without need."""
        await self._questions.open()  # what the machine refuses shall not come out of a task group
        async with asyncio.TaskGroup() as group:
            second = group.create_task(self._questions.ask(name, "AAAA"))
            first = await self._questions.ask(name, "A")
            if first.said is Said.FOUND:
                await asyncio.wait([second], timeout=PATIENCE)
                if not second.done():
                    second.cancel()
                    return [first]
        return [first, second.result()]

    def statistics(self) -> ResolverStatistics:
        """Returns what was counted so far."""
        return ResolverStatistics(
            asked=self._asked,
            hits=self._hits,
            joined=self._joined,
            unknown=self._unknown,
            failed=self._failed,
            kept=len(self._cache),
            in_flight=len(self._in_flight),
            told=self._told,
            stale=self._stale,
            unanswered=self._questions.unanswered,
        )

    async def close(self) -> None:
        """Gives up what is under way: whoever waits for it is cancelled."""
        tasks = list(self._in_flight.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._questions.close()
        if self._shared is not None:
            await self._shared.close()

    async def __aenter__(self) -> Resolver:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Resolver: {len(self._cache)} names kept, {len(self._in_flight)} being asked for>"


def judge(replies: list[Reply], now: float, settings: DnsSettings) -> tuple[Resolution, float]:
    """Returns the answer that `replies` make together, and for how long it holds."""
    found = [reply for reply in replies if reply.said is Said.FOUND]
    if found:
        addresses = tuple(address for reply in found for address in reply.addresses)[:MAX_ADDRESSES]
        ttl = min(max(min(reply.ttl for reply in found), settings.min_ttl), settings.max_ttl)
        return Resolved(addresses, now + ttl), ttl
    unknown = [reply for reply in replies if reply.said is Said.UNKNOWN]
    failed = [reply for reply in replies if reply.said in (Said.FAILED, Said.NOTHING)]
    if failed and not unknown:
        return Failure(Kind.DNS_FAILED, failed[0].detail), min(FAILED_TTL, settings.negative_ttl)
    return Failure(Kind.DNS_UNKNOWN, (unknown or replies)[0].detail), settings.negative_ttl


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")


@lru_cache(maxsize=_REMEMBERED)
def _literal(name: str) -> str | None:
    try:
        return str(ipaddress.ip_address(name.removeprefix("[").removesuffix("]")))
    except ValueError:
        return None
