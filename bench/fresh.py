"""Does the crawler know how fresh its copies are, does it find what is new, does it hold out for a year?

    python -m bench.fresh number|news|year

Months in virtual time (`skitter.sim.run.months`), against webs whose every change is known. Exit code 1 if a goal is
missed.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Mapping, Sequence

from msgspec import structs

from skitter.messages import Discovered
from skitter.schedule.freshness import told
from skitter.settings import DAY, HOUR, FrontierSettings, PolitenessSettings, ScheduleSettings, Settings
from skitter.sim.run.months import BEGIN, Changing, Months, months, offered, poisson
from skitter.sim.run.year import faults, year

OFF_BY = 0.02
WITHIN, FOUND, WASTED = HOUR, 0.95, 1.2


def settings_for(**schedule: object) -> Settings:
    """Returns settings of a crawl that comes back, with politeness as by default."""
    return Settings(
        frontier=FrontierSettings(shards=8),
        politeness=PolitenessSettings(),
        schedule=structs.replace(ScheduleSettings(recrawl=True), **schedule),
    )


def number(options: argparse.Namespace) -> bool:
    """Prints what was told and the truth, week by week; returns whether both are close once pages are known."""
    dice, end = random.Random(options.seed), BEGIN + options.days * DAY
    pages, rates = {}, {}
    for host in range(options.hosts):
        usual = math.exp(dice.gauss(math.log(1 / (20 * DAY)), 1.5))
        for place in range(options.pages):
            href = f"http://h{host}.test/{place}"
            rates[href] = usual * math.exp(dice.gauss(0.0, 1.0))
            pages[href] = Changing(href, poisson(dice, rates[href], BEGIN - DAY, end))
    truths, off, by_chance, covered = list[float](), list[float](), list[float](), 0
    with months(settings_for(check_share=options.checks), pages, lambda _href, _at: None, options.seed) as crawl:
        crawl.seed(list(pages))
        print(f"{'day':>5}{'truth':>8}{'expected':>10}{'measured':>10}{'error':>8}{'requests':>10}{'lives':>7}")
        for day in range(options.days):
            if options.kills and dice.random() < options.kills:
                crawl.run(crawl.now + dice.random() * DAY / 2)
                crawl.kill()
            crawl.run(BEGIN + (day + 1) * DAY)
            found, truth = crawl.told(), crawl.truth()
            truths.append(truth)
            measured, error = told(found.measured) or (0.0, 1.0)
            off.append(found.whole.ratio - truth)
            by_chance.append(_all_knowing(crawl, rates) - truth)
            covered += abs(off[-1]) <= found.error
            if day % 7 == 6:
                line = f"{day + 1:>5}{truth:>8.3f}{found.whole.ratio:>10.3f}{measured:>10.3f}{error:>8.3f}"
                print(f"{line}{len(crawl.asked):>10}{crawl.lives:>7}", flush=True)
    first = options.known
    weeks, chance = _weeks(off[first:]), _weeks(by_chance[first:])
    single = max(map(abs, off[first:]))
    mean = sum(truths[-14:]) / 14
    print(f"expected: from day {first} on off by {max(weeks):.4f} at the most in the mean of a week (wanted: {OFF_BY})")
    print(f"          ({max(chance):.4f} by chance: so far off is who knows how often each page changes)")
    print(f"          {sum(off[first:]) / len(off[first:]):+.4f} in the mean of all days from then on")
    print(f"          by {single:.4f} on a single day, by {max(map(abs, off[:first])):.4f} on one before")
    print(f"          and within the error that it tells on {covered / options.days:.0%} of the days")
    print(f"measured: {measured:.3f} ± {error:.3f}, mean of the truth of the last two weeks {mean:.3f}")
    return max(weeks) <= OFF_BY and abs(measured - mean) <= error


def _all_knowing(crawl: Months, rates: Mapping[str, float]) -> float:
    """Returns the share of fresh copies that is expected by who knows all rates, but not when pages change."""
    last = {one.href: one.at for one in crawl.asked}
    return sum(math.exp(-rates[href] * (crawl.now - last[href])) for href in crawl.copies) / max(1, len(crawl.copies))


def _weeks(off: Sequence[float]) -> list[float]:
    """Returns how far off the mean of each week is."""
    return [abs(sum(off[day : day + 7]) / 7) for day in range(len(off) - 6)]


def news(options: argparse.Namespace) -> bool:
    """Prints how soon new articles of a news host are fetched, and what that costs; returns whether goals are met."""
    dice, end = random.Random(options.seed), BEGIN + options.days * DAY
    appears = poisson(dice, options.articles / DAY, BEGIN, end)
    pages = {f"http://d{host}.test/": Changing("", ()) for host in range(options.hosts)}
    pages |= {f"http://news.test/{place}": Changing("", ()) for place in range(len(appears))}

    def lists(href: str, at: float) -> list[Discovered] | None:
        if href != "http://news.test/":
            return None
        there = [place for place, when in enumerate(appears) if when <= at]
        return [offered(f"http://news.test/{place}", depth=2) for place in there[-50:]]

    with months(settings_for(), pages, lists, options.seed) as crawl:
        crawl.seed(["http://news.test/", *(href for href in pages if "//d" in href)])
        crawl.run(end)
        asked = crawl.asked
    first: dict[str, float] = {}
    for one in asked:
        first.setdefault(one.href, one.at)
    counted = [place for place, when in enumerate(appears) if BEGIN + options.settle * DAY <= when < end - HOUR]
    soon = sum(first.get(f"http://news.test/{place}", math.inf) - appears[place] <= WITHIN for place in counted)
    since = [one for one in asked if one.at >= BEGIN + options.settle * DAY]
    lists_read = sum(one.href == "http://news.test/" for one in since)
    again = sum(one.is_again and "//news.test/" in one.href for one in since) - lists_read
    share, wasted = soon / len(counted), lists_read / len(counted)
    print(f"{len(counted)} articles from day {options.settle} on; {share:.3f} fetched within an hour (wanted: {FOUND})")
    print(f"{wasted:.2f} visits to the front page for each (wanted: {WASTED} wasted at the most)")
    print(f"{again / len(counted):.2f} visits for each to articles seen before, {len(since)} requests in all")
    return share >= FOUND and wasted <= WASTED


def for_a_year(options: argparse.Namespace) -> bool:
    """Prints what a crawl holds at the end of each month; returns whether it holds no more than it has found."""
    head = f"{'month':>6}{'requests':>10}{'URLs':>8}{'trimmed':>9}{'entries':>9}{'bytes':>11}{'a URL':>7}"
    print(f"{head}{'memory':>10}{'expected':>10}{'truth':>7}{'lives':>7}")
    found = year(
        days=options.days, hosts=options.hosts, pages=options.pages, articles=options.articles, seed=options.seed
    )
    for one in found:
        row = f"{one.month:>6}{one.requests:>10}{one.urls:>8}{one.trimmed:>9}{sum(one.entries.values()):>9}"
        row += f"{one.bytes:>11}{one.bytes / one.urls:>7.0f}{one.memory:>10}{one.fresh:>10.3f}{one.truth:>7.3f}"
        print(f"{row}{one.lives:>7}")
    wrong = [fault for one in found[1:] for fault in faults(one, found[1])]
    print("\n".join(wrong) or "it holds what it has found, and no more")
    return not wrong


def main() -> None:
    """Runs one of the three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["number", "news", "year"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--pages", type=int, default=20, help="of each host")
    parser.add_argument("--kills", type=float, default=0.2, help="how likely one is on each day")
    parser.add_argument("--checks", type=float, default=0.005, help="the share of visits by lot")
    parser.add_argument("--known", type=int, default=14, help="days until all pages were seen again")
    parser.add_argument("--articles", type=float, default=100, help="a day")
    parser.add_argument("--settle", type=int, default=5, help="days before articles are counted")
    options = parser.parse_args()
    began = time.process_time()
    met = {"number": number, "news": news, "year": for_a_year}[options.what](options)
    print(f"{time.process_time() - began:.1f} s of CPU time")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
