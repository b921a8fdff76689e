"""Virtual time, lives and deaths: what asyncio promises holds, and what a kill promises too."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

import pytest

from skitter.sim.life import ANY, STEP, Fate, Killed, Life
from skitter.sim.loop import SimLoop, Stuck


@pytest.fixture
def loop() -> Iterator[SimLoop]:
    with contextlib.closing(SimLoop(1, until=10_000)) as loop:
        yield loop
    assert loop.troubles == []


def live(loop: SimLoop, life: Life, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
    return loop.create_task(work, context=life.context)


# Time


def test_time_jumps_to_the_next_timer(loop: SimLoop) -> None:
    seen: list[tuple[str, float]] = []

    async def nap(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, loop.time()))

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for name, seconds in (("day", 8640.0), ("blink", 0.001), ("now", 0.0)):
                group.create_task(nap(name, seconds))

    loop.run_until_complete(main())
    assert seen == [("now", 0.0), ("blink", 0.001), ("day", 8640.0)]


def test_what_asyncio_offers_works(loop: SimLoop) -> None:
    async def main() -> list[object]:
        event, gate, got = asyncio.Event(), asyncio.Semaphore(1), list[object]()
        loop.call_later(5, event.set)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                await event.wait()
        got.append(loop.time())
        await asyncio.shield(asyncio.ensure_future(event.wait()))
        got.append(loop.time())
        async with gate:
            waiting = asyncio.create_task(gate.acquire())
            await asyncio.sleep(0)
            got.append(waiting.done())
        got.append(await waiting)
        done, left = await asyncio.wait([asyncio.create_task(asyncio.sleep(n)) for n in (1, 9)], timeout=3)
        got.append((len(done), len(left), loop.time()))
        for task in left:
            task.cancel()
        got.append(await asyncio.gather(*left, return_exceptions=True))
        later = loop.call_later(1, got.append, "never")
        later.cancel()
        await asyncio.sleep(2)
        return got

    got = loop.run_until_complete(main())
    assert got[:5] == [2.0, 5.0, False, True, (1, 1, 8.0)]
    assert isinstance(got[5][0], asyncio.CancelledError)
    assert len(got) == 6


def test_a_task_group_fails_as_one(loop: SimLoop) -> None:
    ended: list[float] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            ended.append(loop.time())

    async def fail() -> None:
        await asyncio.sleep(1)
        raise ValueError("so it is")

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(wait())
            group.create_task(fail())

    with pytest.raises(ExceptionGroup):
        loop.run_until_complete(main())
    assert ended == [1.0]


def test_a_deadlock_says_who_waits_where(loop: SimLoop) -> None:
    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stuck, match=r"(?s)Nothing will ever happen.*outside.*wait_for_ever:\d+ > Event.wait"):
        loop.run_until_complete(wait_for_ever())


def test_a_crawl_that_takes_too_long_is_stopped() -> None:
    async def main() -> None:
        while True:
            await asyncio.sleep(1)

    with contextlib.closing(SimLoop(until=100)) as loop, pytest.raises(Stuck, match="longer than 100 seconds"):
        loop.run_until_complete(main())


def test_who_asks_again_and_again_is_found(loop: SimLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with asyncio.timeout(1):  # which never comes
            while True:
                await asyncio.sleep(0)

    monkeypatch.setattr("skitter.sim.loop.BUSY", 100)
    with pytest.raises(Stuck, match="100 steps and no time goes by"):
        loop.run_until_complete(main())


def test_threads_are_refused(loop: SimLoop) -> None:
    async def main() -> None:
        await asyncio.to_thread(print)

    with pytest.raises(AssertionError, match="wants a thread"):
        loop.run_until_complete(main())


def test_an_exception_that_nobody_asked_for_is_noted() -> None:
    async def fail() -> None:
        raise ValueError("so it is")

    async def main() -> None:
        failing = asyncio.create_task(fail())
        await asyncio.wait([failing])

    with contextlib.closing(SimLoop()) as loop:
        loop.run_until_complete(main())
        gc.collect()
        assert len(loop.troubles) == 1
        assert "so it is" in loop.troubles[0]


# The same from the same seed


def story(seed: int) -> list[tuple[str, int]]:
    told: list[tuple[str, int]] = []

    async def count(name: str) -> None:
        for number in range(5):
            told.append((name, number))
            await asyncio.sleep(0)

    async def main(loop: SimLoop) -> None:
        await asyncio.wait([live(loop, loop.begin(name), count(name)) for name in "abc"])

    with contextlib.closing(SimLoop(seed)) as loop:
        loop.run_until_complete(main(loop))
    return told


def test_one_seed_is_one_story() -> None:
    stories = [story(seed) for seed in range(5)]
    assert stories == [story(seed) for seed in range(5)]
    assert len({tuple(told) for told in stories}) > 1


def test_within_a_life_first_come_is_first_served() -> None:
    for name in "abc":
        assert [number for who, number in story(3) if who == name] == list(range(5))


# Deaths


def test_of_the_dead_nothing_is_run(loop: SimLoop) -> None:
    ran: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(1)
            ran.append("woke")
            await asyncio.sleep(10)
        finally:
            ran.append("finally")

    async def main() -> None:
        life = loop.begin("one")
        live(loop, life, work())
        life.context.run(loop.call_later, 3, ran.append, "timer")
        await asyncio.sleep(2)
        life.kill()
        life.context.run(loop.call_soon, ran.append, "soon")
        await asyncio.sleep(20)
        assert life.death is not None
        assert life.death.done()

    loop.run_until_complete(main())
    assert ran == ["woke"]


@pytest.mark.parametrize(("count", "passed"), [(1, 0), (2, 1), (6, 5)])
def test_a_life_ends_before_the_step_of_its_fate(loop: SimLoop, count: int, passed: int) -> None:
    ran: list[int] = []

    async def work() -> None:
        for number in range(10):
            ran.append(number)
            await asyncio.sleep(0)

    async def main() -> None:
        life = loop.begin("one")
        life.meet(Fate(STEP, count))
        live(loop, life, work())
        assert life.death is not None
        await life.death
        assert life.steps == count

    loop.run_until_complete(main())
    assert len(ran) == passed


@pytest.mark.parametrize(
    ("fate", "left"), [(Fate("write", 2), "wW"), (Fate("written", 2), "wWw"), (Fate(ANY, 3), "wW")]
)
def test_a_life_ends_at_a_place(loop: SimLoop, fate: Fate, left: str) -> None:
    done = ""

    async def work(life: Life) -> None:
        nonlocal done
        for _ in range(5):
            life.at("write")
            done += "w"
            life.at("written")
            done += "W"

    async def main() -> None:
        life = loop.begin("one")
        life.meet(fate)
        live(loop, life, work(life))
        assert life.death is not None
        await life.death

    loop.run_until_complete(main())
    assert done == left


def test_the_dead_pass_no_place(loop: SimLoop) -> None:
    life = loop.begin("one")
    life.at("write")
    life.kill()
    with pytest.raises(Killed):
        life.at("write")
    with pytest.raises(Killed):
        life.check()
    assert life.passed() == {"any": 1, "write": 1, "step": 0}


def test_one_dies_and_the_others_live_on(loop: SimLoop) -> None:
    async def main() -> float:
        first, second = loop.begin("first"), loop.begin("second")
        answer: asyncio.Future[str] = loop.create_future()

        async def ask() -> str:
            return await answer

        async def reply() -> None:
            answer.set_result("yes")
            first.at("here")
            raise AssertionError("it lives")

        asked = live(loop, second, ask())
        first.meet(Fate("here", 1))
        live(loop, first, reply())
        assert await asked == "yes"
        assert first.is_dead
        return loop.time()

    assert loop.run_until_complete(main()) == 0.0


@contextlib.asynccontextmanager
async def lingering(life: Life, ran: list[str]) -> AsyncIterator[None]:
    try:
        yield
    finally:
        ran.append("finally")
        await asyncio.sleep(1)
        life.check()
        ran.append("an effect")


def test_the_dead_are_disposed_of_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever waits, in a `finally` that waits on too; begun or not: no warning, no message, no effect."""
    ran: list[str] = []

    async def work(life: Life) -> None:
        async with lingering(life, ran), asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(100))
            group.create_task(asyncio.Event().wait())  # type: ignore[arg-type]
            await asyncio.sleep(5)
            group.create_task(asyncio.sleep(1))  # never begun
            life.at("here")

    async def main(loop: SimLoop) -> None:
        life = loop.begin("one")
        life.meet(Fate("here", 1))
        live(loop, life, work(life))
        other = loop.begin("other")
        live(loop, other, work(other))
        await asyncio.sleep(2)
        other.kill()
        assert life.death is not None
        await life.death
        await asyncio.sleep(50)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.closing(SimLoop(2)) as loop:
            loop.run_until_complete(main(loop))
            assert "an effect" not in ran
        gc.collect()
    assert loop.troubles == []
    assert "an effect" not in ran
    assert capsys.readouterr().err == ""
