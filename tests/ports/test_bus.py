"""The contract of the bus, for Unix sockets and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from skitter.bus.local import LocalBus
from skitter.ports import Bus, Frame, FrameHandler, Links, Release, Reserve
from skitter.sim.bus import MemoryBus, MemoryNet
from skitter.sim.loop import SimLoop

FRAMES: list[Frame] = [Links(3, [b"x", b""]), Reserve("a.org"), Release("a.org", 12.5)]
Run: TypeAlias = Callable[[Any], Any]
Make: TypeAlias = Callable[[int], Bus]


@pytest.fixture(params=["local", "memory"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Run, Make]]:
    """What runs a story, and what makes the bus of a node."""
    if request.param == "local":
        with asyncio.Runner() as runner:
            yield runner.run, lambda number: LocalBus(number, lambda node: tmp_path / f"{node}")
        return
    with contextlib.closing(SimLoop()) as loop:
        net = MemoryNet(loop)
        yield loop.run_until_complete, lambda number: MemoryBus(net, loop.begin(f"n{number}", number))
        assert loop.troubles == []


@contextlib.asynccontextmanager
async def opened(bus: Any) -> Any:
    async with bus if hasattr(bus, "__aenter__") else contextlib.nullcontext():
        yield bus


def answering(arrived: list[Frame], *answers: float) -> FrameHandler:
    async def answer(frame: Frame) -> float:
        arrived.append(frame)
        return answers[(len(arrived) - 1) % len(answers)]

    return answer


def test_a_frame_arrives_and_its_answer_comes_back(there: tuple[Run, Make]) -> None:
    run, make = there
    arrived: list[Frame] = []

    async def story() -> None:
        answer = answering(arrived, 0.0, 0.5, 0.0)
        async with opened(make(0)) as sender, opened(make(1)) as receiver, receiver.receiving(answer):
            assert [await sender.send(1, frame) for frame in FRAMES] == [0.0, 0.5, 0.0]

    run(story())
    assert arrived == FRAMES


def test_the_answer_comes_when_it_is_done(there: tuple[Run, Make]) -> None:
    run, make = there

    async def story() -> None:
        begun, done = asyncio.Event(), asyncio.Event()

        async def answer(_: Frame) -> float:
            begun.set()
            await done.wait()
            return 0.0

        async with opened(make(0)) as sender, opened(make(1)) as receiver, receiver.receiving(answer):
            sending = asyncio.create_task(sender.send(1, FRAMES[0]))
            await begun.wait()
            assert not sending.done()
            done.set()
            assert await sending == 0.0

    run(story())


def test_a_node_that_is_away_gives_no_answer_and_is_found_again(there: tuple[Run, Make]) -> None:
    run, make = there
    arrived: list[Frame] = []

    async def story() -> None:
        async with opened(make(0)) as sender, opened(make(1)) as receiver:
            assert await sender.send(1, FRAMES[0]) is None
            for _ in range(2):
                async with receiver.receiving(answering(arrived, 0.0)):
                    while await sender.send(1, FRAMES[1]) is None:
                        await asyncio.sleep(0)
            assert await sender.send(1, FRAMES[2]) is None

    run(story())
    assert arrived == [FRAMES[1]] * 2


def test_a_node_sends_to_itself_too(there: tuple[Run, Make]) -> None:
    run, make = there

    async def story() -> None:
        async with opened(make(0)) as bus, bus.receiving(answering([], 0.25)):
            assert await bus.send(0, FRAMES[1]) == 0.25

    run(story())


def test_many_frames_are_under_way_at_a_time_and_keep_their_answers(there: tuple[Run, Make]) -> None:
    run, make = there

    async def answer(frame: Frame) -> float:
        assert isinstance(frame, Reserve)
        number = int(frame.host)
        await asyncio.sleep(0.001 * (10 - number))
        return float(number)

    async def story() -> None:
        async with opened(make(0)) as sender, opened(make(1)) as receiver, receiver.receiving(answer):
            answers = await asyncio.gather(*(sender.send(1, Reserve(str(number))) for number in range(10)))
        assert answers == list(map(float, range(10)))

    run(story())


def test_an_answer_that_is_not_waited_for_is_not_taken_for_the_next(there: tuple[Run, Make]) -> None:
    run, make = there

    async def answer(frame: Frame) -> float:
        await asyncio.sleep(0.01)
        return 7.0 if isinstance(frame, Reserve) else 0.0

    async def story() -> None:
        async with opened(make(0)) as sender, opened(make(1)) as receiver, receiver.receiving(answer):
            given_up = asyncio.create_task(sender.send(1, FRAMES[1]))
            await asyncio.sleep(0.002)
            given_up.cancel()
            await asyncio.wait([given_up])
            assert await sender.send(1, FRAMES[0]) == 0.0

    run(story())
