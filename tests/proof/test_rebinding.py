"""Names that change under a page in a browser: what it asks for then is refused, for the address that they lead to.

The web listens on every loopback address: a connection to a forbidden one would be answered, and be in its log.
"""

from __future__ import annotations

import asyncio
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from skitter.simweb.answer import Answer, Ask
from skitter.simweb.log import read_log
from skitter.simweb.nameserver import NameServer, found, zone
from skitter.simweb.play import by_path, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN
from skitter.simweb.world import World
from tests.proof.test_zoo_names import FORBIDDEN, GOOD, crawl
from tests.proof.zoo import NETWORK
from tests.servers.browser import browser

APP, OTHER, STEADY = "app.sim.test", "other.sim.test", "steady.sim.test"
CORS = ("Access-Control-Allow-Origin", "*")
ROBOTS = text("User-agent: *\nAllow: /\n")


async def asked(folder: Path, path: str) -> tuple[set[tuple[str, str]], list[str], dict[str, int]]:
    """Returns what was asked for by host and path, at which addresses, and how often each name was looked up."""
    server = NameServer()
    shell = list[str]()

    def turning(name: str, answer: Answer | None = None) -> object:
        """An answer after which the name leads elsewhere."""

        def play(_: Ask) -> Answer:
            server.table[name, "A"] = found(FORBIDDEN, ttl=0)
            return answer or text(shell[0], "text/html")

        return play

    data = text('"here"', "application/json", CORS)
    plays = {
        APP: by_path({"/robots.txt": ROBOTS, "/": turning(APP), "/own.json": data}),  # type: ignore[dict-item]
        OTHER: by_path({"/robots.txt": turning(OTHER, ROBOTS), "/data.json": data}),  # type: ignore[dict-item]
        STEADY: by_path({"/robots.txt": ROBOTS, "/data.json": data}),
    }
    async with SimWeb(World(PLAIN, plays=plays), log=folder / "log") as web:
        parts = ["/own.json", f"{web.origin(OTHER)}/data.json", f"{web.origin(STEADY)}/data.json"]
        calls = "".join(f"fetch('{part}').catch(() => 0);" for part in parts)
        shell.append(f"<!doctype html><title>App</title><div id=root></div><script>{calls}</script>")
        server.table = {**zone(web.world), **{(name, "A"): found(GOOD, ttl=0) for name in (APP, OTHER, STEADY)}}
        async with server:
            how = ("--render", "always", "--set", f"render.browser={path}", "--set", "robots.guess_sitemap=false")
            await crawl(folder / "out", [f"{web.origin(APP)}/"], server.address, None, *how)
    requests = read_log(folder / "log")
    times = {name: server.asked[name, "A"] for name in (APP, OTHER)}
    return {(one.host.partition(":")[0], one.path) for one in requests}, [one.address for one in requests], times


@pytest.mark.slow
def test_a_page_in_a_browser_reaches_no_address_that_its_name_did_not_have_before(tmp_path: Path) -> None:
    program = browser()
    if program is None:
        pytest.skip("there is no browser: `make servers` brings one")
    met, addresses, times = asyncio.run(asked(tmp_path, program.path))
    assert {(APP, "/"), (OTHER, "/robots.txt"), (STEADY, "/data.json")} <= met
    assert not {(APP, "/own.json"), (OTHER, "/data.json")} & met
    assert [one for one in addresses if ip_address(one) not in ip_network(NETWORK)] == []
    assert min(times.values()) >= 2, "each name was asked for again, and led elsewhere"
