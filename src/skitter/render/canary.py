"""Whether the walls hold: a page that tries every way out, and a canary where nothing must arrive.

The canary listens on this machine, for TCP and UDP. It is tried with the very walls that pages will have, before the
first of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from skitter.messages import Failure
from skitter.ports import Given, Wanted
from skitter.render.browser import Browser
from skitter.render.cdp import Gone
from skitter.render.ways import WAYS, answer, document
from skitter.settings import RenderSettings

PAGES = ("http://canary.skitter.invalid/", "https://canary.skitter.invalid/")
"""The same in both schemes: each has ways that the other has not."""
REPORTS = (
    ("Reporting-Endpoints", 'default="http://{canary}/reporting"'),
    ("Report-To", '{{"group":"default","max_age":9,"endpoints":[{{"url":"http://{canary}/report-to"}}]}}'),
    ("NEL", '{{"report_to":"default","max_age":9,"success_fraction":1}}'),
    ("Content-Security-Policy", "script-src 'none'; report-to default; report-uri http://{canary}/report-uri"),
    ("Link", "<http://{canary}/link>; rel=preload; as=script, <http://{canary}>; rel=preconnect"),
    ("Refresh", "0; url=http://{canary}/refreshed"),
)
BOUNDS = RenderSettings(total_timeout=60, max_cpu=60, max_requests=1000)
LINGER = 0.2
"""Seconds after a page's end in which its last words would arrive."""


class Canary(asyncio.DatagramProtocol):
    """Remembers what arrives."""

    def __init__(self) -> None:
        self.arrived: list[str] = []

    def datagram_received(self, data: bytes, addr: object) -> None:  # noqa: ARG002
        self.arrived.append(f"UDP {data[:40]!r}")

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hears one connection."""
        self.arrived.append("TCP")
        try:
            async with asyncio.timeout(1):
                self.arrived[-1] = f"TCP {(await reader.readline())[:80]!r}"
        except (TimeoutError, OSError, ValueError):
            pass
        writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[Canary, str]]:
    """Yields a canary, and its host and port."""
    canary, loop = Canary(), asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(canary.connected, "127.0.0.1", 0)
        stack.callback(server.close)
        port = server.sockets[0].getsockname()[1]
        transport, _ = await loop.create_datagram_endpoint(lambda: canary, ("127.0.0.1", port))
        stack.callback(transport.close)
        yield canary, f"127.0.0.1:{port}"


async def try_walls(browser: Browser) -> str:
    """Returns what is wrong with the walls of a browser, in a sentence for the operator; empty if they hold.

    Gone if that can't be told, because not every way was tried.
    """
    async with listening() as (canary, address):
        tried = [await _try(browser, page, address) for page in PAGES]
        await asyncio.sleep(LINGER)
        if canary.arrived:
            return f"the walls around the browser do not hold: {', '.join(sorted(set(canary.arrived)))} came through"
    if min(tried) < len(WAYS):
        raise Gone(
            f"the browser tried {min(tried)} of {len(WAYS)} ways out, so that nobody knows whether its walls hold"
        )
    return ""


async def _try(browser: Browser, page: str, address: str) -> int:
    """Returns how many ways out the page has tried."""

    async def give(wanted: Wanted) -> Given:
        return given(wanted, page, address)

    rendered = await browser.render(page, give, BOUNDS)
    if isinstance(rendered, Failure):
        return 0
    title = rendered.dom.partition(b"<title>")[2].partition(b"</title>")[0]
    return int(title) if title.isdigit() else 0


def given(wanted: Wanted, page: str, canary: str) -> Given:
    """Returns what the page's own host answers; what is for the canary is refused, as it would be in a crawl."""
    if not wanted.url.startswith(page):
        return Given(refusal="canary")
    path = wanted.url.removeprefix(page)
    if path == "redirect":
        return Given(302, (("Location", f"http://{canary}/redirected"),))
    kind, content = ("text/html", document(canary, page)) if not path else answer(path, canary, page)
    reports = [(name, value.format(canary=canary)) for name, value in REPORTS] if path == "reporting" else []
    return Given(200, (("Content-Type", kind), *reports), content.encode("utf-8"))
