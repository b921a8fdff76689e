"""What the twins of archive, bus, inbox and marker add to their contracts: deaths, and faults."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

import pytest

from skitter.errors import MachineError
from skitter.ports import Frame, FrameHandler, Pause, Reserve, Resume
from skitter.sim.archive import MemoryArchive, MemoryShelf
from skitter.sim.bus import BusFaults, MemoryBus, MemoryNet
from skitter.sim.desk import Desk, MemoryInbox, MemoryMarker
from skitter.sim.life import Fate, Killed, Life
from skitter.sim.loop import SimLoop
from tests.store.conftest import a_capture

HOST = Reserve("a.org")


@pytest.fixture
def loop() -> Iterator[SimLoop]:
    with contextlib.closing(SimLoop(1)) as loop:
        yield loop
    assert loop.troubles == []


# The archive


@pytest.mark.parametrize(("place", "kept"), [("archive.append", 0), ("archive.write", 0), ("archive.written", 1)])
def test_a_capture_is_there_or_not_when_its_life_ends(loop: SimLoop, place: str, kept: int) -> None:
    shelf, life = MemoryShelf(loop), loop.begin("one")
    life.meet(Fate(place, 1))

    async def main() -> None:
        loop.create_task(MemoryArchive(shelf, life).append(a_capture()), context=life.context)
        assert life.death is not None
        await life.death

    loop.run_until_complete(main())
    assert len(shelf.kept) == kept
    assert all(one.life is life for one in shelf.kept)


def test_an_archive_that_fills_up_while_a_capture_waits_refuses_it(loop: SimLoop) -> None:
    shelf = MemoryShelf(loop, takes=2.0)
    archive = MemoryArchive(shelf, loop.begin("one"))
    shelf.full = [(1.0, 9.5)]

    async def main() -> float:
        with pytest.raises(MachineError):
            await archive.append(a_capture())
        await archive.wait_writable()
        return loop.time()

    assert loop.run_until_complete(main()) == 10.0
    assert shelf.kept == []


# The bus


def answering(arrived: list[Frame], takes: float = 0.0) -> FrameHandler:
    async def answer(frame: Frame) -> float:
        arrived.append(frame)
        await asyncio.sleep(takes)
        return 0.5

    return answer


async def receive(bus: MemoryBus, answer: FrameHandler) -> None:
    async with bus.receiving(answer):
        await asyncio.sleep(1000)


def exchange(
    loop: SimLoop, faults: BusFaults, *, times: int = 1, takes: float = 0.0, dies: float | None = None
) -> tuple[list[float | None], int]:
    """Returns the answers to some frames, and how many arrived."""
    net, arrived = MemoryNet(loop, 5, faults), list[Frame]()
    sender, receiver = loop.begin("sender", 0), loop.begin("receiver", 1)

    async def main() -> list[float | None]:
        loop.create_task(receive(MemoryBus(net, receiver), answering(arrived, takes)), context=receiver.context)
        if dies is not None:
            loop.call_later(dies, receiver.kill)
        await asyncio.sleep(0.001)
        return [await MemoryBus(net, sender).send(1, HOST) for _ in range(times)]

    return loop.run_until_complete(main()), len(arrived)


def test_a_frame_may_be_lost(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(frame_lost=1.0)) == ([None], 0)


def test_an_answer_may_be_lost(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(answer_lost=1.0)) == ([None], 1)


def test_a_frame_may_arrive_twice(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(doubled=1.0)) == ([0.5], 2)


def test_a_line_may_be_cut(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(is_cut=True)) == ([None], 0)


def test_faults_happen_as_often_as_they_are_to(loop: SimLoop) -> None:
    answers, arrived = exchange(loop, BusFaults(frame_lost=0.3, answer_lost=0.3), times=200)
    assert 110 < arrived < 170
    assert 70 < answers.count(0.5) < 130


def test_a_receiver_that_dies_gives_no_answer(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(), takes=5.0, dies=2.0) == ([None], 1)
    assert loop.time() < 3


def test_a_receiver_that_says_nothing_is_given_up(loop: SimLoop) -> None:
    assert exchange(loop, BusFaults(), takes=500.0) == ([None], 1)
    assert 30 <= loop.time() < 31


def test_what_arrived_is_done_in_the_life_of_the_receiver(loop: SimLoop) -> None:
    """So that the death of the sender does not stop it, and that of the receiver does."""
    net, sender, receiver = MemoryNet(loop), loop.begin("sender", 0), loop.begin("receiver", 1)
    done: list[str] = []

    async def answer(_: Frame) -> float:
        await asyncio.sleep(1)
        done.append("done")
        return 0.0

    async def main() -> None:
        loop.create_task(receive(MemoryBus(net, receiver), answer), context=receiver.context)
        await asyncio.sleep(0.001)
        for death in (sender, receiver):
            other = loop.begin("another") if sender.is_dead else sender
            loop.create_task(MemoryBus(net, other).send(1, HOST), context=other.context)
            await asyncio.sleep(0.5)
            death.kill()
            await asyncio.sleep(2)

    loop.run_until_complete(main())
    assert done == ["done"]


# Inbox and marker


def test_an_instruction_stays_until_it_is_done() -> None:
    desk, life = Desk(["http://a.test/"]), Life("one")
    desk.post(3, Pause("a.org"))
    desk.post(2, Pause("b.org"))
    desk.post(3, Resume("a.org"))
    inbox = MemoryInbox(desk, life)
    pending = dict(inbox.pending({3}))
    assert list(pending.values()) == [Pause("a.org"), Resume("a.org")]
    life.meet(Fate("inbox.done", 2))
    first, second = pending
    inbox.done(first)
    with pytest.raises(Killed):
        inbox.done(second)
    after = MemoryInbox(desk, Life("two"))
    assert [one for _, one in after.pending({2, 3})] == [Pause("b.org"), Resume("a.org")]


def test_seeds_are_told_when_they_change() -> None:
    desk = Desk(["http://a.test/"])
    inbox = MemoryInbox(desk, Life("one"))
    assert inbox.seeds() == ("http://a.test/",)
    assert inbox.seeds() is None
    desk.seeds = ("http://a.test/", "http://b.test/")
    assert inbox.seeds() == desk.seeds
    assert inbox.seeds() is None


def test_a_page_that_was_being_read_at_a_death_is_remembered() -> None:
    desk, life = Desk(), Life("one", node=2)
    marker = MemoryMarker(desk, life)
    with marker.holding(7, b"f"):
        assert marker.left() == (7, b"f")
    assert marker.left() is None
    life.meet(Fate("page.read", 2))
    with pytest.raises(Killed), marker.holding(8, b"g"):
        raise AssertionError("it lives")
    after = MemoryMarker(desk, Life("two", node=2))
    assert after.left() == (8, b"g")
    assert MemoryMarker(desk, Life("other", node=1)).left() is None
    after.drop()
    assert after.left() is None
