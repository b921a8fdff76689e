"""What the metrics say of a real crawl is what the web's own log says."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

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
from skitter.supervisor.real import RealProcess, RealProcesses
from skitter.supervisor.supervisor import Supervisor
from skitter.url.keys import name_of
from tests.metrics.scraped import Page, scrape

NODES = 2
NO_OTHERS: Mapping[str, str] = MappingProxyType({})


async def crawled(
    folder: Path,
    world: WorldSettings,
    look: Callable[[Supervisor, Page], None] = lambda _supervisor, _page: None,
    others: Mapping[str, str] = NO_OTHERS,
    **more_flags: object,
) -> list[Page]:
    """Crawls a world to its end and returns what was scraped meanwhile, and one page from after the end.

    `look` is shown each page as it comes. `others` are seeds that are not of this world, with their addresses.
    """
    pages: list[Page] = []

    async def watch(supervisor: Supervisor, port: int) -> None:
        while True:
            pages.append(await scrape(port))
            look(supervisor, pages[-1])
            await asyncio.sleep(0.05)

    async with SimWeb(World(world), log=folder / "web.log") as web:
        web.hosts_file(folder / "hosts")
        with (folder / "hosts").open("a", encoding="utf-8") as hosts:
            hosts.writelines(f"{address} {name_of(seed)}\n" for seed, address in others.items())
        flags = {
            "dns.hosts_file": str(folder / "hosts"),
            "dns.allow_private": True,
            "scope.reach": "any",
            "scope.suffixes": ("sim.test",),
            "politeness.delay": 0.1,
            "politeness.address_rate": 1000.0,
            "node.linger": 0.5,
            **{name.replace("__", "."): value for name, value in more_flags.items()},
        }
        settings = load(flags=flags).settings
        clock = steady_clock()
        out = folder / "out"
        with locks.locked(out):
            begun = crawl.begin(out, [*web.seeds(), *others], settings, clock())
            supervisor = Supervisor(RealProcesses(out), out, settings, begun.seeds, NODES, clock=clock, max_seconds=60)
            async with MetricsServer(0, supervisor.reports) as server:
                watching = asyncio.create_task(watch(supervisor, server.port))
                ending = await supervisor.run()
                watching.cancel()
                pages.append(await scrape(server.port))
        assert ending.why in ("done", "stopped", *(["waiting"] if others else [])), ending
    return pages


def assert_links_add_up(page: Page) -> None:
    """Each link that is followed was known or is new, whoever found that out."""
    new = sum(page.of("skitter_seen_checks_total", layer=layer) for layer in ("filter", "false_positive"))
    assert new == page["skitter_urls_discovered_total"]
    known = sum(page.of("skitter_seen_checks_total", layer=layer) for layer in ("memory", "store"))
    assert page["skitter_links_refused_total"] == 0, "all is in scope"
    assert new + known >= page["skitter_links_total"] > new


def assert_every_turn_was_looked_up(page: Page) -> None:
    """A look at robots.txt that needs no request leads to a lease, or to a URL that is skipped."""
    answered = sum(page.of("skitter_robots_lookups_total", source=source) for source in ("memory", "store"))
    leased = sum(page.of("skitter_leases_total", errand=errand) for errand in ("page", "sitemap", "sounding"))
    asked = page.of("skitter_urls_skipped_total", reason="no_sitemap")  # these are skipped after their lease
    assert answered == leased + page["skitter_urls_skipped_total"] - asked


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
    for outcome, statuses in {"ok": (200, 299), "redirected": (300, 399), "error": (400, 599)}.items():
        least, most = statuses
        seen = sum(least <= request.status <= most for request in requests)
        assert last.of("skitter_fetches_total", outcome=outcome) == seen
    assert_every_turn_was_looked_up(last)
    assert last.of("skitter_robots_lookups_total", source="request") == 12
    asked_robots = sum(request.path == "/robots.txt" for request in requests)
    assert last.of("skitter_fetches_total", errand="robots") == asked_robots
    guessed = sum(request.path == "/sitemap.xml" for request in requests)
    assert last.of("skitter_fetches_total", errand="sitemap") == guessed == 12
    assert last.of("skitter_urls_skipped_total", reason="no_sitemap") == 12
    assert last["skitter_fetch_failures_total"] == 0, "that there is none is no failure"
    assert last["skitter_pages_total"] == len(requests) - asked_robots - guessed
    for status in {request.status for request in requests}:
        seen = sum(request.status == status for request in requests)
        assert last.of("skitter_responses_total", status=str(status)) == seen
    assert last["skitter_fetch_seconds_count"] == len(requests)
    assert last["skitter_robots_read_total"] == asked_robots == 12
    assert last["skitter_captures_total"] == len(requests)
    warcs = list((tmp_path / "out" / "warc").rglob("*.warc.gz"))
    assert last["skitter_warc_bytes_total"] == sum(warc.stat().st_size for warc in warcs)
    records = b"".join(gzip.decompress(warc.read_bytes()) for warc in warcs)
    for kind in ("response", "revisit"):
        assert last.of("skitter_captures_total", kind=kind) == records.count(b"\r\nWARC-Type: %s\r\n" % kind.encode())
    assert last["skitter_leases_total"] == len(requests), "each is for one request here"
    assert_links_add_up(last)
    busiest = max(page["skitter_host_requests_per_second"] for page in pages)
    assert len(requests) / 61 <= busiest <= len(requests) / 30, "the crawl is shorter than the span"

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
def test_hosts_that_nobody_answers_for_are_tries_too(tmp_path: Path) -> None:
    others = {
        "http://closed.example:1/": "127.20.250.250",  # nothing listens there
        "http://far.example/": "10.0.0.1",  # private, and only this machine is allowed
    }
    world = structs.replace(PLAIN, hosts=2, pages_per_host=3)
    flags = {"identity__contact": "me@a.org", "dns__allow_private": False, "dns__allow_nets": ["127.0.0.0/8"]}
    last = asyncio.run(crawled(tmp_path, world, others=others, **flags))[-1]
    requests = [request for request in read_log(tmp_path / "web.log") if request.ended is not None]
    assert last.of("skitter_fetches_total", errand="robots", outcome="no_connection") == 1
    assert last.of("skitter_fetches_total", errand="robots", outcome="not_tried") == 1
    assert last["skitter_fetches_total"] == len(requests) + 2
    assert last["skitter_fetch_seconds_count"] == last["skitter_responses_total"] == len(requests)
    assert last.of("skitter_robots_read_total", result="failed") == 2
    assert last.of("skitter_captures_total", kind="failure") == 2


@pytest.mark.slow
def test_an_endless_calendar_is_a_trap_on_each_host_and_many_urls(tmp_path: Path) -> None:
    world = structs.replace(PLAIN, hosts=3, pages_per_host=4, calendar=True)
    last = asyncio.run(crawled(tmp_path, world, scope__max_stale=5, politeness__delay=0.02))[-1]
    assert last.of("skitter_traps_total", of="shape") == 3
    assert last.of("skitter_urls_skipped_total", reason="trap") > 3
    assert last.of("skitter_leases_total", errand="sounding") >= 3
    assert_every_turn_was_looked_up(last)


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
    assert isinstance(child.process, RealProcess)
    return child.process.pid
