"""The line in which captures and orders stand until the writer's thread takes them, and how they get their answers."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skitter.store.capture import Capture

BATCH_CAPTURES, BATCH_BYTES = 256, 8 * 1024**2
"""What is taken at once at the most, payloads before compression. More would make the first one wait longer."""


class Item(NamedTuple):
    """A capture to write, or an order to carry out, and who waits for it."""

    future: asyncio.Future[Any]
    capture: Capture | None = None
    order: Callable[[], object] | None = None


class Line:
    """First come, first served. `put` is for the event loop, the rest for the writer's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._end: BaseException | None = None

    async def put(self, *, capture: Capture | None = None, order: Callable[[], object] | None = None) -> Any:
        """Returns what the writer's thread answers, or raises it."""
        item = Item(self._loop.create_future(), capture, order)
        self._items.put(item)
        if self._end:  # asked after the item is in line: either we see the end, or the end sees the item
            raise RuntimeError("the archive takes no more") from self._end
        return await item.future

    def take(self, wait: float) -> tuple[list[Item], Item | None]:
        """Returns the captures that wait, and the order behind them if one is there. It waits for the first of them."""
        batch: list[Item] = []
        size = 0
        try:
            item = self._items.get(timeout=max(wait, 0))
            while item.capture:
                batch.append(item)
                size += len(item.capture.fetched.payload)
                if len(batch) >= BATCH_CAPTURES or size >= BATCH_BYTES:
                    return batch, None
                item = self._items.get_nowait()
        except queue.Empty:
            return batch, None
        return batch, item

    def answer(self, items: Sequence[Item], answers: Sequence[object]) -> None:
        """Gives each item its answer."""
        self._loop.call_soon_threadsafe(_resolve, items, answers)

    def refuse(self, items: Sequence[Item], error: BaseException) -> None:
        """Raises `error` for each item."""
        self._loop.call_soon_threadsafe(_reject, items, error)

    def end(self, why: BaseException) -> None:
        """Refuses all who wait and all who come."""
        self._end = why
        left = []
        while not self._items.empty():
            left.append(self._items.get())
        self.refuse(left, why)


def _resolve(items: Sequence[Item], answers: Sequence[object]) -> None:
    for item, answer in zip(items, answers, strict=True):
        if not item.future.done():  # whoever waited may have been cancelled
            item.future.set_result(answer)


def _reject(items: Sequence[Item], error: BaseException) -> None:
    for item in items:
        if not item.future.done():
            item.future.set_exception(error)
