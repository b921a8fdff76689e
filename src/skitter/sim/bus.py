"""The twin of `ports.Bus`: frames between the nodes of a simulated crawl, late, lost, doubled and cut.

What a node does with a frame it does in its own life, whoever sent it. If either dies, no answer comes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import Context, copy_context
from random import Random
from typing import Any, NamedTuple

from msgspec import Struct

from skitter.ports import Frame, FrameHandler
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop

GIVE_UP = 30.0
"""A connection whose other side says nothing for so long is given up."""


class BusFaults(Struct):
    """How often what goes wrong, each from 0 to 1, and how long a frame is on its way at the most."""

    delay: float = 0.01
    frame_lost: float = 0.0
    answer_lost: float = 0.0
    doubled: float = 0.0
    is_cut: bool = False  # nothing arrives at all


class _Receiver(NamedTuple):
    life: Life
    answer: FrameHandler
    context: Context


class MemoryNet:
    """What connects the nodes."""

    def __init__(self, loop: SimLoop, seed: int = 0, faults: BusFaults | None = None) -> None:
        self.loop = loop
        self.faults = faults or BusFaults()
        self.receivers: dict[int, _Receiver] = {}
        self.cut: list[tuple[float, float]] = []  # from, until: nothing arrives then
        self._random = Random(seed)  # noqa: S311 (repeatable on purpose)

    def happens(self, odds: float) -> bool:
        """Draws whether something with these odds happens."""
        return odds > 0 and self._random.random() < odds

    def travel_time(self) -> float:
        """Draws how long a frame or an answer is on its way."""
        return self.faults.delay * self._random.random()

    def receiver(self, node: int) -> _Receiver | None:
        """Returns who takes frames for a node at this moment."""
        found = self.receivers.get(node)
        return None if found is None or found.life.is_dead or self.is_cut() else found

    def is_cut(self) -> bool:
        """Whether nothing arrives now."""
        now = self.loop.time()
        return self.faults.is_cut or any(since <= now < until for since, until in self.cut)


class MemoryBus:
    """One life's way to the other nodes, see `ports.Bus`."""

    def __init__(self, net: MemoryNet, life: Life) -> None:
        self._net = net
        self._life = life

    async def send(self, node: int, frame: Frame) -> float | None:
        """Returns the other node's answer, None if it could not be had: the frame may have arrived all the same."""
        self._life.at("bus.send")
        net = self._net
        await asyncio.sleep(net.travel_time())
        receiver = net.receiver(node)
        if receiver is None or net.happens(net.faults.frame_lost):
            return None
        answering = self._deliver(receiver, frame)
        if net.happens(net.faults.doubled):
            self._deliver(receiver, frame)
        answer = await self._answer(answering, receiver)
        await asyncio.sleep(net.travel_time())
        self._life.at("bus.answered")
        return None if net.happens(net.faults.answer_lost) else answer

    def _deliver(self, receiver: _Receiver, frame: Frame) -> asyncio.Task[float]:
        self._life.check()
        answering = self._net.loop.create_task(_answered(receiver.answer, frame), context=receiver.context.copy())
        answering.add_done_callback(_look_at)
        return answering

    async def _answer(self, answering: asyncio.Task[float], receiver: _Receiver) -> float | None:
        assert receiver.life.death is not None
        # The other side goes on if we are cancelled or die, as a process does.
        both: list[asyncio.Future[Any]] = [answering, receiver.life.death]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=GIVE_UP)
        if not answering.done() or answering.cancelled() or answering.exception() is not None:
            return None
        return answering.result()

    @contextlib.asynccontextmanager
    async def receiving(self, answer: FrameHandler) -> AsyncIterator[None]:
        """Hands what other nodes send to `answer`, while it is open."""
        mine = _Receiver(self._life, answer, copy_context())
        self._net.receivers[self._life.node] = mine
        try:
            yield
        finally:
            if self._net.receivers.get(self._life.node) is mine:
                del self._net.receivers[self._life.node]


async def _answered(answer: FrameHandler, frame: Frame) -> float:
    return await answer(frame)


def _look_at(answering: asyncio.Task[float]) -> None:
    """Takes note of an exception: it ended the connection, and whoever raised it has said so elsewhere."""
    if not answering.cancelled():
        answering.exception()
