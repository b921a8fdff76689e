"""A machine's clock may jump; that of a life does not."""

from __future__ import annotations

import asyncio
import contextlib

from skitter.sim.clock import EPOCH, MachineClock
from skitter.sim.loop import SimLoop


def test_a_clock_that_is_set_is_seen_by_the_next_life_only() -> None:
    async def main(loop: SimLoop) -> None:
        machine = MachineClock(loop)
        first = machine.steady()
        await asyncio.sleep(10)
        machine.set_forward(-3600)
        second = machine.steady()
        assert (first(), second(), machine()) == (EPOCH + 10, EPOCH - 3590, EPOCH - 3590)
        await asyncio.sleep(5)
        assert (first(), second()) == (EPOCH + 15, EPOCH - 3585)
        assert machine.set_by == -3600

    with contextlib.closing(SimLoop()) as loop:
        loop.run_until_complete(main(loop))
