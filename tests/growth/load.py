"""A frontier under a growing load, in a process of its own: prints what it took up to each mark, as JSON.

python -m tests.growth.load URLS…
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Discovered, Errand, Fetched, Lease, Outcome, Stored
from skitter.settings import FrontierSettings, Settings
from skitter.url.keys import fingerprint
from tests.frontiers import opened_frontier

SHARDS = 4
HOSTS = 4000
BATCH = 100
VISITS = 10
SETTINGS = Settings(
    frontier=FrontierSettings(shards=SHARDS, window_hosts=200, window_urls=8, seen_cache=2000, store_memory=8 * 1024**2)
)


class Cost(Struct, frozen=True):
    """What was taken from the start up to a mark."""

    cpu: float = 0.0  # by all threads, less `gauge`
    gauge: float = 0.0  # CPU time to make the links up: the same for each, unless others slow the machine down
    pages: int = 0
    megabytes: float = 0.0


class Load:
    """URLs offered to a frontier in batches, and a few visits after each."""

    def __init__(self, folder: Path) -> None:
        self._now = 1_800_000_000.0
        self._frontier = opened_frontier(folder, SETTINGS, range(SHARDS), lambda: self._now)
        self._urls = self._pages = 0
        self._gauge = 0.0
        self._began = time.process_time()

    def go(self, urls: int) -> Cost:
        """Goes on until so many URLs were offered; returns what was taken so far."""
        while self._urls < urls:
            self._batch()
        cpu = time.process_time() - self._began - self._gauge
        return Cost(cpu, self._gauge, self._pages, _resident())

    def close(self) -> None:
        """Closes the frontier."""
        self._frontier.close()

    def _batch(self) -> None:
        # Each URL is offered twice: right away, and again when memory has forgotten it.
        again = max(0, self._urls - 2 * SETTINGS.frontier.seen_cache)
        before = time.thread_time()
        new = [_found(number) for number in range(self._urls, self._urls + BATCH)]
        known = [_found(number) for number in range(again, again + BATCH)]
        self._gauge += time.thread_time() - before
        assert (self._frontier.discover(new), self._frontier.discover(known)) == (BATCH, 0)
        self._urls += BATCH
        self._now += 0.2
        for host in self._frontier.tick():
            self._frontier.resolved(host)
        for _ in range(VISITS):
            lease = self._frontier.lease_nowait()
            if lease is not None:
                self._answer(lease)
        self._frontier.committer.commit()

    def _answer(self, lease: Lease) -> None:
        if lease.errand is Errand.ROBOTS:
            fetched = Fetched(lease, self._now, self._now, status=404)
            self._frontier.settle(
                RobotsOutcome(lease, fetched.began, fetched, self._frontier.judge_robots(lease, fetched))
            )
            return
        stored = Stored("0" * 64, "a-file.warc.gz", 0, 1)
        self._frontier.settle(Outcome(lease, self._now, began=self._now, status=200, stored=stored))
        self._pages += 1


def loaded(marks: Sequence[int]) -> list[Cost]:
    """Returns what a new frontier took up to each of the marks."""
    with tempfile.TemporaryDirectory(prefix="skitter-growth-") as scratch:
        load = Load(Path(scratch))
        costs = [load.go(mark) for mark in marks]
        load.close()
    return costs


def _found(number: int) -> Discovered:
    host = f"h{number * 31 % HOSTS}.example"
    href = f"http://{host}/a-folder/a-page-with-a-name-of-usual-length-{number}.html"
    return Discovered(href, host, fingerprint(href), 2, number % 10 / 10, f"http://{host}/")


def _resident() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


if __name__ == "__main__":
    print(msgspec.json.encode(loaded([int(mark) for mark in sys.argv[1:]])).decode())
