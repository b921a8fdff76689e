"""What a page in a browser costs: a React application of 190 KB of script that makes 90 KB of JSON a DOM of 100 KB.

    python -m bench.render [--pages N]

CPU time is that of all processes of the browser, as the kernel counts them, and our own; memory is theirs after the
last page. A context for each page; pictures, style sheets and fonts are not loaded. The first pages do not count.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from pathlib import Path

import msgspec

from skitter.ports import Given, Rendered, Wanted
from skitter.render.browser import Browser, launch
from skitter.render.finding import Found, find
from skitter.render.walls import Walls, raise_walls
from tests.render.test_apps import HOST, Host
from tests.servers import apps
from tests.servers.browser import render_settings

ITEMS = 1150
TEXT = "One of many things that a page may say, number {}"
WARM = 5
MB = 1024**2


class BigHost(Host):
    """The application with as much to show as a page has."""

    async def give(self, wanted: Wanted) -> Given:
        """Returns what the host would answer."""
        if "/items.json" not in wanted.url:
            return await super().give(wanted)
        content = [{"href": f"/things/{number:05}", "text": TEXT.format(number)} for number in range(ITEMS)]
        return Given(200, (("Content-Type", "application/json"),), msgspec.json.encode(content))


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=50)
    args = parser.parse_args()
    if not apps.folder().exists():
        sys.exit("there are no applications: `make servers` builds them")
    sys.stdout.write(asyncio.run(measure(args.pages)))


async def measure(pages: int) -> str:
    """Returns the figures in a few lines."""
    settings = render_settings(recycle_pages=100_000)
    found, walls = find(settings.browser), raise_walls(settings)
    assert isinstance(found, Found)
    assert isinstance(walls, Walls)
    browser = await launch(found, walls, settings, "skitter")
    began = browser.process.use().cpu
    try:
        for _ in range(WARM):
            await one(browser)
        cpu, own, clock = browser.process.use().cpu, time.process_time(), time.monotonic()
        rendered = [await one(browser) for _ in range(pages)]
        own, clock = time.process_time() - own, time.monotonic() - clock
        use = browser.process.use()
    finally:
        await browser.end()
    costs = statistics.quantiles([page.cost * 1000 for page in rendered], n=10)
    return (
        f"{Path(found.path).name}, {walls}; DOM of {len(rendered[0].dom) / 1000:.0f} KB; "
        f"load {os.getloadavg()[0]:.1f}\n"
        f"CPU ms a page: {(use.cpu - cpu) / pages * 1000:.0f} of the browser, {own / pages * 1000:.1f} of ours; "
        f"till the look, median {costs[4]:.0f}, nine of ten under {costs[8]:.0f}\n"
        f"wall ms a page: {clock / pages * 1000:.0f}; start: {began * 1000:.0f} CPU ms; "
        f"memory after {pages + WARM} pages: {use.memory / MB:.0f} MB\n"
    )


async def one(browser: Browser) -> Rendered:
    """Returns the page, which must be whole."""
    rendered = await browser.render(f"{HOST}/react-data/", BigHost(apps.folder()).give)
    assert isinstance(rendered, Rendered)
    assert rendered.is_settled
    assert TEXT.format(ITEMS - 1).encode() in rendered.dom
    return rendered


if __name__ == "__main__":
    main()
