"""What nodes of a fleet ask each other, through the topic `links`: may we have one of your hosts, for one request?

So the robots.txt of a host is read that leads to a host of another node. The owner of that host takes it out of its
queue, has its log say so, and answers. Whoever asked may then use it for less than a lease from when it **asked**:

    asked ≤ written(that it is taken out) < written(take) ≤ heard(take)

so that an owner who comes meanwhile, and waits for a lease, does not begin before that is over. No clocks are compared:
when the request was made, the owner takes to be when it heard of its end.

Whoever asks may not have heard that the host has moved: then the question is handed on, as links are.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections.abc import Callable, Collection

from msgspec import structs

from skitter.clock import Clock
from skitter.fleet.fence import MARGIN, Fence
from skitter.ports import LINKS, Broker, Frame, FrameHandler, Release, Reserve
from skitter.shard.log import links
from skitter.shard.log.ownership import LEASE

ANSWERED_IN = LEASE / 2
"""Seconds after which an answer is of no use any more: too little would be left of what it grants."""
MOST_HANDS = 8
"""How often a question is handed on, at the most: two nodes may each think for a while that the other one has it."""


class Asking:
    """See `ports.Bus`. `ours` are shards that we hold: answers come through their links."""

    def __init__(
        self, broker: Broker, destination_of: Callable[[str], int], ours: Collection[int], fence: Fence, clock: Clock
    ) -> None:
        self._broker = broker
        self._destination_of = destination_of
        self._ours = ours
        self._fence = fence
        self._clock = clock
        self._waiting: dict[bytes, asyncio.Future[float]] = {}

    async def send(self, _node: int, frame: Frame) -> float | None:
        """Returns the owner's answer, None if none came in time."""
        match frame:
            case Reserve(host):
                return await self._reserve(host, frame)
            case Release(host):
                self._fence.revoke(host)
                await self._broker.append(
                    LINKS, self._destination_of(host), links.encode(links.Question(0, b"", frame))
                )
                return 0.0
        return math.inf

    def receiving(self, _answer: FrameHandler) -> contextlib.nullcontext[None]:
        """What comes is read with the links of our shards."""
        return contextlib.nullcontext()

    async def _reserve(self, host: str, frame: Reserve) -> float | None:
        back = min(self._ours, default=None)
        if back is None:
            return None
        token, asked = secrets.token_bytes(links.TOKEN), self._clock()
        heard: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting[token] = heard
        message = links.encode(links.Question(back, token, frame))
        try:
            async with asyncio.timeout(ANSWERED_IN):
                await self._broker.append(LINKS, self._destination_of(host), message)
                wait: float = await heard
        except TimeoutError:
            return None
        finally:
            del self._waiting[token]
        if wait == 0:
            self._fence.grant(host, asked + LEASE - MARGIN)
        return wait

    # What comes through the links of our shards

    async def answer(self, message: links.Question, handler: FrameHandler) -> None:
        """Does what another node asks for, and tells it; or has whoever has the host by now do so."""
        frame = message.frame
        if (shard := self._destination_of(frame.host)) not in self._ours:
            if message.handed < MOST_HANDS:
                onwards = structs.replace(message, handed=message.handed + 1)
                await self._broker.append(LINKS, shard, links.encode(onwards))
            return
        if isinstance(frame, Release):
            frame = structs.replace(frame, began=self._clock())
        wait = await handler(frame)
        if message.token:
            await self._broker.append(LINKS, message.back, links.encode(links.Answer(message.token, wait)))

    def heard(self, message: links.Answer) -> None:
        """Takes an answer; one that nobody waits for any more counts for nothing."""
        waiting = self._waiting.get(message.token)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.wait)
