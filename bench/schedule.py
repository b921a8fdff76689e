"""What `skitter tools schedule` makes of a budget, on real and on drawn histories, scored by what freshness means.

python bench/schedule.py real|budgets|drawn|long|signals|cost …

`real` needs the histories of real pages (LABELLED_DIR, or a neighbouring checkout's). *Index* is the policy that knows
the true mean rates and always visits the page that gains most. It knows also which pages will not change at all, and
never visits them; *index + ½* has half a change more for each page, as one counts who has not seen the end.
"""

from __future__ import annotations

import heapq
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from skitter.schedule import optimal, turn
from skitter.schedule.policy import Place
from skitter.schedule.recrawl import HostClass, class_of
from skitter.schedule.rehearsal import Course, Rehearsal, Subject
from skitter.schedule.rules import POLICIES
from skitter.schedule.share import Share, opened, repriced, with_step
from skitter.schedule.worth_a_visit import gain
from skitter.settings import DAY
from tests.schedule.histories import (
    RATES,
    YEAR,
    best,
    bursts,
    course_of,
    day,
    freshness,
    real_pages,
    signalled,
    steady,
    stopping,
)

THREE_YEARS = (day("2023-07-01"), day("2026-07-01"))
WINDOWS = (THREE_YEARS, (day("2019-07-01"), day("2022-07-01")))
DRAWS = (5, 6, 7)
"""Seeds that nothing was chosen by; those up to 4 were looked at for that."""
STEEPEST = 1 / math.e
"""The most by which what a visit brings grows in a second, for any rate: λt e^(−λt) at λt = 1."""
KINDS = {
    "good": lambda _: "good",
    "random": lambda _: "random",
    "now": lambda _: "now",
    "half good": lambda host: ("good", "random", "good", "now")[host % 4],
}


def main(parts: Iterable[str]) -> None:
    """Prints a table for each part."""
    for part in parts:
        {
            "real": _real,
            "budgets": _budgets,
            "drawn": _drawn,
            "long": _long,
            "signals": _signals,
            "cost": _cost,
        }[part]()


def _real() -> None:
    begins, ends = THREE_YEARS
    pages = real_pages(begins, ends)
    print(f"{'days a visit':14}{'freshness':>10}{'/ uniform':>10}{'/ index':>10}{'/ index + ½':>13}{'used':>8}")
    for interval in (7, 30):
        course = course_of(pages, begins, ends, interval)
        visits = _tool(course, pages)
        stale, used = 1 - freshness(course, pages, visits), sum(map(len, visits)) / course.visits
        uniform = 1 - freshness(course, pages, _tool(course, pages, "uniform"))
        index, half = (1 - freshness(course, pages, _index(course, pages, more)) for more in (0.0, 0.5))
        ratios = f"{stale / uniform:10.3f}{stale / index:10.3f}{stale / half:13.3f}"
        print(f"{interval:<14}{1 - stale:10.4f}{ratios}{used:8.4f}", flush=True)


def _budgets() -> None:
    print(f"{'from':12}{'hosts':>8}" + "".join(f"{interval:>8} d" for interval in (3, 7, 30, 90)))
    for begins, ends in WINDOWS:
        every = real_pages(begins, ends)
        hosts = {host: number % 2 for number, host in enumerate(sorted({page.host for page in every}))}
        for half in (0, 1):
            pages = [page for page in every if hosts[page.host] == half]
            row = []
            for interval in (3, 7, 30, 90):
                course = course_of(pages, begins, ends, interval)
                stale, uniform = (1 - freshness(course, pages, _tool(course, pages, p)) for p in ("optimal", "uniform"))
                row.append(f"{stale / uniform:10.3f}")
            print(f"{begins:<12.0f}{half:>8}" + "".join(row), flush=True)


def _drawn() -> None:
    years = 4
    print(f"{'pages':20}{'days':>6}{'optimal':>10}{'uniform':>10}{'best':>8}   (second half: optimal, uniform)")
    for name in (*RATES, "bursts", "stopping"):
        for interval in (7, 30):
            draws = [_draw(name, years, interval, seed) for seed in DRAWS]
            optimal, uniform, top, late, late_uniform = (sum(one) / len(draws) for one in zip(*draws, strict=True))
            worst = min(draw[0] - draw[1] for draw in draws)
            line = f"{name:20}{interval:6}{optimal:10.4f}{uniform:10.4f}{top:8.4f}   {late:.4f} {late_uniform:.4f}"
            print(f"{line}   worst against uniform {worst:+.4f}", flush=True)


def _long() -> None:
    years = 12
    print(f"{'pages':20}{'days':>6}   below the best possible in each quarter of {years} years")
    for name in ("lognormal", "an hour to a year"):
        for interval in (7, 30):
            quarters = [0.0] * 4
            for seed in DRAWS:
                pages, rates = steady(name, 300, years, seed)
                course = course_of(pages, 0.0, years * YEAR, interval)
                visits = _rehearsed(course, pages)
                top = best(rates, course.budget / DAY)
                for quarter in range(4):
                    cut = Course(course.budget, 0.0, (quarter + 1) * years * YEAR / 4)
                    until = [[at for at in times if at < cut.ends] for times in visits]
                    since = quarter * years * YEAR / 4
                    quarters[quarter] += (top - freshness(cut, pages, until, since)) / len(DRAWS)
            print(f"{name:20}{interval:6}   " + " ".join(f"{less:.4f}" for less in quarters), flush=True)


def _draw(name: str, years: float, interval: float, seed: int) -> tuple[float, float, float, float, float]:
    pages, rates = _pages(name, years, seed)
    course = course_of(pages, 0.0, years * YEAR, interval)
    plans = [_rehearsed(course, pages, policy) for policy in ("optimal", "uniform")]
    whole = [freshness(course, pages, plan) for plan in plans]
    late = [freshness(course, pages, plan, years * YEAR / 2) for plan in plans]
    return whole[0], whole[1], best(rates, course.budget / DAY) if rates else math.nan, late[0], late[1]


def _rehearsed(course: Course, pages: Sequence[Subject], policy: str = "optimal") -> list[list[float]]:
    """Returns the visits that the tool gives, without the detour by lines of JSON."""
    return Rehearsal(course, pages, POLICIES[policy]()).run()


def _pages(name: str, years: float, seed: int) -> tuple[list[Subject], list[float]]:
    if name == "bursts":
        return bursts(500, years, seed), []
    return (stopping(500, years, seed), []) if name == "stopping" else steady(name, 500, years, seed)


def _signals() -> None:
    begins, ends = THREE_YEARS
    pages = real_pages(begins, ends)
    print(f"{'days a visit':14}" + "".join(f"{kind:>12}" for kind in KINDS))
    for interval in (7, 30):
        course = course_of(pages, begins, ends, interval)
        without = 1 - freshness(course, pages, _rehearsed(course, pages))
        for seed in DRAWS:
            row = []
            for kind in KINDS.values():
                told = signalled(pages, course, kind, seed)
                row.append(f"{(1 - freshness(course, told, _rehearsed(course, told))) / without - 1:+12.3f}")
            print(f"{interval:<14}" + "".join(row), flush=True)


def _cost() -> None:
    """Prints the CPU time that scheduling takes of a visit in a frontier: class, policy, market, share of the shard."""
    for name, turned in (("kernel", turn.native_turn), ("Python", turn.python_turn)):
        optimal.turn = turned
        policy, market, share = optimal.Optimal(), opened([Share(1000)], 7 * DAY, math.inf), Share(1000)
        step = policy.fetched(0.0, 1.0, Place(), market)
        least = math.inf
        for _ in range(20):
            began = time.thread_time()
            for number in range(500):
                class_of(step.place.votes, HostClass.GENERIC)
                before = step.market
                step = policy.visited(
                    step.watch, step.watch.last + 5 * DAY, number % 3 == 0, 1.0, step.place, step.market
                )
                share = with_step(share, before, step.market)
                step = step._replace(market=repriced(step.market, 7 * DAY, math.inf))
            least = min(least, (time.thread_time() - began) / 500)
        print(f"{name}: {least * 1e6:.1f} µs a visit, the least of 20 times 500")


def _tool(course: Course, pages: Sequence[Subject], policy: str = "optimal") -> list[list[float]]:
    """Returns the visits that the tool gives, as any other program would get them."""
    lines = [{"budget": course.budget, "from": course.begins, "until": course.ends, "policy": policy}]
    lines += [
        {"id": number, "host": page.host, "known_at": page.known_at, "changes": page.changes, "signals": page.signals}
        for number, page in enumerate(pages)
    ]
    given = "\n".join(json.dumps(line) for line in lines)
    run = subprocess.run(
        [sys.executable, "-m", "skitter", "tools", "schedule"], input=given, capture_output=True, text=True, check=True
    )
    return [json.loads(line)["visits"] for line in run.stdout.splitlines()]


def _index(course: Course, pages: Sequence[Subject], more: float = 0.0) -> list[list[float]]:
    """Returns the visits of the policy that knows the true mean rates: always to the page that gains most by then.

    What a visit brings grows by less than `STEEPEST` a second, so that few pages have to be looked at for each.
    """
    starts = [max(page.known_at, course.begins) for page in pages]
    rates = [
        (sum(start < at < course.ends for at in page.changes) + more) / (course.ends - start)
        for page, start in zip(pages, starts, strict=True)
    ]
    visits: list[list[float]] = [[] for _ in pages]
    # The most that a visit may bring, less what it may have grown by since the beginning; a page; its last visit.
    bounds = [(STEEPEST * start, number, start) for number, start in enumerate(starts) if rates[number] > 0]
    heapq.heapify(bounds)
    for number in range(course.visits):
        at = course.at(number)
        looked_at: list[tuple[float, int, float]] = []
        while bounds and (not looked_at or bounds[0] < min(looked_at)):
            _, page, last = heapq.heappop(bounds)
            looked_at.append((STEEPEST * at - _gained(rates[page], at - last), page, last))
        looked_at.sort()
        if looked_at and at > looked_at[0][2]:
            page = looked_at[0][1]
            visits[page].append(at)
            looked_at[0] = (STEEPEST * at, page, at)
        for one in looked_at:
            heapq.heappush(bounds, one)
    return visits


def _gained(rate: float, time: float) -> float:
    return gain(rate * time) / rate if time > 0 else STEEPEST * time


if __name__ == "__main__":
    main(sys.argv[1:] or ["real", "drawn", "signals"])
