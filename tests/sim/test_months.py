"""Months in virtual time: the number is true, new articles are found soon, and a kill changes neither."""

from __future__ import annotations

import math
import random

import pytest
from msgspec import structs

from skitter.messages import Discovered
from skitter.schedule.freshness import told
from skitter.settings import DAY, HOUR, FrontierSettings, PolitenessSettings, ScheduleSettings, Settings
from skitter.sim.run.months import BEGIN, Changing, Months, months, offered, poisson

SETTINGS = Settings(
    frontier=FrontierSettings(shards=4),
    politeness=PolitenessSettings(),
    schedule=ScheduleSettings(recrawl=True, check_share=0.05),
)


def web(hosts: int, pages: int, days: float, seed: int = 1) -> dict[str, Changing]:
    """Returns pages that change about once in three weeks, some far more often and some hardly ever."""
    dice, made = random.Random(seed), dict[str, Changing]()
    for host in range(hosts):
        usual = math.exp(dice.gauss(math.log(1 / (20 * DAY)), 1.5))
        for place in range(pages):
            href, rate = f"http://h{host}.test/{place}", usual * math.exp(dice.gauss(0.0, 1.0))
            made[href] = Changing(href, poisson(dice, rate, BEGIN - DAY, BEGIN + days * DAY))
    return made


def no_lists(_href: str, _at: float) -> None:
    return None


@pytest.mark.slow
def test_what_is_told_of_the_copies_is_true() -> None:
    pages, off, truths = web(30, 20, 70), list[float](), list[float]()
    with months(SETTINGS, pages, no_lists) as crawl:
        crawl.seed(list(pages))
        for day in range(70):
            if day % 9 == 4:
                crawl.run(crawl.now + DAY / 3)
                crawl.kill()
            crawl.run(BEGIN + (day + 1) * DAY)
            truths.append(crawl.truth())
            off.append(crawl.told().whole.ratio - truths[-1])
        measured = told(crawl.told().measured)
    assert measured is not None
    assert abs(sum(off[49:]) / 21) <= 0.03, "of 600 pages; chance alone is two hundredths"
    assert abs(measured[0] - sum(truths[49:]) / 21) <= 2 * measured[1]


@pytest.mark.slow
def test_new_articles_of_a_news_host_are_fetched_within_the_hour() -> None:
    dice, end = random.Random(4), BEGIN + 6 * DAY
    appears = poisson(dice, 100 / DAY, BEGIN, end)
    pages = {f"http://d{host}.test/": Changing("", ()) for host in range(50)}
    pages |= {f"http://news.test/{place}": Changing("", ()) for place in range(len(appears))}

    def lists(href: str, at: float) -> list[Discovered] | None:
        there = [place for place, when in enumerate(appears) if when <= at]
        found = [offered(f"http://news.test/{place}", depth=2) for place in there[-50:]]
        return found if href == "http://news.test/" else None

    with months(SETTINGS, pages, lists) as crawl:
        crawl.seed(["http://news.test/", *(href for href in pages if "//d" in href)])
        crawl.run(end)
        asked = crawl.asked
    first = {one.href: one.at for one in reversed(asked)}
    counted = [place for place, when in enumerate(appears) if BEGIN + 3 * DAY <= when < end - HOUR]
    soon = sum(first.get(f"http://news.test/{place}", math.inf) - appears[place] <= HOUR for place in counted)
    reads = sum(one.href == "http://news.test/" and one.at >= BEGIN + 3 * DAY for one in asked)
    assert soon / len(counted) >= 0.95
    assert reads / len(counted) <= 1.2


def crawled(kills: bool, set_forward: float = 0.0) -> Months:
    pages = web(10, 5, 40)
    settings = structs.replace(SETTINGS, schedule=structs.replace(SETTINGS.schedule, check_share=0.0))
    with months(settings, pages, no_lists) as crawl:
        crawl.seed(list(pages))
        for day in range(30):
            crawl.run(BEGIN + day * DAY + DAY / 2)
            if kills:
                crawl.kill()
            if day == 15:
                crawl.now += set_forward
            crawl.run(max(crawl.now, BEGIN + (day + 1) * DAY))
    return crawl


def test_a_restart_neither_fetches_all_again_nor_forgets_what_is_due() -> None:
    plain, killed = crawled(kills=False), crawled(kills=True)
    assert killed.lives == 31
    assert len(plain.copies) == len(killed.copies) == 50
    assert len(killed.asked) == pytest.approx(len(plain.asked), rel=0.02), "the price goes on from where it was"


def test_lives_of_few_requests_have_their_part_of_visits_by_lot() -> None:
    settings = structs.replace(SETTINGS, schedule=structs.replace(SETTINGS.schedule, check_share=0.04))
    pages = web(10, 5, 40)
    with months(settings, pages, no_lists) as crawl:
        crawl.seed(list(pages))
        for half in range(60):
            crawl.run(BEGIN + (half + 1) * DAY / 2)
            crawl.kill()  # after some six requests
        assert crawl.told().measured.visits > 3, "of the last two weeks"


def test_a_clock_set_forward_makes_each_page_due_once() -> None:
    plain, jumped = crawled(kills=False), crawled(kills=False, set_forward=2 * DAY)
    assert len(jumped.asked) == pytest.approx(len(plain.asked), rel=0.25)


def test_pages_that_were_fetched_at_once_are_seen_again_one_after_the_other_from_the_first_day_on() -> None:
    pages = web(10, 10, 5)
    with months(SETTINGS, pages, no_lists) as crawl:
        crawl.seed(list(pages))
        again = []
        for day in range(4):
            before = len(crawl.asked)
            crawl.run(BEGIN + (day + 1) * DAY)
            again.append(sum(one.is_again for one in crawl.asked[before:]))
    assert min(again) >= 1
    assert sum(again) < 60
