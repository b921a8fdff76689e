"""What the metrics say of a real crawl is what the web's own log says."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs

from skitter.clock import steady_clock
from skitter.config.load import load
from skitter.folder import locks
from skitter.metrics.server import MetricsServer
from skitter.simweb.log import read_log
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import PLAIN, WorldSettings
from skitter.simweb.world import World
from skitter.supervisor import begin as crawl
from skitter.supervisor.supervisor import Supervisor
from tests.metrics.scraped import Page, scrape

NODES = 2


async def crawled(
    folder: Path, world: WorldSettings, look: Callable[[Supervisor, Page], None] = lambda _supervisor, _page: None
) -> list[Page]:
    """Crawls a world to its end and returns what was scraped meanwhile, and one page from after the end.

    `look` is shown each page as it comes.
    """
    pages: list[Page] = []

    async def watch(supervisor: Supervisor, port: int) -> None:
        while True:
            pages.append(await scrape(port))
            look(supervisor, pages[-1])
            await asyncio.sleep(0.05)

    async with SimWeb(World(world), log=folder / "web.log") as web:
        web.hosts_file(folder / "hosts")
        flags = {
            "dns.hosts_file": str(folder / "hosts"),
            "dns.allow_private": True,
            "scope.reach": "any",
            "politeness.delay": 0.1,
            "politeness.address_rate": 1000.0,
            "node.linger": 0.5,
        }
        settings = load(flags=flags).settings
        clock = steady_clock()
        out = folder / "out"
        with locks.locked(out):
            begun = crawl.begin(out, web.seeds(), settings, clock())
            supervisor = Supervisor(out, settings, begun.seeds, NODES, clock=clock, max_seconds=60)
            async with MetricsServer(0, supervisor.reports) as server:
                watching = asyncio.create_task(watch(supervisor, server.port))
                ending = await supervisor.run()
                watching.cancel()
                pages.append(await scrape(server.port))
        assert ending.why in ("done", "stopped"), ending
    return pages


def assert_monotone(pages: list[Page]) -> None:
    for before, after in pairwise(pages):
        for key, value in before.counters().items():
            assert after.numbers.get(key, -1) >= value, key


@pytest.mark.slow
def test_a_crawl_is_counted_as_the_web_saw_it(tmp_path: Path) -> None:
    world = structs.replace(PLAIN, hosts=12, pages_per_host=10)
    pages = asyncio.run(crawled(tmp_path, world))
    requests = [request for request in read_log(tmp_path / "web.log") if request.ended is not None]
    last = pages[-1]

    assert_monotone(pages)
    assert any(0 < page["skitter_fetches_total"] < last["skitter_fetches_total"] for page in pages), "seen under way"
    assert last["skitter_fetches_total"] == len(requests)
    asked_robots = sum(request.path == "/robots.txt" for request in requests)
    assert last.of("skitter_fetches_total", errand="robots") == asked_robots
    assert last["skitter_pages_total"] == len(requests) - asked_robots
    for status in {request.status for request in requests}:
        seen = sum(request.status == status for request in requests)
        assert last.of("skitter_responses_total", status=str(status)) == seen
    assert last["skitter_fetch_seconds_count"] == len(requests)
    assert last["skitter_robots_read_total"] == asked_robots == 12
    assert last["skitter_captures_total"] == len(requests)

    good = sum(request.status == 200 and request.path != "/robots.txt" for request in requests)
    assert last["skitter_page_bytes_count"] == last["skitter_page_outlinks_count"] == good
    assert last["skitter_redirect_hops_count"] == last["skitter_page_content_types_total"] == good
    assert last.of("skitter_page_content_types_total", type="text/html") == good
    assert last["skitter_urls_discovered_total"] == last["skitter_frontier_urls"]
    assert last.of("skitter_frontier_urls", state="queued") == 0
    assert last.of("skitter_hosts") == 12
    assert last["skitter_host_quota_used"] == len(requests), "12 hosts are fewer than are listed"
    assert last["skitter_node_up"] == last["skitter_in_flight"] == last["skitter_node_restarts_total"] == 0
    assert max(page["skitter_node_up"] for page in pages) == NODES


@pytest.mark.slow
def test_counters_do_not_go_back_when_a_node_is_killed(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill_once(supervisor: Supervisor, page: Page) -> None:
        if not killed and page["skitter_pages_total"] >= 60:
            killed.append(victim(supervisor))
            os.kill(killed[0], signal.SIGKILL)
        elif killed and page["skitter_node_restarts_total"] and page["skitter_node_idle"] == NODES:
            supervisor.stop()

    world = structs.replace(PLAIN, hosts=12, pages_per_host=25)
    pages = asyncio.run(crawled(tmp_path, world, kill_once))
    requests = [request for request in read_log(tmp_path / "web.log") if request.ended is not None]
    last = pages[-1]

    assert_monotone(pages)
    assert any(page["skitter_node_up"] == NODES - 1 for page in pages), "its death is seen"
    assert last["skitter_node_restarts_total"] == 1
    # What the dead node did after its last report is not counted: half a second of it, and the pages it had in hand.
    assert len(requests) - 100 <= last["skitter_fetches_total"] <= len(requests)
    assert last["skitter_urls_discovered_total"] == pytest.approx(12 * 25, abs=60)
    assert last["skitter_frontier_urls"] >= 12 * 25, "gauges are of the frontier itself: nothing is missing there"


def victim(supervisor: Supervisor) -> int:
    """Returns the process of the node that has fetched most."""
    children = supervisor._children  # no one else knows the processes
    child = max(children, key=lambda child: child.report.counted.requests if child.report is not None else 0)
    assert child.process is not None
    return child.process.pid
