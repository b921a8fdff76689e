"""How fresh the copies of a crawl are: expected by the model, and measured by visits to pages drawn by lot. Pure.

Expected: of a sample of pages, how likely each copy is what the page shows by now, by the same belief that its visits
are planned with. Measured: of the pages that were visited by lot, those whose text was as we had it. The one is there
at once and for each class; the other holds whatever we believe.

A copy is *timely* if the page has not changed earlier than its class allows (`ALLOWED`): we are let off what is new.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from skitter.schedule.belief import still_fresh, unpacked
from skitter.schedule.recrawl import HostClass
from skitter.settings import DAY, HOUR

ALLOWED: Mapping[HostClass, float] = {HostClass.NEWS: HOUR, HostClass.GENERIC: DAY, HostClass.DORMANT: 7 * DAY}
"""How long after a change a copy may lack it."""
WANTED = 0.95
"""The share of copies that are to be timely; what is left to 1 is the budget for those that are not."""
QUANTILES = 20
"""Steps in which the ages of copies are told."""
SURE = 1.96
"""Standard errors to either side of what was measured: it is there in 95 of 100 cases."""
REMEMBERED = 4000.0
"""Visits by lot after which older ones count half."""
LATELY = 14 * DAY
"""How long what was found counts, in the mean: the number is to tell of these days."""
BELIEVED = 10.0
"""Visits that our belief counts for when it is held against what visits have found."""


class Sampled(Struct, frozen=True, gc=False, array_like=True):
    """What is kept of a page of the sample."""

    last: float
    belief: bytes
    host_class: HostClass
    hidden: float = 1.0  # the share of its changes that nobody would tell us of
    doubt: float = 1.0  # how likely all that told of one were wrong


class ClassFreshness(Struct, frozen=True):
    """The pages of a class: how many there are, how many copies are fresh, and how many timely."""

    pages: float = 0.0
    fresh: float = 0.0
    timely: float = 0.0

    @property
    def ratio(self) -> float:
        """The share of fresh copies."""
        return self.fresh / self.pages if self.pages else 0.0

    @property
    def budget_left(self) -> float:
        """What is left of the copies that need not be timely: 1 if all are, less than 0 if too few."""
        return 1.0 - (1.0 - self.timely / self.pages) / (1.0 - WANTED) if self.pages else 1.0


class Measured(Struct, frozen=True, array_like=True):
    """What visits by lot have found."""

    visits: float = 0.0
    fresh: float = 0.0
    at: float = 0.0  # the last of them


class Foretold(Struct, frozen=True, array_like=True):
    """How many copies were fresh when pages of the sample were visited, and how many we had expected to be."""

    visits: float = 0.0
    expected: float = 0.0
    fresh: float = 0.0
    at: float = 0.0

    @property
    def shift(self) -> float:
        """What is to be added to the log-odds of our belief for it to be right in the mean."""
        believed = (self.expected + BELIEVED / 2) / (self.visits + BELIEVED)
        found = (self.fresh + BELIEVED * believed) / (self.visits + BELIEVED)
        return _log_odds(found) - _log_odds(believed)


class Freshness(Struct, frozen=True):
    """How fresh the copies are."""

    classes: dict[str, ClassFreshness] = {}
    measured: Measured = Measured()
    ages: list[float] = []  # of copies, in even steps from the youngest to the oldest

    @property
    def whole(self) -> ClassFreshness:
        """All classes together."""
        every = self.classes.values()
        return ClassFreshness(*(sum(getattr(one, name) for one in every) for name in ("pages", "fresh", "timely")))


def chance(page: Sampled, now: float, allowed: float = 0.0) -> float:
    """Returns how likely the copy of a page lacks no change that is older than `allowed`."""
    if (age := now - page.last - allowed) <= 0:
        return 1.0
    return page.doubt * still_fresh(unpacked(page.belief), page.hidden * age)


def expected(
    samples: Iterable[tuple[float, Sequence[Sampled]]], measured: Measured, now: float, shift: float = 0.0
) -> Freshness:
    """Returns how fresh the copies are, by samples that each stand for so many pages; `shift` is that of `Foretold`."""
    classes: dict[str, ClassFreshness] = {}
    ages: list[tuple[float, float]] = []
    for pages, sample in samples:
        weight = max(pages, len(sample)) / max(1, len(sample))
        for page in sample:
            before = classes.get(page.host_class, ClassFreshness())
            classes[page.host_class] = ClassFreshness(
                before.pages + weight,
                before.fresh + weight * _shifted(chance(page, now), shift),
                before.timely + weight * chance(page, now, ALLOWED[page.host_class]),
            )
            ages.append((max(0.0, now - page.last), weight))
    return Freshness(classes, measured, _in_steps(ages))


def together(every: Iterable[Freshness]) -> Freshness:
    """Returns what several nodes tell, as one."""
    classes: dict[str, ClassFreshness] = {}
    visits = fresh = 0.0
    ages: list[tuple[float, float]] = []
    for one in every:
        for name, more in one.classes.items():
            had = classes.get(name, ClassFreshness())
            classes[name] = ClassFreshness(had.pages + more.pages, had.fresh + more.fresh, had.timely + more.timely)
        visits, fresh = visits + one.measured.visits, fresh + one.measured.fresh
        ages += [(age, one.whole.pages) for age in one.ages]
    return Freshness(classes, Measured(visits, fresh), _in_steps(ages))


def with_check(measured: Measured, is_fresh: bool, at: float) -> Measured:
    """Returns what was measured after one more visit by lot."""
    stays = _stays(measured.at, at) * (0.5 if measured.visits >= REMEMBERED else 1.0)
    return Measured(stays * measured.visits + 1, stays * measured.fresh + is_fresh, at)


def with_visit(foretold: Foretold, believed: float, is_fresh: bool, at: float) -> Foretold:
    """Returns what was foretold after one more visit, whose page we believed so likely to be as before."""
    stays = _stays(foretold.at, at)
    return Foretold(
        stays * foretold.visits + 1, stays * foretold.expected + believed, stays * foretold.fresh + is_fresh, at
    )


def all_measured(every: Iterable[Measured]) -> Measured:
    """Returns what was measured in several shards, as one."""
    known = list(every)
    return Measured(sum(one.visits for one in known), sum(one.fresh for one in known))


def all_foretold(every: Iterable[Foretold]) -> Foretold:
    """Returns what several shards have foretold, as one."""
    known = list(every)
    return Foretold(*(sum(getattr(one, name) for one in known) for name in ("visits", "expected", "fresh")))


def told(measured: Measured) -> tuple[float, float] | None:
    """Returns the share of fresh copies that was measured, and its error (Wilson's interval); None: nobody looked."""
    if measured.visits <= 0:
        return None
    visits, share = measured.visits, measured.fresh / measured.visits
    spread = 1.0 + SURE**2 / visits
    half = SURE * math.sqrt(share * (1.0 - share) / visits + (SURE / (2 * visits)) ** 2) / spread
    return (share + SURE**2 / (2 * visits)) / spread, half


def quantile(ages: Sequence[float], share: float) -> float:
    """Returns the age that so many copies do not exceed."""
    return ages[min(len(ages) - 1, int(share * len(ages)))] if ages else 0.0


def _stays(before: float, now: float) -> float:
    return math.exp(-max(0.0, now - before) / LATELY)


def _log_odds(chance: float) -> float:
    chance = min(1 - 1e-9, max(1e-9, chance))
    return math.log(chance / (1 - chance))


def _shifted(chance: float, shift: float) -> float:
    return chance if shift == 0.0 or chance >= 1.0 else 1 / (1 + math.exp(-_log_odds(chance) - shift))


def _in_steps(ages: list[tuple[float, float]]) -> list[float]:
    """Returns even steps of ages that each count for so much."""
    ages.sort()
    total, seen, steps = sum(weight for _, weight in ages), 0.0, list[float]()
    for age, weight in ages:
        seen += weight
        while len(steps) < QUANTILES and seen >= total * (len(steps) + 0.5) / QUANTILES:
            steps.append(age)
    return steps
