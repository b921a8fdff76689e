"""A crawl of hosts that say the same, by two nodes: whoever is first stores a body, and everyone else refers to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from skitter.simweb.play import by_path, page, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from skitter.store.warc.file import node_of
from skitter.store.warc.reader import Reader
from tests.store.following import responses

HOSTS, PAGES = 20, 10
NETWORK = "127.26.0.0/16"


def a_world() -> World:
    leaves = {f"/{number}": text(f"<p>page {number}".ljust(3000, "."), "text/html") for number in range(PAGES)}
    paths = {"/": page(*leaves), "/robots.txt": text("User-agent: *\nDisallow: /shut\n"), **leaves}
    plays = {f"h{number}.sim.test": by_path(paths) for number in range(HOSTS)}
    return World(WorldSettings(hosts=1, pages_per_host=1, network=NETWORK), plays=plays)


async def crawl(folder: Path) -> int:
    async with SimWeb(a_world(), log=folder / "log") as web:
        web.hosts_file(folder / "hosts")
        seeds = [f"{web.origin(f'h{number}.sim.test')}/" for number in range(HOSTS)]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "skitter", "crawl", *seeds, "--out", str(folder / "out"), "--quiet"),
            *("--hosts-file", str(folder / "hosts"), "--allow-net", NETWORK, "--scope", "any", "--workers", "2"),
            *("--set", "scope.suffixes=sim.test", "--delay", "0.05", "--set", "politeness.address_rate=1000"),
            start_new_session=True,
        )
        try:
            return await asyncio.wait_for(process.wait(), 120)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


@pytest.mark.slow
def test_two_nodes_store_what_many_hosts_say_once(tmp_path: Path) -> None:
    assert asyncio.run(crawl(tmp_path)) == 0
    found = responses(tmp_path / "out")
    copies = Counter(record.fields["warc-payload-digest"] for record in found)
    assert set(copies.values()) == {1}
    assert len(copies) == PAGES + 3, "robots.txt, the home page, and that there is no sitemap"
    revisits = Counter(
        node_of(path.name)
        for path in (tmp_path / "out" / "warc").rglob("skitter-*")
        for record in Reader(path)
        if record.kind == "revisit"
    )
    assert revisits.total() == (HOSTS - 1) * (PAGES + 3)
    assert set(revisits) == {"n0", "n1"}, "both had hosts to visit, else this shows nothing"
