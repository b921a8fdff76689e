"""The clock of a simulated machine: it may be set forward or back, but that of a life never jumps.

The twin of `skitter.clock`: a life reads the machine's clock once, when it begins, and counts on from there.
"""

from __future__ import annotations

from skitter.clock import Clock
from skitter.sim.loop import SimLoop

EPOCH = 1_800_000_000.0
"""What a machine's clock shows when the simulation begins."""


class MachineClock:
    """The time that one machine shows."""

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop
        self._offset = EPOCH
        self.set_by = 0.0  # seconds that it was set forward by in all, or back if negative

    def __call__(self) -> float:
        return self._offset + self._loop.time()

    def set_forward(self, seconds: float) -> None:
        """Sets it forward, or back. Lives that run do not notice; those that begin later do."""
        self._offset += seconds
        self.set_by += seconds

    def steady(self) -> Clock:
        """Returns the clock of a life that begins now."""
        offset, now = self._offset, self._loop.time
        return lambda: offset + now()
