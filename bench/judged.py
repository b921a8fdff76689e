"""Does the crawler fetch what is worth it, and leave the rest? `make judge`, or: python -m bench.judged traps --seed 2

Webs with a known truth (`skitter.simweb.judged`) are crawled, in virtual time or with `--processes` for real; the
servers' log is the judge. Each kind prints a table and its goals; exit code 1 if one of them is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bench.judged_run import Run, crawl

from skitter.simweb.judged.score import bare, near_score, soft_score, tally, total
from skitter.simweb.judged.sheet import What
from skitter.simweb.judged.site import MACHINES
from skitter.simweb.judged.webs import (
    KINDS,
    PLACES,
    dust_web,
    farm_web,
    honest_web,
    mirror_web,
    numbered_web,
    soft_web,
    trap_host,
    trap_web,
)

CORNER, AIM = 200, 40
LOST = 0.001
PRECISION, RECALL, PROBES = 0.99, 0.97, 0.005
FARM_SHARE, COVERAGE, FIRST = 0.02, 0.99, 10_000
FOUND, AGAIN = 0.9, 100
"""A rule is found if other forms of pages were fetched at most so often; a site has 240 to 720 of them."""
TRAP_PAGES = 6000
"""Pages of a crawl of three sites with one trap: more than the good ones and three corners at their limit."""


class Goal(NamedTuple):
    """What was wanted, and what there is."""

    what: str
    value: float
    is_met: bool


class Report(NamedTuple):
    """A table and the goals that it is about."""

    head: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    goals: list[Goal]


def traps(options: argparse.Namespace) -> Report:
    """Returns the requests that each corner got, and the good pages that were lost beside it."""
    rows, worst, lost, good, over, requests, waste = [], 0, 0, 0, 0, 0, 0
    for kind in options.only or KINDS:
        web = trap_web(options.seed, [kind])
        run = crawl(web, pages=options.pages or TRAP_PAGES, processes=options.processes, delay=options.delay)
        found = tally(web, run.requests)
        mine = [found[trap_host(kind, place)] for place in PLACES]
        missing = sum(one.good - one.got for one in mine)
        rows.append((kind, *(one.waste for one in mine), sum(one.good for one in mine), missing))
        worst, over = max([worst, *(one.waste for one in mine)]), over + sum(one.waste > CORNER for one in mine)
        lost, good = lost + missing, good + sum(one.good for one in mine)
        requests, waste = requests + sum(one.requests for one in mine), waste + sum(one.waste for one in mine)
    goals = [
        Goal(f"corners with more than {CORNER} requests, of {3 * len(rows)}", over, over == 0),
        Goal("requests of the worst corner", worst, worst <= CORNER),
        Goal(f"mean of a corner (aim {AIM})", waste / (3 * len(rows)), True),
        Goal("share of requests that was wasted", waste / max(1, requests), True),
        Goal(f"good pages lost, of {good}", lost, lost == 0),
    ]
    return Report(("trap", *PLACES, "good", "lost"), rows, goals)


def honest(options: argparse.Namespace) -> Report:
    """Returns the pages lost of each kind of honest site."""
    web = honest_web(options.seed, options.articles, options.variants)
    run = crawl(web, pages=options.pages or 10**9, processes=options.processes, delay=options.delay)
    found = tally(web, run.requests)
    flagged = {bare(one.url) for one in run.told if "soft_404" in one.reasons}
    near = near_score(web, run.told)
    rows = [
        (
            name,
            one.good,
            one.good - one.got,
            near[name].copies,
            near[name].told,
            len(near[name].wrong),
            _example(one.lost),
        )
        for name, one in sorted(found.items())
    ]
    lost, good = sum(row[2] for row in rows), sum(row[1] for row in rows)
    wrong = sum(web.fact(url).what is What.GOOD for url in flagged)
    merged = sum(len(one.wrong) for name, one in near.items() if name.startswith("languages"))
    goals = [
        Goal(f"share of honest pages lost, of {good}", lost / good, lost / good <= LOST),
        Goal("honest pages called a soft 404", wrong, wrong == 0),
        Goal("translations called a copy", merged, merged == 0),
    ]
    return Report(("site", "pages", "lost", "copies", "told", "wrong", "such as"), rows, goals)


def articles(options: argparse.Namespace) -> Report:
    """Returns the pages lost of one site of numbered articles, as many as are asked for."""
    web = numbered_web(options.seed, options.articles)
    run = crawl(web, pages=options.pages or 10**9, processes=options.processes, delay=options.delay)
    rows = [
        (name, one.good, one.good - one.got, one.requests - one.got, _example(one.lost))
        for name, one in tally(web, run.requests).items()
    ]
    lost = sum(row[2] for row in rows)
    return Report(
        ("site", "pages", "lost", "other requests", "such as"), rows, [Goal("articles lost", lost, lost == 0)]
    )


def _example(lost: list[str]) -> str:
    return lost[len(lost) // 2].removeprefix("http://") if lost else ""


def soft404(options: argparse.Namespace) -> Report:
    """Returns how well each style was told."""
    web = soft_web(options.seed, options.dead, options.variants)
    run = crawl(web, pages=options.pages or 10**9, processes=options.processes, delay=options.delay)
    scores, found = soft_score(web, run.told), tally(web, run.requests)
    rows = [
        (name, found[name].requests, found[name].good - found[name].got, one.dead, one.told, len(one.wrong))
        for name, one in sorted(scores.items())
    ]
    every, lost = total(scores), sum(one.good - one.got for one in found.values())
    share, made_up = (count / max(1, len(run.requests)) for count in (run.probes, run.probes + run.soundings))
    goals = [
        Goal(f"precision, of {every.flagged} flagged", every.precision, every.precision >= PRECISION),
        Goal(f"recall, of {every.dead} dead pages", every.recall, every.recall >= RECALL),
        Goal(f"share of probes, of {len(run.requests)} requests", share, share <= PROBES),
        Goal("share of probes and soundings", made_up, True),
        Goal("good pages lost", lost, lost == 0),
    ]
    return Report(("site", "requests", "lost", "dead", "told", "false"), rows, goals)


def farm(options: argparse.Namespace) -> Report:
    """Returns what the farm got of the first pages, and what it cost the honest sites."""
    pages = options.pages or FIRST
    without, beside = (
        crawl(
            farm_web(options.seed, hosts=hosts, domains=options.domains),
            pages=pages,
            processes=options.processes,
            delay=options.delay,
        )
        for hosts in (0, options.hosts)
    )
    web = farm_web(options.seed, hosts=options.hosts, domains=options.domains)
    alone, both = (_honest_pages(web, run) for run in (without, beside))
    asked = [url for url in map(bare, beside.requests) if not url.endswith(MACHINES)]
    share = sum(web.fact(url).what is What.FARM for url in islice(asked, FIRST)) / max(1, min(len(asked), FIRST))
    new = {name for url in both if (name := web.site_of(url)).startswith("new")}
    coverage = len(both) / max(1, len(alone))
    rows = [
        ("honest pages, without the farm", len(alone)),
        ("honest pages, beside it", len(both)),
        ("honest domains, without", len({web.site_of(url) for url in alone})),
        ("honest domains, beside", len({web.site_of(url) for url in both})),
        ("hosts of the farm", len({url.split("/")[2] for url in asked if web.fact(url).what is What.FARM})),
    ]
    goals = [
        Goal(f"farm's share of the first {min(len(asked), FIRST)} pages", share, share <= FARM_SHARE),
        Goal("honest coverage against the run without it", coverage, coverage >= COVERAGE),
        Goal("new domains visited, of 30", len(new), len(new) == 30),
    ]
    return Report(("what", "number"), rows, goals)


def _honest_pages(web: Any, run: Run) -> set[str]:
    return {url for url in map(bare, run.requests) if web.fact(url).what is What.GOOD}


def dust(options: argparse.Namespace) -> Report:
    """Returns how often other forms of pages were fetched, and the pages lost on sites where the rule does not hold.

    Whole mirrors are found by the nightly look: theirs is after a quarter of all pages, with real processes.
    """
    web, mirrors = dust_web(options.seed), mirror_web(options.seed)
    run = crawl(web, pages=options.pages or 10**9, processes=options.processes, delay=options.delay)
    night = sum(1 for _ in mirrors.good()) // 4
    beside = crawl(mirrors, pages=options.pages or 10**9, delay=options.delay, look_after=night)
    found = tally(web, run.requests) | tally(mirrors, beside.requests)
    rows = [(name, one.good, one.good - one.got, one.requests, one.again) for name, one in sorted(found.items())]
    rules = {name: one.again for name, one in found.items() if name.endswith("-holds.test")}
    rules["mirror-holds.test"] += rules.pop("copy-of-holds.test")
    seen = sum(again <= AGAIN for again in rules.values())
    wrong = sum(row[2] for row in rows)
    goals = [
        Goal(f"share of {len(rules)} rules found", seen / len(rules), seen / len(rules) >= FOUND),
        Goal("pages lost by wrong merges", wrong, wrong == 0),
    ]
    return Report(("site", "pages", "lost", "requests", "again"), rows, goals)


REPORTS: dict[str, Callable[[argparse.Namespace], Report]] = {
    "traps": traps,
    "soft404": soft404,
    "honest": honest,
    "articles": articles,
    "farm": farm,
    "dust": dust,
}


def main() -> None:
    """Prints the table of a kind; exit code 1 if a goal is missed."""
    options = _options()
    if options.kind == "real":
        sys.exit(subprocess.run([sys.executable, Path(__file__).with_name("judged_real.py")], check=False).returncode)
    began = time.process_time()
    report = REPORTS[options.kind](options)
    seconds = time.process_time() - began
    if options.json:
        print(json.dumps({"kind": options.kind, "seed": options.seed, **report._asdict()}))
    else:
        _print(report, f"{options.kind}, seed {options.seed}, {seconds:.0f} s of CPU time here")
    sys.exit(not all(goal.is_met for goal in report.goals))


def _print(report: Report, title: str) -> None:
    rows = [tuple(map(str, row)) for row in (report.head, *report.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"{title}\n")
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]))
    print()
    for goal in report.goals:
        print(f"{'met' if goal.is_met else 'MISSED':8}{goal.value:10.6g}  {goal.what}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.judged", description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=[*REPORTS, "real"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--processes", action="store_true", help="real processes and sockets instead of virtual time")
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--pages", type=int, help="where a crawl ends at the latest")
    parser.add_argument("--only", action="append", choices=KINDS, help="of traps: this kind, and again for more")
    parser.add_argument("--articles", type=int, default=3000, help="of the honest site with numbers, up to a million")
    parser.add_argument("--variants", type=int, default=2, help="sites of each honest kind, and of each soft 404")
    parser.add_argument("--dead", type=int, default=40, help="dead links of a site with soft 404s")
    parser.add_argument("--hosts", type=int, default=2000, help="of the farm")
    parser.add_argument("--domains", type=int, default=40, help="of the farm")
    return parser.parse_args()


if __name__ == "__main__":
    main()
