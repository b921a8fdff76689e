"""The desk, in virtual time: who gets a lease, when one ends, and what nobody can take from another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from skitter.messages import Errand, Kind, Lease
from skitter.sim.loop import SimLoop
from skitter.work.desk import GRACE, MARGIN, PATIENCE, Desk, Done
from skitter.work.messages import Accepted, Beat, Beaten, Ended, Failed, Leases, Result, Told, Wanted
from skitter.work.regions import Regions

HERE = "127.0.0.1"
ANSWER = Result(200, 0.5, 0.25)


def lease(name: str = "a.test", *, errand: Errand = Errand.PAGE, ends: float = 300.0) -> Lease:
    return Lease(f"http://{name}/", name, errand, ends)


class Office:
    """A desk in virtual time, with those who carry pages and those who work."""

    def __init__(self, rows: tuple[str, ...] = (), here: str = "", left: Callable[[int], float] = lambda _: GRACE):
        self.loop = asyncio.get_running_loop()
        self.desk = Desk(Regions(rows), here, self.loop.time, left)

    def carry(self, one: Lease) -> asyncio.Task[Done | float | None]:
        return asyncio.create_task(self.desk.done(one, HERE))

    def wait(self, worker: str = "w", count: int = 1, region: str = "", wait: float = 10.0) -> asyncio.Task[Any]:
        return asyncio.create_task(self.desk.answer(worker, Wanted(count, region, wait)))

    async def give(self, one: Lease, worker: str = "w") -> tuple[asyncio.Task[Done | float | None], str]:
        """Returns who carries it and the id under which the worker has it."""
        asked = self.wait(worker)
        await asyncio.sleep(0)
        carrying = self.carry(one)
        (given,) = (await asked).leases
        return carrying, given.id


def run(test: Callable[[], Awaitable[None]]) -> None:
    loop = SimLoop()
    try:
        loop.run_until_complete(test())
    finally:
        loop.close()


def test_without_workers_the_node_fetches_itself_at_once() -> None:
    async def test() -> None:
        office = Office()
        assert await office.carry(lease()) is None
        assert office.loop.time() == 0

    run(test)


def test_a_worker_that_waits_gets_a_lease_and_what_it_tells_is_settled_once() -> None:
    async def test() -> None:
        office = Office()
        carrying, id_ = await office.give(lease())
        telling = asyncio.create_task(office.desk.answer("w", Told(id_, ANSWER)))
        done = await carrying
        assert isinstance(done, Done)
        assert done.what == ANSWER
        assert not telling.done(), "it is told when it is settled, not before"
        done.settle(Accepted(3, 4))
        done.close()
        assert await telling == Accepted(3, 4)
        assert await office.desk.answer("w", Told(id_, ANSWER)) == Accepted(3, 4), "again: the same answer"
        assert office.desk.is_empty

    run(test)


def test_nobody_settles_the_lease_of_another() -> None:
    async def test() -> None:
        office = Office()
        carrying, id_ = await office.give(lease(), "honest")
        assert await office.desk.answer("liar", Told(id_, ANSWER)) == Ended()
        assert await office.desk.answer("liar", Told(id_)) == Ended()
        assert await office.desk.answer("liar", Beat([id_])) == Beaten({})
        assert await office.desk.answer("honest", Told("guessed", ANSWER)) == Ended()
        assert not carrying.done()
        assert (await office.desk.answer("honest", Beat([id_]))).leases.keys() == {id_}  # type: ignore[union-attr]
        carrying.cancel()

    run(test)


def test_a_lease_ends_when_heartbeats_stop_and_never_before_its_worker_does() -> None:
    async def test() -> None:
        office = Office()
        sent = office.loop.time()
        asked = office.wait(wait=10.0)
        await asyncio.sleep(3)  # the worker has waited for a while when there is something to do
        carrying = office.carry(lease())
        (given,) = (await asked).leases
        workers_end = sent + given.seconds
        await asyncio.sleep(5)
        beat = office.loop.time()
        held = await office.desk.answer("w", Beat([given.id]))
        assert isinstance(held, Beaten)
        workers_end = max(workers_end, beat + held.leases[given.id])
        ended = await carrying
        assert isinstance(ended, float)
        assert ended == office.loop.time() == beat + GRACE
        assert workers_end <= ended - MARGIN
        assert await office.desk.answer("w", Told(given.id, ANSWER)) == Ended()
        assert office.desk.statistics().lapsed == 1

    run(test)


def test_a_lease_of_a_shard_that_may_be_lost_ends_before_it_is() -> None:
    async def test() -> None:
        lost_at = 4.0
        office = Office(left=lambda _: lost_at - office.loop.time())
        carrying, id_ = await office.give(lease())
        await asyncio.sleep(2)
        held = await office.desk.answer("w", Beat([id_]))
        assert isinstance(held, Beaten)
        assert 2 + held.leases[id_] <= lost_at - MARGIN
        assert await carrying == lost_at

    run(test)


def test_no_heartbeat_prolongs_a_lease_beyond_its_end() -> None:
    async def test() -> None:
        office = Office()
        carrying, id_ = await office.give(lease(ends=20.0))
        while not carrying.done():
            await asyncio.sleep(2)
            held = await office.desk.answer("w", Beat([id_]))
            assert isinstance(held, Beaten)
            assert all(office.loop.time() + seconds <= 20.0 for seconds in held.leases.values())
        assert await carrying == 20.0

    run(test)


@pytest.mark.parametrize("says_so", [True, False])
def test_cancelled_it_returns_when_no_request_can_be_under_way(says_so: bool) -> None:
    async def test() -> None:
        office = Office()
        carrying, id_ = await office.give(lease())
        given_at = office.loop.time()
        carrying.cancel()
        await asyncio.sleep(1)
        assert not carrying.done()
        assert await office.desk.answer("w", Beat([id_])) == Beaten({}), "it hears that it is to stop"
        if says_so:
            await office.desk.answer("w", Told(id_))
        with pytest.raises(asyncio.CancelledError):
            await carrying
        assert office.loop.time() >= given_at + (1 if says_so else GRACE - 0.1)
        assert office.loop.time() < given_at + (1.1 if says_so else GRACE + 0.1)

    run(test)


@pytest.mark.parametrize("kind", [Kind.DNS_FAILED, Kind.UNREACHABLE, Kind.ADDRESS_REFUSED])
def test_what_says_more_of_the_worker_than_of_the_host_is_tried_by_the_node(kind: Kind) -> None:
    async def test() -> None:
        office = Office()
        carrying, id_ = await office.give(lease())
        told = await office.desk.answer("w", Told(id_, failed=Failed(kind, asked=False)))
        assert told == Accepted(will_retry=True)
        assert await carrying is None

    run(test)


def test_no_robots_txt_goes_to_a_worker() -> None:
    async def test() -> None:
        office = Office()
        office.wait()
        await asyncio.sleep(0)
        assert await office.carry(lease(errand=Errand.ROBOTS)) is None

    run(test)


def test_the_worker_of_the_region_is_asked_first() -> None:
    async def test() -> None:
        office = Office(("eu .de", "us .com"))
        eu, us = office.wait("e", region="eu"), office.wait("u", region="us")
        await asyncio.sleep(0)
        office.carry(lease("a.com"))
        office.carry(lease("a.de"))
        assert [one.host for one in (await eu).leases] == ["a.de"]
        assert [one.host for one in (await us).leases] == ["a.com"]

    run(test)


def test_a_busy_worker_of_the_region_is_waited_for_and_then_the_next_has_it() -> None:
    async def test() -> None:
        office = Office(("eu .de", "us .com"))
        assert (await office.desk.answer("e", Wanted(1, "eu"))).leases == []  # type: ignore[union-attr]
        us = office.wait("u", region="us", wait=30)
        await asyncio.sleep(0)
        office.carry(lease("a.de"))
        office.carry(lease("b.de"))
        await asyncio.sleep(PATIENCE / 2)
        eu = await office.desk.answer("e", Wanted(1, "eu"))
        assert isinstance(eu, Leases)
        assert [one.host for one in eu.leases] == ["a.de"]
        assert [one.host for one in (await us).leases] == ["b.de"]
        assert office.loop.time() >= PATIENCE

    run(test)


def test_if_a_region_is_down_the_next_one_has_its_pages_and_else_the_node() -> None:
    async def test() -> None:
        office = Office(("eu .de", "us .com"))
        us = office.wait("u", region="us")
        await asyncio.sleep(0)
        office.carry(lease("a.de"))
        assert [one.host for one in (await us).leases] == ["a.de"]
        assert await office.carry(lease("b.de")) is None, "nobody is free, and eu was never there"

    run(test)


def test_of_its_own_region_the_node_is_the_nearest() -> None:
    async def test() -> None:
        office = Office(("eu .de", "us .com"), here="eu")
        office.wait("u", region="us")
        await asyncio.sleep(0)
        assert await office.carry(lease("a.de")) is None

    run(test)


def test_a_batch_has_no_more_than_was_asked_for() -> None:
    async def test() -> None:
        office = Office()
        asked = office.wait(count=3)
        await asyncio.sleep(0)
        carrying = [office.carry(lease(f"h{number}.test")) for number in range(5)]
        leases = (await asked).leases
        assert len({one.host for one in leases}) == 3
        assert sum(task.done() for task in carrying) == 2, "the node has the rest"

    run(test)
