"""What `skitter tools schedule` makes of a budget, on real and on drawn histories, scored by what freshness means.

python bench/schedule.py real|budgets|drawn|signals …

`real` needs the histories of real pages (LABELLED_DIR, or a neighbouring checkout's). *Index* is the policy that knows
the true mean rates and always visits the page that gains most.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from skitter.schedule.rehearsal import Course, Subject
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
KINDS = {
    "good": lambda _: "good",
    "random": lambda _: "random",
    "now": lambda _: "now",
    "half good": lambda host: ("good", "random", "good", "now")[host % 4],
}


def main(parts: Iterable[str]) -> None:
    """Prints a table for each part."""
    for part in parts:
        {"real": _real, "budgets": _budgets, "drawn": _drawn, "signals": _signals}[part]()


def _real() -> None:
    begins, ends = THREE_YEARS
    pages = real_pages(begins, ends)
    print(f"{'days a visit':14}{'freshness':>10}{'/ uniform':>10}{'/ index':>10}{'used':>8}")
    for interval in (7, 30):
        course = course_of(pages, begins, ends, interval)
        visits = _tool(course, pages)
        stale, used = 1 - freshness(course, pages, visits), sum(map(len, visits)) / course.visits
        uniform = 1 - freshness(course, pages, _tool(course, pages, "uniform"))
        index = 1 - freshness(course, pages, _index(course, pages))
        print(f"{interval:<14}{1 - stale:10.4f}{stale / uniform:10.3f}{stale / index:10.3f}{used:8.4f}", flush=True)


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
            pages, rates = _pages(name, years)
            course = course_of(pages, 0.0, years * YEAR, interval)
            plans = [_tool(course, pages, policy) for policy in ("optimal", "uniform")]
            whole = [freshness(course, pages, plan) for plan in plans]
            late = [freshness(course, pages, plan, years * YEAR / 2) for plan in plans]
            top = f"{best(rates, course.budget / DAY):8.4f}" if rates else f"{'':8}"
            print(
                f"{name:20}{interval:6}{whole[0]:10.4f}{whole[1]:10.4f}{top}   {late[0]:.4f} {late[1]:.4f}", flush=True
            )


def _pages(name: str, years: float) -> tuple[list[Subject], list[float]]:
    if name == "bursts":
        return bursts(500, years), []
    return (stopping(500, years), []) if name == "stopping" else steady(name, 500, years)


def _signals() -> None:
    begins, ends = THREE_YEARS
    pages = real_pages(begins, ends)
    print(f"{'days a visit':14}" + "".join(f"{kind:>12}" for kind in KINDS))
    for interval in (7, 30):
        course = course_of(pages, begins, ends, interval)
        without = 1 - freshness(course, pages, _tool(course, pages))
        row = []
        for kind in KINDS.values():
            told = signalled(pages, course, kind)
            row.append(f"{(1 - freshness(course, told, _tool(course, told))) / without - 1:+12.3f}")
        print(f"{interval:<14}" + "".join(row), flush=True)


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


def _index(course: Course, pages: Sequence[Subject]) -> list[list[float]]:
    """Returns the visits of the policy that knows the true mean rates. It looks at all pages for each visit."""
    starts = [max(page.known_at, course.begins) for page in pages]
    rates = [
        sum(start < at < course.ends for at in page.changes) / (course.ends - start)
        for page, start in zip(pages, starts, strict=True)
    ]
    visits: list[list[float]] = [[] for _ in pages]
    lively = [number for number, rate in enumerate(rates) if rate > 0]
    last = dict(zip(lively, (starts[number] for number in lively), strict=True))
    waiting = 0
    for number in range(course.visits):
        at = course.at(number)
        if number % 16 == 0 or not waiting:  # the best sixteen, again and again: the order changes slowly
            ready = sorted(lively, key=lambda page: _gained(rates[page], at - last[page]), reverse=True)[:16]
            waiting = len(ready)
        page = ready[-waiting]
        waiting -= 1
        if at > last[page]:
            visits[page].append(at)
            last[page] = at
    return visits


def _gained(rate: float, time: float) -> float:
    return gain(rate * time) / rate if time > 0 else -1.0


if __name__ == "__main__":
    main(sys.argv[1:] or ["real", "drawn", "signals"])
