"""Pages whose changes are known beforehand: drawn from a seed, or real ones; and how fresh visits keep the copies."""

from __future__ import annotations

import gzip
import json
import math
import os
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from skitter.schedule.rehearsal import Course, Subject
from skitter.schedule.worth_a_visit import gain
from skitter.settings import DAY

REAL = Path(os.environ.get("LABELLED_DIR", Path(__file__).parents[3] / "shared" / "data")) / "changes"
YEAR = 365 * DAY


def real_pages(begins: float, ends: float) -> list[Subject]:
    """Returns the real pages that are known before the end of a time."""
    found: list[Subject] = []
    for file in sorted(REAL.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            found += [Subject(read["host"], read["known_at"], read["changes"]) for read in map(json.loads, lines)]
    return [page for page in found if page.known_at < ends and begins < ends]


def day(text: str) -> float:
    """Returns the beginning of a day."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def course_of(pages: Sequence[Subject], begins: float, ends: float, interval: float) -> Course:
    """Returns the course with one visit to each page in so many days, in the mean."""
    page_days = sum(ends - max(page.known_at, begins) for page in pages) / DAY
    return Course(page_days / ((ends - begins) / DAY) / interval, begins, ends)


def freshness(
    course: Course, pages: Sequence[Subject], visits: Sequence[Sequence[float]], since: float = -math.inf
) -> float:
    """Returns the share of page-days, from `since` on, on which the last copy was that of the page, by weight."""
    fresh = total = 0.0
    for page, times in zip(pages, visits, strict=True):
        ends = [*times, course.ends]
        for seen, end in zip([max(page.known_at, course.begins), *times], ends, strict=True):
            at = bisect_right(page.changes, seen)
            stale = min(end, page.changes[at]) if at < len(page.changes) else end
            fresh += page.weight * max(0.0, stale - max(seen, since))
            total += page.weight * max(0.0, end - max(seen, since))
    return fresh / total


def best(rates: Sequence[float], visits: float) -> float:
    """Returns the highest mean freshness for pages of these rates with so many visits a second in all."""
    low, high = 1e-6, 1e12
    for _ in range(60):
        price = math.sqrt(low * high)
        low, high = (price, high) if sum(map(_wanted(price), rates)) > visits else (low, price)
    return sum(map(_kept(price), rates)) / len(rates)


def _wanted(price: float) -> Callable[[float], float]:
    def wanted(rate: float) -> float:
        return rate / _products(rate * price) if rate * price < 1 else 0.0

    return wanted


def _kept(price: float) -> Callable[[float], float]:
    def kept(rate: float) -> float:
        if rate * price >= 1:
            return 0.0
        x = _products(rate * price)
        return -math.expm1(-x) / x

    return kept


def _products(wanted: float) -> float:
    """Returns the x with 1 − (1 + x)e^(−x) as wanted, by halving."""
    low, high = 0.0, 800.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gain(middle) < wanted else (low, middle)
    return high


def changes(dice: random.Random, rate: float, begins: float, ends: float) -> Iterator[float]:
    """Yields the times of changes at random."""
    at = begins + dice.expovariate(rate) if rate else ends
    while at < ends:
        yield at
        at += dice.expovariate(rate)


def _lognormal(dice: random.Random) -> float:
    return math.exp(dice.gauss(math.log(1 / (30 * DAY)), 1.5))


def _wide(dice: random.Random) -> float:
    return 1 / math.exp(dice.uniform(math.log(3600), math.log(YEAR)))


def _equal(dice: random.Random) -> float:
    return 1 / (30 * DAY)


def _half_never(dice: random.Random) -> float:
    return dice.choice([0.0, 1 / (20 * DAY)])


def _flapping(dice: random.Random) -> float:
    return 4 / DAY if dice.random() < 0.2 else math.exp(dice.gauss(math.log(1 / (60 * DAY)), 1))


RATES: dict[str, Callable[[random.Random], float]] = {
    "lognormal": _lognormal,
    "an hour to a year": _wide,
    "all equal": _equal,
    "half never": _half_never,
    "flapping": _flapping,
}


def steady(name: str, count: int, years: float, seed: int = 1) -> tuple[list[Subject], list[float]]:
    """Returns pages that change at random at rates of a kind, and their rates."""
    dice = random.Random(seed)
    rates = [RATES[name](dice) for _ in range(count)]
    return [_page(at, list(changes(dice, rate, 0.0, years * YEAR))) for at, rate in enumerate(rates)], rates


def bursts(count: int, years: float, seed: int = 1) -> list[Subject]:
    """Returns pages that are quiet for months and then change every three days for some weeks."""
    return [_page(at, list(_bursts(random.Random(f"{seed} {at}"), years * YEAR))) for at in range(count)]


def _bursts(dice: random.Random, ends: float) -> Iterator[float]:
    at = 0.0
    while at < ends:
        begins = at + dice.expovariate(1 / (120 * DAY))
        at = begins + dice.expovariate(1 / (20 * DAY))
        yield from changes(dice, 1 / (3 * DAY), begins, min(at, ends))


def stopping(count: int, years: float, seed: int = 1) -> list[Subject]:
    """Returns pages that stop to change at some time."""
    pages, _ = steady("lognormal", count, years, seed)
    dice = random.Random(seed)
    return [structs.replace(page, changes=_before(page.changes, dice.uniform(0, years * YEAR))) for page in pages]


def _before(times: Sequence[float], end: float) -> list[float]:
    return [at for at in times if at < end]


def _page(number: int, times: list[float]) -> Subject:
    return Subject(f"h{number // 3}.example", 0.0, times)


def signalled(pages: Sequence[Subject], course: Course, kind: Callable[[int], str], seed: int = 1) -> list[Subject]:
    """Returns the pages with signals as their hosts are said to send them: good, random or now."""
    hosts = {host: number for number, host in enumerate(sorted({page.host for page in pages}))}
    dice = random.Random(seed)
    return [
        structs.replace(page, signals=sorted(_signals(dice, page, course, kind(hosts[page.host])))) for page in pages
    ]


def _signals(dice: random.Random, page: Subject, course: Course, kind: str) -> Iterator[float]:
    begins = max(page.known_at, course.begins)
    real = [at for at in page.changes if begins < at < course.ends]
    if kind == "good":  # precision and recall 0.9
        for at in real:
            if dice.random() < 0.9:
                yield at
                if dice.random() < 1 / 9:
                    yield dice.uniform(begins, course.ends)
    elif kind == "random":
        yield from (dice.uniform(begins, course.ends) for _ in real)
    else:  # each time that somebody looks, every day
        yield from (begins + (number + 0.5) * DAY for number in range(int((course.ends - begins) / DAY)))
