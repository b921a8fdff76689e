"""Browsers elsewhere, in virtual time: pages go there, requests come back, and nobody waits for a silent worker."""

from __future__ import annotations

import asyncio

from skitter.messages import Failure, Kind
from skitter.ports import Given, Rendered
from skitter.ports import Wanted as PartWanted
from skitter.settings import RenderSettings
from skitter.work.browsers import Browsers
from skitter.work.desk import GRACE, SEEN
from skitter.work.messages import Accepted, AskPart, Beat, Beaten, Ended, Leases, Part, Shown, ShownFacts, Told, Wanted
from tests.work.test_desk import run

URL = "http://a.test/"
SHOWN = ShownFacts(b"<p>shown", URL, True, 1.5, 0.25, 2, 1)


class Office:
    """Browsers elsewhere, one page for them, and what it asked for."""

    def __init__(self, **settings: object) -> None:
        self.loop = asyncio.get_running_loop()
        self.browsers = Browsers(RenderSettings(**settings), self.loop.time)  # type: ignore[arg-type]
        self.asked: list[PartWanted] = []

    async def give(self, wanted: PartWanted) -> Given:
        self.asked.append(wanted)
        await asyncio.sleep(3)  # its turn comes later
        return Given(200, [("Content-Type", "text/plain")], b"a part")

    async def begin(self, worker: str = "w") -> tuple[asyncio.Task[Rendered | Failure | None], str]:
        """Returns who waits for the page, and the id under which the worker has it."""
        asked = asyncio.create_task(self.browsers.answer(worker, Wanted(1, wait=10.0, errand="render")))
        await asyncio.sleep(1)
        page = asyncio.create_task(self.browsers.render(URL, self.give))
        leases = await asked
        assert isinstance(leases, Leases)
        (given,) = leases.leases
        assert (given.url, given.errand) == (URL, "render")
        return page, given.id


def test_a_page_is_run_elsewhere_and_asks_here() -> None:
    async def test() -> None:
        office = Office()
        page, id_ = await office.begin()
        part = await office.browsers.answer("w", AskPart("http://b.test/x", "GET", "fetch", (), b"", id_))
        assert part == Part(200, [("Content-Type", "text/plain")], b"a part")
        assert [(one.url, one.kind) for one in office.asked] == [("http://b.test/x", "fetch")]
        assert await office.browsers.answer("w", Shown(id_, SHOWN)) == Accepted()
        assert await page == Rendered(b"<p>shown", URL, True, 1.5, 0.25, 2, 1)
        assert await office.browsers.answer("w", Shown(id_, SHOWN)) == Ended()

    run(test)


def test_a_silent_worker_has_lost_its_page_and_one_that_beats_has_not() -> None:
    async def test() -> None:
        office = Office()
        page, id_ = await office.begin()
        await office.browsers.answer("w", AskPart("http://b.test/x", "GET", "fetch", (), b"", id_))
        began = office.loop.time()
        lost = await page
        assert isinstance(lost, Failure)
        assert lost.kind is Kind.BROWSER_FAILED
        assert office.loop.time() - began <= GRACE
        page, id_ = await office.begin()
        for _ in range(10):
            await asyncio.sleep(GRACE / 2)
            beaten = await office.browsers.answer("w", Beat([id_, "other"]))
            assert isinstance(beaten, Beaten)
            assert set(beaten.leases) == {id_}
        assert not page.done()
        await office.browsers.answer("w", Told(id_))
        assert isinstance(await page, Failure)

    run(test)


def test_nobody_holds_a_page_for_ever_by_beating() -> None:
    async def test() -> None:
        office = Office(page_seconds=20.0, total_timeout=10.0)
        page, id_ = await office.begin()
        began = office.loop.time()
        while not page.done():
            await asyncio.sleep(1)
            await office.browsers.answer("w", Beat([id_]))
        assert office.loop.time() - began < 20 + 10 + GRACE + 2

    run(test)


def test_nobody_has_the_page_of_another_nor_more_than_a_page_may() -> None:
    async def test() -> None:
        office = Office(max_requests=2)
        _, id_ = await office.begin()
        ask = AskPart("http://b.test/x", "GET", "fetch", (), b"", id_)
        assert await office.browsers.answer("other", ask) == Ended()
        assert await office.browsers.answer("other", Shown(id_, SHOWN)) == Ended()
        for _ in range(2):
            assert (await office.browsers.answer("w", ask)) != Part(refusal="too_much")
        assert await office.browsers.answer("w", ask) == Part(refusal="too_much")
        assert len(office.asked) == 2

    run(test)


def test_without_workers_nothing_is_waited_for_longer_than_told() -> None:
    async def test() -> None:
        office = Office()
        assert not office.browsers.are_there
        assert await office.browsers.render(URL, office.give, 0.5) is None
        await office.browsers.answer("w", Wanted(1, errand="render"))
        assert office.browsers.are_there
        await asyncio.sleep(SEEN)
        assert not office.browsers.are_there

    run(test)


def test_a_page_that_a_dead_worker_was_given_goes_to_the_next() -> None:
    async def test() -> None:
        office = Office()
        page, _ = await office.begin("dead")
        asked = asyncio.create_task(office.browsers.answer("w", Wanted(1, wait=30.0, errand="render")))
        leases = await asked
        assert isinstance(leases, Leases)
        await office.browsers.answer("w", Shown(leases.leases[0].id, SHOWN))
        assert isinstance(await page, Rendered)
        assert office.browsers.lapsed == 1
        page, _ = await office.begin("dead")
        for name in ("dead too", "and dead"):
            await office.browsers.answer(name, Wanted(1, wait=30.0, errand="render"))
        assert isinstance(await page, Failure)

    run(test)
