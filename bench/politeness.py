"""Is a crawl as fast as its delay allows, and never faster? `make politeness`

Hosts of a simulated web are crawled with a delay of 1 s. Before and after, a plain timer asks the same server for a
page of each host every second: its gaps show how exact this machine is, under its load of the day. The server's log
judges both.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from plainweb import NETWORK, PlainWeb
from report import machine

from skitter.simweb.log import Request

DELAY = 1.0
SHORT = 0.95
STARTING = 5.0
"""Seconds until every host has been visited once; not counted in the steady share."""


class Pace(NamedTuple):
    """How often hosts were visited."""

    requests: int
    steady: float  # of the requests that the delay allows, from STARTING on
    whole: float  # of those from the first second on
    gaps: Sequence[float]  # in order of size

    def short(self) -> int:
        """Returns how many gaps are shorter than they may be."""
        return sum(gap < SHORT for gap in self.gaps)


def main() -> None:
    """Measures both and prints them side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="skitter-polite-") as folder, PlainWeb(Path(folder), options.hosts) as web:
        spans = [_timed(web, options.seconds / 2), _crawled(web, options.seconds), _timed(web, options.seconds / 2)]
        requests = web.requests()
    ours = [request for request in requests if "Skitter" in request.agent]
    halves = [[r for r in requests if "timer" in r.agent and span[0] <= r.began <= span[1]] for span in spans[::2]]
    print(machine())
    _show(
        _pace(ours, spans[1], options.hosts),
        [_pace(half, span, options.hosts) for half, span in zip(halves, spans[::2], strict=True)],
    )


def _crawled(web: PlainWeb, seconds: float) -> tuple[float, float]:
    """Crawls for so long, and returns when it began and ended."""
    began = time.monotonic()
    subprocess.run(
        [
            *(sys.executable, "-m", "skitter", "crawl", "--seeds", web.seeds, "--out", web.folder / "out"),
            *("--hosts-file", web.hosts_file, "--allow-net", NETWORK, "--scope", "any", "--delay", str(DELAY)),
            *("--set", "scope.suffixes=sim.test", "--max-seconds", str(seconds), "--quiet"),
        ],
        check=False,
    )
    return began, began + seconds


def _timed(web: PlainWeb, seconds: float) -> tuple[float, float]:
    """Asks every host once a second for so long, and returns when that began and ended."""
    began = time.monotonic()
    asyncio.run(_ask_all(web, began, round(seconds / DELAY)))
    return began, began + seconds


async def _ask_all(web: PlainWeb, began: float, times: int) -> None:
    async with asyncio.TaskGroup() as group:
        for number, (name, address) in enumerate(web.addresses.items()):
            first = began + DELAY * number / len(web.addresses)
            group.create_task(_ask(name, address, web.port, first, times))


async def _ask(name: str, address: str, port: int, first: float, times: int) -> None:
    """Sends a request at exactly `first`, `first + 1`, … over one connection."""
    reader, writer = await asyncio.open_connection(address, port)
    request = f"GET / HTTP/1.1\r\nHost: {name}:{port}\r\nUser-Agent: timer\r\n\r\n".encode()
    for turn in range(times):
        await asyncio.sleep(max(0.0, first + turn * DELAY - time.monotonic()))
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
    writer.close()


def _pace(requests: Collection[Request], span: tuple[float, float], hosts: int) -> Pace:
    times: dict[str, list[float]] = defaultdict(list)
    for request in requests:
        times[request.host].append(request.began)
    gaps = sorted(later - before for host in times.values() for before, later in pairwise(host))
    allowed = hosts * (span[1] - span[0]) / DELAY
    return Pace(len(requests), _steady(times, span), len(requests) / allowed, gaps)


def _steady(times: dict[str, list[float]], span: tuple[float, float]) -> float:
    """Returns the share of what is allowed. A host that is left alone in the end counts to the end."""
    made = could = 0.0
    for host in times.values():
        counted = [at for at in host if span[0] + STARTING <= at < span[1]]
        made += len(counted) - 1
        could += (max(counted[-1], span[1] - DELAY) - counted[0]) / DELAY
    return made / could


def _show(crawl: Pace, timers: Sequence[Pace]) -> None:
    timer = Pace(
        sum(pace.requests for pace in timers),
        sum(pace.steady for pace in timers) / len(timers),
        sum(pace.whole for pace in timers) / len(timers),
        sorted(gap for pace in timers for gap in pace.gaps),
    )
    print(f"\ncrawl : timer, steady share {crawl.steady / timer.steady:.3f} : 1 (wanted: 0.97 of what is allowed)")
    print(f"crawl : timer, gaps under {SHORT} s {crawl.short()} : {timer.short()} (wanted: no more than the timer)\n")
    print(f"{'':8}{'requests':>10}{'steady share':>14}{'of all':>8}{'shortest gaps, s':>30}{'median':>8}{'99 %':>8}")
    for name, pace in (("crawl", crawl), ("timer", timer)):
        shortest = " ".join(f"{gap:.3f}" for gap in pace.gaps[:4])
        middle, late = (pace.gaps[int(len(pace.gaps) * part)] for part in (0.5, 0.99))
        print(f"{name:8}{pace.requests:10}{pace.steady:14.1%}{pace.whole:8.1%}{shortest:>30}{middle:8.3f}{late:8.3f}")


if __name__ == "__main__":
    main()
