"""Pages that harm: what they may take is bounded, nothing of them is left, and the next page fares well.

`make render-torture` puts a pool through all of `HARM`, many times.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.messages import Failure
from skitter.ports import Given, Rendered, Wanted
from skitter.render.pool import Pool
from skitter.render.process import sweep
from skitter.render.tree import descendants, is_there
from tests.processes import children_since, wait_for
from tests.render.conftest import HOME, Browsing, Web
from tests.render.harm import HARM
from tests.servers.browser import browser, render_settings

pytestmark = pytest.mark.slow
SETTINGS = {"total_timeout": 1.0, "max_cpu": 2.0, "max_memory": 512 * 1024**2}
FINE = "<p>fine</p>"


@pytest.fixture(autouse=True)
def _next_page_is_served(browsing: Browsing) -> Iterator[None]:
    yield
    rendered = browsing.render(FINE)
    assert isinstance(rendered, Rendered)
    assert b"fine" in rendered.dom


@pytest.mark.parametrize("loop", ["for (;;) ;", "setTimeout(() => { for (;;) ; }, 100)"])
def test_an_endless_page_is_taken_as_far_as_it_came(browsing: Browsing, loop: str) -> None:
    rendered = browsing.render(f"<body><p>so far</p><script>{loop}</script>")
    assert isinstance(rendered, Rendered)
    assert (rendered.is_settled, b"so far" in rendered.dom) == (False, True)


def test_a_page_that_works_while_it_waits_is_ended_too(browsing: Browsing) -> None:
    async def hold(wanted: Wanted) -> None:
        if wanted.url != HOME:
            await asyncio.Event().wait()

    page = "<body><p>so far</p><script>fetch('/never'); setTimeout(() => { for (;;) ; })</script>"
    rendered = browsing.of(Web({"": page}, hold=hold))
    assert isinstance(rendered, Rendered)
    assert (rendered.is_settled, b"so far" in rendered.dom) == (False, True)


@pytest.mark.parametrize("bomb", ["heap", "buffers"])
def test_a_bomb_takes_no_more_than_it_may(browsing: Browsing, bomb: str) -> None:
    most = browsing.runner.run(_most_memory(browsing.pool, f"<body><script>{HARM[bomb]}</script>"))
    assert (
        most < 2 * SETTINGS["max_memory"]
    )  # the first of them is the kernel's bound for each process, and a look is 250 ms


async def _most_memory(pool: Pool, page: str) -> int:
    rendering = asyncio.create_task(pool.render(HOME, Web({"": page}).give))
    most = 0
    while not rendering.done():
        most = max(most, sum(browser.use().memory for browser in pool.browsers))
        await asyncio.sleep(0.05)
    assert isinstance(rendering.result(), Rendered | Failure)
    return most


@pytest.mark.parametrize("crowd", ["popups", "frames", "workers", "reload"])
def test_a_crowd_ends(browsing: Browsing, crowd: str) -> None:
    found = browsing.render(f"<body><script>{HARM[crowd]}</script>")
    assert isinstance(found, Rendered | Failure)


def test_a_browser_that_dies_costs_one_page(browsing: Browsing) -> None:
    for which in (1, -1):  # of its processes: the browser itself, and the youngest
        failure = browsing.runner.run(_killed(browsing.pool, which))
        assert isinstance(failure, Failure)


async def _killed(pool: Pool, which: int) -> Rendered | Failure:
    async def give(wanted: Wanted) -> Given:
        if wanted.url == HOME:
            return Given(200, (("Content-Type", "text/html"),), b"<script src=a.js></script>")
        (busy,) = pool.browsers
        os.kill(sorted(descendants(busy.pid))[which], signal.SIGKILL)
        return await asyncio.Future()

    return await pool.render(HOME, give)


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    since = children_since()

    async def story() -> None:
        async with Pool(render_settings(browsers=2, recycle_pages=2), agent="skitter") as pool:
            pages = [pool.render(HOME, Web({"": FINE}).give) for _ in range(5)]
            assert all(isinstance(found, Rendered) for found in await asyncio.gather(*pages))
            assert pool.statistics().launches > 2

    asyncio.run(story())
    assert since() == []
    assert list(tmp_path.iterdir()) == []


NODE = """
import asyncio, sys
from skitter.ports import Given
from skitter.render.pool import Pool
from skitter.render.process import sweep
from skitter.settings import RenderSettings

async def give(_):
    print(*[pid for browser in pool.browsers for pid in descendants(browser.pid)], flush=True)
    await asyncio.Future()

async def main():
    global pool
    async with Pool(RenderSettings(browser=sys.argv[1]), agent="skitter") as pool:
        await pool.render("http://a.test/", give)

from skitter.render.tree import descendants
asyncio.run(main())
"""


def test_browsers_die_with_their_node_and_the_next_one_sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = browser()
    assert found is not None
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with subprocess.Popen([sys.executable, "-c", NODE, found.path], stdout=subprocess.PIPE) as node:
        assert node.stdout is not None
        pids = [int(pid) for pid in node.stdout.readline().split()]
        sweep()
        assert list(tmp_path.iterdir()) != []  # it lives, and so does its folder
        node.kill()
    assert len(pids) > 3
    asyncio.run(wait_for(lambda: not any(map(is_there, pids))))
    sweep()
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_does_not_start_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "browser"
    broken.write_text("#!/bin/sh\necho no such display >&2\nexit 1\n")
    broken.chmod(0o755)

    async def story() -> None:
        async with Pool(render_settings().__class__(browser=str(broken)), agent="skitter") as pool:
            assert isinstance(await pool.render(HOME, Web({}).give), Failure)
            assert "no such display" in pool.trouble

    asyncio.run(story())
