"""Does memory stay under its ceiling, and the cost of a URL what it was, as a crawl grows? `make ceiling`

Ten million URLs over 200,000 hosts are offered to one frontier, as a node would that fetches pages: of every page, ten
links are new and ten are known, some of them from long ago. Time is virtual and nothing is fetched; the store is real.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from report import machine

from frontiers import opened_frontier
from skitter.frontier.ceiling import ceiling
from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Discovered, Errand, Fetched, Lease, Outcome, Stored
from skitter.settings import ScheduleSettings, Settings
from skitter.url.keys import fingerprint

NEW, RECENT, OLD = 10, 8, 2
"""Links of a page: never seen before, seen among the last RECENT_REACH, seen at any time."""

RECENT_REACH = 50_000
PAGES_A_SECOND = 500
PAGES_A_COMMIT = 3
PAGES_A_TICK = 25
IN_FLIGHT = 200
LOOK = 1000
"""Memory is looked at once in so many pages."""

GAUGE = "gauge"
"""The making of a link: the same work all the way, so that it tells how much slower others make the machine."""

TIMED = 33
"""One page in so many is timed, call by call."""

EARLY = 100_000
STRETCHES = 20

MOST = 1.05
"""The most memory of the second half against the least."""

DEARER = 1.3
"""The cost of a call at the end against that at EARLY."""


class Stretch(NamedTuple):
    """What was seen on a part of the way."""

    urls: int
    megabytes: float  # the most
    costs: dict[str, float]  # microseconds of CPU time a call, by verb
    whole: float  # a page: all verbs, all threads, less what it takes to make the links up


class Web:
    """Every URL by its number, so that a known one can be told again without having been kept."""

    def __init__(self, hosts: int) -> None:
        self._hosts = hosts

    def url(self, number: int) -> Discovered:
        """Returns a URL. Seven of ten neighbours are of one host; some hosts have many more URLs than others."""
        lot = number // NEW if number % NEW < 7 else number
        share = (lot * 0x9E3779B97F4A7C15 % 2**64) / 2**64
        host = f"host-{int(share * share * self._hosts)}.example"
        href = f"http://{host}/section-{number % 7}/page-{number}-with-a-name-of-usual-length.html"
        priority = (number * 0x2545F4914F6CDD1D % 2**64) / 2**64
        return Discovered(href, host, fingerprint(href), 2, priority**4, f"http://{host}/")


class Walk:
    """A node without its network: leases, answers, discovers and settles, and counts what each costs."""

    def __init__(self, folder: Path, settings: Settings, web: Web) -> None:
        self._now = 1_800_000_000.0
        self._web = web
        self._dice = random.Random(1)
        owned = range(settings.frontier.shards)
        self.frontier = opened_frontier(folder, settings, owned, lambda: self._now, self._dice.random)
        self._out: deque[Lease] = deque()
        self.urls = self.pages = 0
        self._megabytes = 0.0
        self._spent: Counter[str] = Counter()
        self._calls: Counter[str] = Counter()
        self._began = time.process_time()

    def go(self, urls: int) -> Stretch:
        """Goes on until so many URLs were discovered, and returns what that was like."""
        self._spent.clear()
        self._calls.clear()
        self._began, pages, self._megabytes = time.process_time(), self.pages, 0.0
        while self.urls < urls:
            self._page()
            if self.pages % LOOK == 0:
                self._megabytes = max(self._megabytes, resident())
        whole = time.process_time() - self._began - self._spent[GAUGE] * TIMED
        costs = {verb: spent / self._calls[verb] * 1e6 for verb, spent in self._spent.items()}
        return Stretch(self.urls, self._megabytes, costs, whole / (self.pages - pages) * 1e6)

    def _page(self) -> None:
        self.pages += 1
        self._now += 1 / PAGES_A_SECOND
        if self.pages % PAGES_A_TICK == 0:
            with self._timed("tick"):
                for name in self.frontier.tick():
                    self.frontier.resolved(name)
        with self._timed("lease"):
            lease = self.frontier.lease_nowait()
        if lease is not None:
            self._out.append(lease)
        if len(self._out) > IN_FLIGHT or (lease is None and self._out):
            with self._timed("settle"):
                self._settle(self._out.popleft())
        self._discover()
        if self.pages % PAGES_A_COMMIT == 0:
            with self._timed("commit"):
                self.frontier.committer.commit()

    def _before(self, reach: int) -> int:
        return self.urls - 1 - self._dice.randrange(max(1, min(reach, self.urls)))

    def _discover(self) -> None:
        known = [self._before(RECENT_REACH) for _ in range(RECENT)] + [self._before(self.urls) for _ in range(OLD)]
        numbers = [*(known if self.urls else ()), *range(self.urls, self.urls + NEW)]
        self._dice.shuffle(numbers)
        with self._timed(GAUGE, len(numbers)):
            links = [self._web.url(number) for number in numbers]
        with self._timed("discover", len(links)):
            new = self.frontier.discover(links)
        assert new == NEW, f"{new} links were new, not {NEW}"
        self.urls += NEW

    def _settle(self, lease: Lease) -> None:
        if lease.errand is Errand.ROBOTS:
            fetched = Fetched(lease, self._now, self._now, status=404)
            self.frontier.settle(
                RobotsOutcome(lease, fetched.began, fetched, self.frontier.judge_robots(lease, fetched))
            )
            return
        stored = Stored("0" * 64, "a-file-name-of-usual-length.warc.gz", self.pages, 9000)
        self.frontier.settle(Outcome(lease, self._now, began=self._now, status=200, stored=stored))

    @contextlib.contextmanager
    def _timed(self, verb: str, calls: int = 1) -> Iterator[None]:
        # To ask for CPU time costs as much as some of the calls that are timed.
        if self.pages % (1 if verb == "tick" else TIMED):
            yield
            return
        before = time.thread_time()
        yield
        self._spent[verb] += time.thread_time() - before
        self._calls[verb] += calls


VERBS = (GAUGE, "discover", "lease", "settle", "commit", "tick")


def main() -> None:
    """Goes the whole way and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=200_000)
    parser.add_argument("--recrawl", action="store_true", help="plan the next visit to each page")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="skitter-ceiling-") as scratch:
        settings, bare = Settings(schedule=ScheduleSettings(recrawl=options.recrawl)), resident()
        allowed = bare + sum(ceiling(settings, settings.frontier.shards).values()) / 1024**2
        walk = Walk(Path(scratch), settings, Web(options.hosts))
        print("|".join(f"{name:>9}" for name in ("URLs", "MB", "page", *VERBS)))
        stretches = [_shown(walk.go(urls)) for urls in _ends(options.urls)]
        walk.frontier.close()
    is_good = _judge(stretches, allowed)
    print(machine())
    sys.exit(0 if is_good else 1)


def _ends(urls: int) -> list[int]:
    later = (urls * part // STRETCHES for part in range(1, STRETCHES + 1))
    return [EARLY // 2, EARLY + EARLY // 2, *(end for end in later if end > 2 * EARLY)]


def _shown(stretch: Stretch) -> Stretch:
    figures = [stretch.megabytes, stretch.whole, *(stretch.costs.get(verb, 0.0) for verb in VERBS)]
    print("|".join([f"{stretch.urls:9}", *(f"{figure:9.1f}" for figure in figures)]), flush=True)
    return stretch


def _durable(stretch: Stretch) -> float:
    """Returns what the links of a page cost until they are safe."""
    return stretch.costs["discover"] * (NEW + RECENT + OLD) + stretch.costs["commit"] / PAGES_A_COMMIT


def _judge(stretches: list[Stretch], allowed: float) -> bool:
    """Prints what is promised beside what was seen; returns whether all of it holds."""
    early, last = stretches[1], stretches[-1]
    slower = last.costs[GAUGE] / early.costs[GAUGE]
    held = [stretch.megabytes for stretch in stretches[len(stretches) // 2 + 1 :]]
    seen = [
        ("the most memory, MB, against the ceiling", max(held), allowed),
        ("memory over the second half, most against least", max(held) / min(held), MOST),
        *(
            (f"{verb} at {last.urls} against {EARLY}", last.costs[verb] / early.costs[verb] / slower, DEARER)
            for verb in ("discover", "lease", "settle")
        ),
        ("discover and its commit", _durable(last) / _durable(early) / slower, DEARER),
        ("a page in all, merging tables included", last.whole / early.whole / slower, DEARER),
    ]
    print(f"costs are divided by {slower:.2f}: what making a link costs at the end against the beginning")
    for what, found, limit in seen:
        print(f"{what:50} {found:8.2f}  at most {limit:7.2f}  {'good' if found <= limit else 'MISSED'}")
    return all(found <= limit for _, found, limit in seen)


def resident() -> float:
    """Returns the megabytes that this process holds."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


if __name__ == "__main__":
    main()
