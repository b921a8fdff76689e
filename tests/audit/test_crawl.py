"""A real crawl of the simulated web, with two witnesses: the server's log, and the archive."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.audit.audit import audit, warc_files
from skitter.audit.report import Breach
from skitter.clock import steady_clock
from skitter.config.load import load
from skitter.folder import locks
from skitter.robots.rules import parse
from skitter.simweb.judge import Findings, judge
from skitter.simweb.log import Request, read_log
from skitter.simweb.robots import ROBOTS_SHARES
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import DEMO
from skitter.simweb.world import World
from skitter.store.warc.dates import from_warc_date, warc_date
from skitter.store.warc.reader import Reader
from skitter.supervisor import begin as crawl
from skitter.supervisor.real import RealProcesses
from skitter.supervisor.supervisor import Supervisor
from skitter.url.keys import host_of, origin_of
from tests.audit.timeline import Change, doctor

DELAY, JITTER = 0.3, 0.1
"""What the server sees of a delay is blurred by connecting and by a busy machine; the archive is not."""

EVERY_KIND = dict.fromkeys(ROBOTS_SHARES, 1.0)
WORLD = World(structs.replace(DEMO, hosts=24, pages_per_host=6, big_bytes=20_000, robots=EVERY_KIND))


class Crawled(NamedTuple):
    """A crawl that is over: its folder, and what the server saw."""

    directory: Path
    requests: list[Request]
    findings: Findings


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("crawl")
    asyncio.run(_crawl(folder, WORLD))
    requests = read_log(folder / "log")
    return Crawled(folder / "out", requests, judge(requests, WORLD))


async def _crawl(folder: Path, world: World) -> None:
    async with SimWeb(world, port=0, log=folder / "log") as web:
        web.hosts_file(folder / "hosts")
        flags = {
            "dns.hosts_file": str(folder / "hosts"),
            "dns.allow_private": True,
            "scope.reach": "any",
            "scope.suffixes": ("sim.test",),
            "politeness.delay": DELAY,
            "politeness.address_rate": 1000.0,
            "node.linger": 1.0,
        }
        settings, clock = load(flags=flags).settings, steady_clock()
        with locks.locked(folder / "out"):
            begun = crawl.begin(folder / "out", web.seeds(), settings, clock())
            processes = RealProcesses(folder / "out")
            await Supervisor(processes, folder / "out", settings, begun.seeds, 2, clock=clock, max_seconds=8).run()


@pytest.mark.slow
def test_both_witnesses_tell_the_same(crawled: Crawled) -> None:
    report, findings = audit(crawled.directory), crawled.findings
    assert report.counts == {}
    assert report.closest is not None
    assert report.closest + report.tolerance >= 0
    assert (findings.most_at_once, findings.forbidden, findings.before_robots) == (1, [], [])
    assert findings.too_early(DELAY, JITTER) == {}
    assert (report.requests, report.hosts) == (findings.requests, len(findings.hosts))
    assert report.requests > 100
    assert _asked_for(crawled.directory) == Counter(request.url for request in crawled.requests)


@pytest.mark.slow
def test_one_request_too_early_is_found(crawled: Crawled, tmp_path: Path) -> None:
    copy = _copied(crawled.directory, tmp_path)
    path, earlier, later = _two_visits(copy)
    moved = warc_date(from_warc_date(earlier) + 200_000)

    def change(fields: dict[str, str], block: bytes) -> tuple[dict[str, str], bytes]:
        return {**fields, "warc-date": moved} if fields["warc-date"] == later else fields, block

    doctor(path, change)
    report = audit(copy)
    assert report.counts[Breach.TOO_EARLY] == 1
    early = next(one for one in report.shown if one.kind is Breach.TOO_EARLY)
    assert (early.gap, early.file) == (pytest.approx(0.2), path.name)


@pytest.mark.slow
def test_one_forbidden_url_is_found(crawled: Crawled, tmp_path: Path) -> None:
    copy = _copied(crawled.directory, tmp_path)
    path, url = _page_of_host_that_forbids(copy, "/private/")
    wrong = f"{origin_of(url)}/private/"
    doctor(path, _asking_for(wrong, instead_of=url))
    report = audit(copy)
    assert report.counts == {Breach.FORBIDDEN: 1}
    assert (report.shown[0].urls, report.shown[0].file) == ([wrong], path.name)


def _copied(directory: Path, to: Path) -> Path:
    (to / "warc").mkdir()
    for path in warc_files(directory):
        (to / "warc" / path.name).write_bytes(path.read_bytes())
    return to


def _asked_for(directory: Path) -> Counter[str]:
    records = (record for path in warc_files(directory) for record in Reader(path))
    return Counter(record.fields["warc-target-uri"] for record in records if record.kind == "request")


def _two_visits(directory: Path) -> tuple[Path, str, str]:
    """Returns the dates of the first two visits of some host after its robots.txt, and the file."""
    for path in warc_files(directory):
        dates: dict[str, list[str]] = {}
        for record in Reader(path):
            if record.kind == "metadata" and b"errand: robots" not in record.block:
                mine = dates.setdefault(host_of(record.fields["warc-target-uri"]), [])
                mine.append(record.fields["warc-date"])
                if len(mine) == 2:
                    return path, mine[0], mine[1]
    raise AssertionError("no host was visited twice")


def _page_of_host_that_forbids(directory: Path, forbidden: str) -> tuple[Path, str]:
    """Returns a page of a host whose robots.txt forbids a path to us, and not only to others, and its file."""
    for path in warc_files(directory):
        forbidding: set[str] = set()
        for record in Reader(path):
            url = record.fields.get("warc-target-uri", "")
            head, _, body = record.block.partition(b"\r\n\r\n")
            is_robots = record.kind == "response" and url.endswith("/robots.txt") and b" 200 " in head[:20]
            if is_robots and not parse(body, "skitter").allows(forbidden):
                forbidding.add(origin_of(url))
            if record.kind == "metadata" and b"errand: page" in record.block and origin_of(url) in forbidding:
                return path, url
    raise AssertionError("no host forbids it")


def _asking_for(url: str, instead_of: str) -> Change:
    old, new = (b"GET %s HTTP" % one.removeprefix(origin_of(one)).encode() for one in (instead_of, url))

    def change(fields: dict[str, str], block: bytes) -> tuple[dict[str, str], bytes]:
        if fields.get("warc-target-uri") != instead_of:
            return fields, block
        is_request = fields["warc-type"] == "request"
        return {**fields, "warc-target-uri": url}, block.replace(old, new) if is_request else block

    return change
