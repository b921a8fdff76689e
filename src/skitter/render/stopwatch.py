"""A watch that stands still while somebody else is waited for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """Counts seconds from now on, but for those in which it is stopped, by one or by many."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._counted = 0.0
        self._since = now()
        self._stops = 0

    @property
    def seconds(self) -> float:
        """What it shows."""
        return self._counted + (0.0 if self._stops else self._now() - self._since)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stops it for a while."""
        if not self._stops:
            self._counted = self.seconds
        self._stops += 1
        try:
            yield
        finally:
            self._stops -= 1
            self._since = self._now()
