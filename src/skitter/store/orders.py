"""The line in which orders stand until the writer's thread carries them out, and how they get their answers."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from typing import Any, NamedTuple


class Order(NamedTuple):
    """An order, and who waits for it."""

    future: asyncio.Future[Any]
    order: Callable[[], object]


class OrderQueue:
    """First come, first served. `put` is for the event loop, the rest for the writer's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._items: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._end: BaseException | None = None

    async def put(self, order: Callable[[], Any]) -> Any:
        """Returns what the order returns in the writer's thread, or raises it."""
        item = Order(self._loop.create_future(), order)
        self._items.put(item)
        if self._end:  # asked after the item is in line: either we see the end, or the end sees the item
            raise RuntimeError("the archive takes no more") from self._end
        return await item.future

    def take(self, wait: float) -> Order | None:
        """Returns the next order; None if none comes in `wait` seconds."""
        try:
            return self._items.get(timeout=max(wait, 0))
        except queue.Empty:
            return None

    def answer(self, item: Order, answer: object) -> None:
        """Gives an order its answer."""
        self._loop.call_soon_threadsafe(_resolve, item, answer)

    def refuse(self, item: Order, error: BaseException) -> None:
        """Raises `error` for an order."""
        self._loop.call_soon_threadsafe(_reject, item, error)

    def end(self, why: BaseException) -> None:
        """Refuses all who wait and all who come."""
        self._end = why
        while not self._items.empty():
            self.refuse(self._items.get(), why)


def _resolve(item: Order, answer: object) -> None:
    if not item.future.done():  # whoever waited may have been cancelled
        item.future.set_result(answer)


def _reject(item: Order, error: BaseException) -> None:
    if not item.future.done():
        item.future.set_exception(error)
