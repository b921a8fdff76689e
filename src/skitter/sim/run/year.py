"""A crawl that never ends, for a year in virtual time: what it holds must not grow, but for what it has found.

A web that lives: pages change, a news site has new articles every day, which go away after two months. The node is
killed now and then, and while it is down the clock is set forward by a day once, and back by hours. At the end of each
month it is told what is in memory and what is in the stores.
"""

from __future__ import annotations

import gc
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from msgspec import Struct

from skitter.messages import Discovered
from skitter.settings import DAY, HOUR, FrontierSettings, PolitenessSettings, ScheduleSettings, Settings
from skitter.sim.disk import MemoryDisk
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.run.months import BEGIN, Changing, Months, months, offered, poisson
from skitter.sim.stores import MemoryStore, MemoryStores

NEWS = "http://news.test/"
LASTS = 60 * DAY
"""How long an article is there."""
SHOWN = 30
MONTH = 30
LEAPS = {3: DAY, 6: -6 * HOUR, 9: -2 * HOUR}
"""Months in which the clock is set while the node is down, and by how much."""
NOT_OURS = (MemoryDisk, MemoryStore, MemoryStores, Life, SimLoop, Months)
"""What the simulation holds, not the node."""
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, random.Random)


class Standing(Struct, frozen=True):
    """How the crawl stands at the end of a month."""

    month: int
    requests: int  # so far
    urls: int  # known, trimmed ones too
    trimmed: int
    done: int  # skipped and done: in no list
    entries: dict[str, int]  # of the stores, by their letter
    bytes: int  # of all entries
    memory: int  # bytes that the frontier holds
    fresh: float  # as the crawl expects
    truth: float
    lives: int


class Web(Mapping[str, Changing]):
    """Pages that are there for good, and articles that come and go. `now` says when it is asked."""

    def __init__(self, pages: dict[str, Changing], appears: list[float]) -> None:
        self._pages, self.appears = pages, appears
        self.now = BEGIN

    def __getitem__(self, href: str) -> Changing:
        if (page := self._pages.get(href)) is not None:
            return page
        kind, _, number = href.removeprefix(NEWS).partition("/")
        if kind != "a" or not number.isdecimal() or not self.is_there(int(number)):
            raise KeyError(href)
        return Changing(href, ())

    def __iter__(self) -> Iterator[str]:
        return iter(self._pages)

    def __len__(self) -> int:
        return len(self._pages)

    def is_there(self, number: int) -> bool:
        """Whether an article has appeared and is not gone."""
        return number < len(self.appears) and self.appears[number] <= self.now < self.appears[number] + LASTS

    def lists(self, href: str, at: float) -> list[Discovered] | None:
        """Returns what the front page of the news site leads to; None of any other page."""
        self.now = at
        if href != NEWS:
            return None
        there = [number for number, when in enumerate(self.appears) if when <= at]
        return [offered(f"{NEWS}a/{number}", depth=2) for number in there[-SHOWN:]]


def year(*, days: int = 365, hosts: int = 30, pages: int = 10, articles: float = 5.0, seed: int = 1) -> list[Standing]:
    """Returns how the crawl stands at the end of each month."""
    dice, end = random.Random(seed), BEGIN + (days + 2) * DAY  # noqa: S311
    web = Web(_pages(dice, hosts, pages, end), poisson(dice, articles / DAY, BEGIN, end))
    settings = Settings(
        frontier=FrontierSettings(shards=4),
        politeness=PolitenessSettings(),
        schedule=ScheduleSettings(recrawl=True),
    )
    found, asked = list[Standing](), 0
    with months(settings, web, web.lists, seed) as crawl:
        crawl.seed([NEWS, *web])
        for day in range(1, days + 1):
            if dice.random() < 0.2:
                crawl.run(crawl.now + dice.random() * DAY / 2)
                crawl.kill()
            crawl.run(max(crawl.now, BEGIN + day * DAY))
            if day % MONTH == 0:
                asked += len(crawl.asked)
                crawl.asked.clear()
                found.append(_standing(crawl, web, day // MONTH, asked))
                crawl.now += LEAPS.get(day // MONTH, 0.0)
                crawl.kill()
    return found


def faults(one: Standing, settled: Standing) -> Iterator[str]:
    """Yields what a month holds that it should not, against one in which the crawl was settled."""
    listed = sum(one.entries.get(letter, 0) for letter in "qtdex")
    if listed != one.urls - one.trimmed - one.done:
        yield f"month {one.month}: {one.urls} URLs, {one.trimmed} trimmed, {one.done} done, and {listed} in lists"
    if one.memory > 1.15 * settled.memory:
        yield f"month {one.month}: {one.memory} bytes in memory, {settled.memory} in month {settled.month}"
    if one.bytes / one.urls > 1.05 * settled.bytes / settled.urls:
        yield f"month {one.month}: {one.bytes / one.urls:.0f} bytes a URL, {settled.bytes / settled.urls:.0f} before"
    for letter in set(one.entries) - set("uqtdexlfg"):
        if one.entries[letter] > 1.5 * settled.entries.get(letter, 0) + 5:
            yield f"month {one.month}: {one.entries[letter]} entries under {letter}"


def _pages(dice: random.Random, hosts: int, pages: int, end: float) -> dict[str, Changing]:
    made = dict[str, Changing]()
    for host in range(hosts):
        usual = math.exp(dice.gauss(math.log(1 / (20 * DAY)), 1.5))
        for place in range(pages):
            href, rate = f"http://h{host}.test/{place}", usual * math.exp(dice.gauss(0.0, 1.0))
            made[href] = Changing(href, poisson(dice, rate, BEGIN - DAY, end))
    return made


def _standing(crawl: Months, web: Web, month: int, asked: int) -> Standing:
    crawl.frontier.committer.commit()
    entries, size = Counter[str](), 0
    for store in crawl.disk.stores.values():
        for key, value in store.iterate(b"", b""):
            entries[chr(key[0])] += 1
            size += len(key) + len(value)
    told = crawl.told()
    web.now = crawl.now
    there = {href: version for href, version in crawl.copies.items() if href in web}
    fresh = sum(web[href].version(crawl.now) == version for href, version in there.items())
    crawl.copies = there
    trimmed = sum(shard.trimmed() for shard in crawl.frontier._shards.opened.values())
    states = crawl.frontier.statistics().states
    return Standing(
        month=month,
        requests=asked,
        urls=entries["u"],
        trimmed=trimmed,
        done=states["done"] + states["skipped"] - entries["x"],
        entries=dict(entries),
        bytes=size,
        memory=held(crawl.frontier),
        fresh=told.whole.ratio,
        truth=fresh / max(1, len(there)),
        lives=crawl.lives,
    )


def held(root: object) -> int:
    """Returns the bytes of all objects that can be reached from one, but for code and what the simulation holds."""
    seen, todo, size = set[int](), [root], 0
    while todo:
        one: Any = todo.pop()
        if id(one) in seen or isinstance(one, (*CODE, *NOT_OURS)):
            continue
        seen.add(id(one))
        size += sys.getsizeof(one)
        todo += gc.get_referents(one)
    return size
