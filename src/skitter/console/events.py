"""What happens, for those who listen: bounded in number, and in what is kept for one who does not take it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from skitter.console.port import Busy
from skitter.console.views import Event

MOST = 50
"""Listeners."""

KEPT = 100
"""Events that wait for one listener: older ones go."""


class Events:
    """Gives each event to everybody who listens."""

    def __init__(self, most: int = MOST, kept: int = KEPT) -> None:
        self._most = most
        self._kept = kept
        self._listeners: set[asyncio.Queue[Event]] = set()

    def __len__(self) -> int:
        return len(self._listeners)

    def tell(self, event: Event) -> None:
        """Gives an event to all."""
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(event)

    def listen(self) -> AsyncIterator[Event]:
        """Returns what happens from now on. Busy if too many listen."""
        if len(self._listeners) >= self._most:
            raise Busy(30)
        queue: asyncio.Queue[Event] = asyncio.Queue(self._kept)
        self._listeners.add(queue)
        return self._heard(queue)

    async def _heard(self, queue: asyncio.Queue[Event]) -> AsyncIterator[Event]:
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.discard(queue)
