"""Events: to all who listen, bounded in number and in what is kept for one who does not take them."""

from __future__ import annotations

import asyncio

import pytest

from skitter.console.events import Events
from skitter.console.port import Busy
from skitter.console.views import Event


def test_everybody_hears_and_who_is_slow_loses_the_oldest() -> None:
    async def main() -> None:
        events = Events(most=2, kept=3)
        quick, slow = events.listen(), events.listen()
        with pytest.raises(Busy):
            events.listen()
        for number in range(5):
            events.tell(Event("note", number))
            assert (await anext(quick)).body == number
        assert [(await anext(slow)).body for _ in range(3)] == [2, 3, 4]
        await slow.aclose()  # type: ignore[attr-defined]
        assert len(events) == 1
        events.listen()

    asyncio.run(main())
