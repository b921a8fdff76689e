"""The politeness proof: hosts that each make it hard in their own way, a crawl that is killed on the way, and two
witnesses: the server's log, and the archive.

What each host is owed is written beside its script: how long after which answer nothing may come. The crawl loses a
node on the way, and a little later all of its processes at once; it is then taken up again and runs to its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.audit.audit import audit
from skitter.simweb.answer import Answer, Ask
from skitter.simweb.log import Request, read_log
from skitter.simweb.play import Play, by_path, in_turn, moved, page, status, text
from skitter.simweb.server import SimWeb
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World
from tests.processes import children

NETWORK = "127.25.0.0/16"
DELAY, JITTER = 0.4, 0.1
"""Both ends of a gap are blurred by connecting and by a busy machine; the archive is not, and allows far less."""
NODE_DIES, ALL_DIE = 60, 120  # requests after which they do
LOST = 60
"""Requests that the two kills can keep out of the archive, at most: those that were under way."""
RATE = 5.0  # requests a second to one address, by one node
NODES = 2

Owed = Callable[[Sequence[Request]], float]
"""From all requests so far to the least time between the last of them and the next."""


class Case(NamedTuple):
    """A host: its pages, its robots.txt, what it is owed, and how many requests there are to be made at least."""

    pages: dict[str, Answer | Play]
    owed: Owed
    requests: int
    robots: Answer | Play = status(404)


def _delay(seconds: float) -> Owed:
    return lambda _: seconds


def _after_trouble(number: int, wish: float) -> Owed:
    """Twice the delay after each answer of this status, from a second on, and never before its Retry-After is over."""

    def owed(asked: Sequence[Request]) -> float:
        bad = sum(request.status == number for request in asked)
        last = asked[-1].status == number
        return max(DELAY, min(2.0**bad, 4.0) if bad else 0.0, wish if last else 0.0)

    return owed


def _after_load(factor: float) -> Owed:
    """So many times as long as the last answer took, as far as the crawl can know of it."""

    def owed(asked: Sequence[Request]) -> float:
        last = asked[-1]
        took = last.ended - last.began if last.ended is not None and last.status else 0.0
        return max(DELAY, factor * took)

    return owed


def _pages(count: int, answer: Answer | Play | None = None) -> dict[str, Answer | Play]:
    leaf = page() if answer is None else answer
    return {"/": page(*(f"/{n}" for n in range(count))), **{f"/{n}": leaf for n in range(count)}}


def _asking_for(seconds: float) -> Answer:
    return text(f"User-agent: *\nCrawl-delay: {seconds:g}\n")


def _at(name: str, path: str) -> Callable[[Ask], str]:
    """Returns the URL of a path on another host: at the port at which this one was asked."""
    return lambda ask: f"http://{name}.sim.test:{ask.origin.rpartition(':')[2]}{path}"


def _leading(*links: Callable[[Ask], str]) -> Play:
    return lambda ask: page(*(link(ask) for link in links))


def _sent(to: Callable[[Ask], str]) -> Play:
    return lambda ask: moved(to(ask), 302)


def _away(count: int) -> dict[str, Answer | Play]:
    moves: dict[str, Answer | Play] = {f"/{n}": _sent(_at("there", f"/from/{n}")) for n in range(count)}
    return {"/": page(*moves), **moves}


TOO_MANY = in_turn(status(429, ("Retry-After", "1")), page())
OVERLOADED = in_turn(status(503, ("Retry-After", "3")), page())

CASES: dict[str, Case] = {
    "steady": Case(_pages(12), _delay(DELAY), 14),
    "robots-404": Case(_pages(3), _delay(DELAY), 5),
    # The same site under two names: one delay for both. Its pages link to the other name.
    "twin": Case(
        {"/": _leading(*(_at(name, f"/{n}") for n, name in enumerate(["twin", "www.twin"] * 5)))},
        _delay(DELAY),
        12,
    ),
    # All its pages redirect to a host that has pages of its own.
    "here": Case(_away(6), _delay(DELAY), 8),
    "there": Case(_pages(6), _delay(DELAY), 14),
    "429": Case({**_pages(4), "/1": TOO_MANY, "/2": TOO_MANY}, _after_trouble(429, 1.0), 7),
    "503": Case({**_pages(4), "/1": OVERLOADED}, _after_trouble(503, 3.0), 7),
    "slow": Case(_pages(3, structs.replace(page(), delay=1.0)), _after_load(2.0), 5),
    "half": Case(_pages(10), _delay(0.5), 12, _asking_for(0.5)),
    "three": Case(_pages(3), _delay(3.0), 4, _asking_for(3)),
    "thirty": Case({}, _delay(30.0), 2, _asking_for(30)),
    **{f"shared-{n}": Case(_pages(12), _delay(DELAY), 14) for n in range(8)},
}
SHARED = [name for name in CASES if name.startswith("shared")]


class Crawled(NamedTuple):
    """A crawl that is over: its folder, what the server saw of each host, in order, and when processes were killed."""

    directory: Path
    requests: list[Request]
    kills: list[float]

    def of(self, case: str) -> list[Request]:
        """The requests of one host, under whichever of its names."""
        names = (f"{case}.sim.test", f"www.{case}.sim.test")
        return [request for request in self.requests if request.host.partition(":")[0] in names]

    def known(self, asked: Sequence[Request]) -> list[Request]:
        """A host's requests with the answers that the crawl can know of. It is asked again only when the answer before
        was settled: so a kill can have taken from us the last answer before it, and none but that."""
        before = [[request for request in asked if request.began < kill] for kill in self.kills]
        lost = {earlier[-1].number for earlier in before if earlier}
        return [structs.replace(request, status=0) if request.number in lost else request for request in asked]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("polite")
    kills = asyncio.run(_crawl(folder))
    return Crawled(folder / "out", sorted(read_log(folder / "log"), key=lambda request: request.began), kills)


async def _crawl(folder: Path) -> list[float]:
    """Returns when a node was killed, and when all processes were."""
    kills: list[float] = []
    async with SimWeb(_world(), log=folder / "log") as web:
        web.hosts_file(folder / "hosts")
        _share_an_address(folder / "hosts")
        command = _command(folder, [f"{web.origin(f'{name}.sim.test')}/" for name in CASES])
        first = await _started(command)
        try:
            await _until(lambda: web.statistics().requests >= NODE_DIES)
            os.kill(children(first.pid)[0], signal.SIGKILL)
            kills.append(time.monotonic())
            await _until(lambda: web.statistics().requests >= ALL_DIE)
        finally:
            await _killed(first)
            kills.append(time.monotonic())
        second = await _started(command)
        try:
            assert await asyncio.wait_for(second.wait(), 150) in (0, 3)
        finally:
            await _killed(second)
    return kills


def _world() -> World:
    plays = {
        f"{name}.sim.test": by_path({"/robots.txt": case.robots, **case.pages}, page()) for name, case in CASES.items()
    }
    plays["www.twin.sim.test"] = plays["twin.sim.test"]
    return World(WorldSettings(hosts=1, pages_per_host=1, network=NETWORK), plays=plays)


def _share_an_address(hosts: Path) -> None:
    lines = hosts.read_text(encoding="utf-8").splitlines()
    address = next(line.split()[0] for line in lines if SHARED[0] in line)
    shared = [f"{address} {line.split()[1]}" if "shared" in line else line for line in lines]
    hosts.write_text("\n".join(shared), encoding="utf-8")


def _command(folder: Path, seeds: Sequence[str]) -> list[str]:
    limits = {"scope.suffixes": "sim.test", "node.linger": 5, "politeness.address_rate": RATE}
    return [
        *(sys.executable, "-m", "skitter", "crawl", *seeds, "--out", str(folder / "out"), "--quiet"),
        *("--hosts-file", str(folder / "hosts"), "--allow-net", NETWORK, "--scope", "any", "--delay", str(DELAY)),
        *("--workers", str(NODES), *(part for key, value in limits.items() for part in ("--set", f"{key}={value}"))),
    ]


async def _started(command: Sequence[str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(*command, start_new_session=True)


async def _killed(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_each_host_gets_what_it_is_owed(name: str, crawled: Crawled) -> None:
    case, asked = CASES[name], crawled.of(name)
    assert len(asked) >= case.requests, "it must have been visited for the proof to prove anything"
    known = crawled.known(asked)
    for number, (earlier, later) in enumerate(pairwise(asked), 1):
        owed, gap = case.owed(known[:number]), later.began - earlier.began
        assert gap >= owed - JITTER, f"{gap:.2f} s between {earlier.url} ({earlier.status}) and {later.url}, not {owed}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_request_at_a_time(name: str, crawled: Crawled) -> None:
    asked = crawled.of(name)
    overlaps = [later.url for earlier, later in pairwise(asked) if earlier.ended is None or later.began < earlier.ended]
    assert overlaps == []


@pytest.mark.slow
def test_hosts_that_share_an_address_share_its_rate(crawled: Crawled) -> None:
    begins = sorted(request.began for name in SHARED for request in crawled.of(name))
    busiest = max(sum(begin <= other < begin + 2.0 for other in begins) for begin in begins)
    # A node's share may be saved up for a second; without the limit, eight hosts come to 40 requests in two seconds.
    assert busiest <= NODES * RATE * 3
    assert len({request.address for name in SHARED for request in crawled.of(name)}) == 1


@pytest.mark.slow
def test_the_archive_tells_the_same(crawled: Crawled) -> None:
    report = audit(crawled.directory)
    assert report.counts == {}, report.shown
    assert report.requests <= len(crawled.requests) <= report.requests + LOST, "a kill loses what was under way"
    assert report.hosts == len(CASES)
