"""Pictures of the dashboard for docs/, of a demo crawl that has run for a while: `make screenshots`."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.servers.browser import browser
from tests.servers.tab import Tab, tab_of

DOCS = Path(__file__).parents[3] / "docs"
MOST = 200_000
"""Bytes of a picture."""

RUNS_FOR = 150.0
"""Seconds, so that there is something to be seen."""


class Shot(NamedTuple):
    """A picture: of which page, how wide, in which light."""

    name: str
    path: str
    width: int = 1180
    height: int = 760
    scheme: str = "light"


def shots(host: str, url: str) -> list[Shot]:
    """Returns the pictures that are taken."""
    return [
        Shot("now", "/"),
        Shot("now-dark", "/", scheme="dark"),
        Shot("hosts", "/hosts?sort=health&order=asc", scheme="dark"),
        Shot("host", host),
        Shot("url", url),
        Shot("phone", "/", 360, 760),
    ]


async def take(link: str, folder: Path) -> None:
    """Takes all pictures. Raises if one is too large, or its page had a fault."""
    found = browser()
    assert found is not None, "there is no browser: `make servers` brings one"
    base = link.partition("/login")[0]
    async with tab_of(found) as tab:
        await tab.look()
        await tab.go(link)
        await tab.until("location.pathname === '/'", "signed in")
        await tab.go(f"{base}/hosts?sort=health&order=asc")
        await tab.until("document.querySelector('#live-hosts tbody a')", "the table of hosts")
        host = str(await tab.run("document.querySelector('#live-hosts tbody a').getAttribute('href')"))
        await tab.go(base + host)
        url = str(await tab.run("document.querySelector('.urls a').getAttribute('href')"))
        for shot in shots(host, url):
            await _take(tab, base, shot, folder)
        assert not tab.faults, tab.faults


async def _take(tab: Tab, base: str, shot: Shot, folder: Path) -> None:
    await tab.look(width=shot.width, height=shot.height, scheme=shot.scheme)
    await tab.go(base + shot.path)
    await tab.until("!document.querySelector('[data-load]') && !document.querySelector('a[href^=\"/url/visits\"]')")
    picture = await tab.picture()
    print(f"docs/dashboard-{shot.name}.png: {len(picture):,} bytes", file=sys.stderr)
    assert len(picture) < MOST, f"{shot.name} is too large"
    (folder / f"dashboard-{shot.name}.png").write_bytes(picture)


def main() -> None:
    """Starts the demo, waits, and takes the pictures."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "skitter", "demo", "--dashboard", "--quiet", "--out", "demo"]
        with subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            try:
                time.sleep(RUNS_FOR)
                asyncio.run(take(link, DOCS))
            finally:
                process.send_signal(signal.SIGINT)
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                process.wait()


if __name__ == "__main__":
    main()
