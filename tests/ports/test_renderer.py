"""The contract of the renderer, for a real browser and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec
import pytest

import skitter.work.messages as work
from skitter.messages import Failure, Kind
from skitter.node.rendering.anywhere import Anywhere
from skitter.ports import Given, Rendered, Renderer, Wanted
from skitter.render.pool import Pool
from skitter.settings import RenderSettings
from skitter.sim.browser import MemoryBrowser
from skitter.sim.loop import SimLoop
from skitter.work.browsers import Browsers
from skitter.worker.rendering import RenderWorker
from tests.processes import children_since, wait_for
from tests.servers.browser import render_settings

HOME = "http://a.test/"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
SHELL = b'<html><body><div id=root></div><script src="/app.js"></script></body></html>'
SCRIPT = (
    b"""fetch("/data.txt").then(a => a.text()).then(text => { document.getElementById("root").textContent = text })"""
)
ANSWERS = {
    HOME: Given(200, HTML, SHELL),
    "http://a.test/app.js": Given(200, (("Content-Type", "text/javascript"),), SCRIPT),
    "http://a.test/data.txt": Given(200, (("Content-Type", "text/plain"),), b"so it says"),
    "http://a.test/moved": Given(302, (("Location", HOME),)),
}
Run: TypeAlias = Callable[[Any], Any]
Opened: TypeAlias = Callable[[], contextlib.AbstractAsyncContextManager[Renderer]]


class Giver:
    """Answers what is known and refuses all else; remembers what was asked for."""

    def __init__(self, answers: dict[str, Given] = ANSWERS) -> None:
        self._answers = answers
        self.asked: list[Wanted] = []

    async def __call__(self, wanted: Wanted) -> Given:
        self.asked.append(wanted)
        await asyncio.sleep(0)
        return self._answers.get(wanted.url, Given(refusal="robots"))


@contextlib.contextmanager
def in_memory() -> Iterator[tuple[Run, Opened]]:
    with contextlib.closing(SimLoop()) as loop:

        @contextlib.asynccontextmanager
        async def twin() -> Any:
            browser = MemoryBrowser(loop, loop.begin("one"))
            yield browser
            assert browser.open == 0, "nothing of a page is left behind"

        yield loop.run_until_complete, twin
        assert loop.troubles == []


@contextlib.contextmanager
def in_browser() -> Iterator[tuple[Run, Opened]]:
    since = children_since()
    with asyncio.Runner() as runner:
        pool = Pool(render_settings(), agent="skitter")
        runner.run(pool.__aenter__())

        @contextlib.asynccontextmanager
        async def one() -> Any:
            yield pool
            await wait_for(lambda: pool.statistics().at_work == 0)

        yield runner.run, one
        runner.run(pool.__aexit__(None, None, None))
    assert since() == [], "nothing of a browser is left behind"


class Wire:
    """What is between a worker and a node, without the network: everything as JSON."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers

    async def ask(self, _method: str, path: str, body: object = None, *_: object, **__: object) -> Any:
        raw = msgspec.json.encode(body)
        *_, id_, what = path.split("/")
        question: Any
        match what:
            case "leases":
                question = msgspec.json.decode(raw, type=work.Wanted)
            case "heartbeats":
                question = msgspec.json.decode(raw, type=work.Beat)
            case "asks":
                question = work.AskPart(
                    **msgspec.structs.asdict(msgspec.json.decode(raw, type=work.AskPartFacts)), id=id_
                )
            case "rendered":
                question = work.Shown(id_, msgspec.json.decode(raw, type=work.ShownFacts))
            case _:
                question = work.Told(id_, failed=msgspec.json.decode(raw, type=work.Failed))
        answer = await self._browsers.answer("w", question)
        return msgspec.json.decode(msgspec.json.encode(answer), type=type(answer))


@contextlib.contextmanager
def elsewhere() -> Iterator[tuple[Run, Opened]]:
    with contextlib.closing(SimLoop()) as loop:

        @contextlib.asynccontextmanager
        async def twin() -> Any:
            browser = MemoryBrowser(loop, loop.begin("one"))
            browsers = Browsers(RenderSettings(), loop.time)
            worker = RenderWorker(Wire(browsers), browser, 3, 2.0, lambda _: None)  # type: ignore[arg-type]
            working = asyncio.create_task(worker.run())
            await asyncio.sleep(0)
            yield Anywhere(MemoryBrowser(loop, loop.begin("here")), browsers)
            await wait_for(lambda: browser.open == 0)
            worker.is_stopping = True
            await working

        yield loop.run_until_complete, twin
        assert loop.troubles == []


PLACES = {"memory": in_memory, "elsewhere": elsewhere, "browser": in_browser}


@pytest.fixture(scope="module", params=["memory", "elsewhere", pytest.param("browser", marks=pytest.mark.slow)])
def there(request: pytest.FixtureRequest) -> Iterator[tuple[Run, Opened]]:
    with PLACES[request.param]() as found:
        yield found


def test_a_page_comes_to_what_its_scripts_make_of_it(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as browser:
            assert browser.trouble == ""
            give = Giver()
            rendered = await browser.render(HOME, give)
            assert isinstance(rendered, Rendered)
            assert b"so it says" in rendered.dom
            assert (rendered.url, rendered.is_settled, rendered.asked, rendered.refused) == (HOME, True, 3, 0)
            assert [(one.url, one.kind) for one in give.asked] == [
                (HOME, "document"),
                ("http://a.test/app.js", "script"),
                ("http://a.test/data.txt", "fetch"),
            ]

    run(story())


def test_redirects_come_back_hop_by_hop(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as browser:
            give = Giver()
            rendered = await browser.render("http://a.test/moved", give)
            assert isinstance(rendered, Rendered)
            assert rendered.url == HOME
            assert [one.url for one in give.asked[:2]] == ["http://a.test/moved", HOME]

    run(story())


def test_what_is_refused_is_missing_and_the_page_goes_on(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as browser:
            without = {url: given for url, given in ANSWERS.items() if not url.endswith(".txt")}
            rendered = await browser.render(HOME, Giver(without))
            assert isinstance(rendered, Rendered)
            assert b"so it says" not in rendered.dom
            assert (rendered.asked, rendered.refused) == (3, 1)

    run(story())


def test_a_document_that_is_refused_is_a_failure(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as browser:
            failure = await browser.render(HOME, Giver({}))
            assert isinstance(failure, Failure)
            assert failure.kind is Kind.BROWSER_FAILED

    run(story())


def test_cancelled_it_leaves_nothing_behind(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        never: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        asked = asyncio.Event()

        async def give(_: Wanted) -> Given:
            asked.set()
            return await never

        async with opened() as browser:
            rendering = asyncio.create_task(browser.render(HOME, give))
            await asked.wait()
            rendering.cancel()
            with pytest.raises(asyncio.CancelledError):
                await rendering
            again = await browser.render(HOME, Giver())
            assert isinstance(again, Rendered)

    run(story())
