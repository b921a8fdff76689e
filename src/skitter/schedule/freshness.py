"""How fresh the copies of a crawl are: expected by the model, and measured by visits to pages drawn by lot. Pure.

Expected: of a sample of pages, how likely each copy is what the page shows by now, by the evidence of its visits and by
what is usual by now, on its host and in the crawl (`Prior`). Measured: of the pages that were visited by lot, those
whose text was as we had it. The one is there at once and for each class; the other holds whatever we believe. The
expected one has an error too: wide as long as few pages were seen again, or if visits find what we did not expect.

A copy is *timely* if the page has not changed earlier than its class allows (`ALLOWED`): we are let off what is new.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from msgspec import Struct, structs

from skitter.schedule.belief import Weights, believed, normal, still_fresh, unpacked, unpacked_evidence
from skitter.schedule.policy import Market
from skitter.schedule.recrawl import HostClass
from skitter.schedule.usual import GUESSED, Votes, usual_rates
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
LOOKED_AT = 1000
"""Pages of the sample from which it is told what is usual."""
ROUNDS = 5
"""How often what is usual is told anew from these. More of them follow the sample into its accidents."""


class Sampled(Struct, frozen=True, gc=False, array_like=True):
    """What is kept of a page of the sample."""

    last: float
    belief: bytes
    host_class: HostClass
    hidden: float = 1.0  # the share of its changes that nobody would tell us of
    doubt: float = 1.0  # how likely all that told of one were wrong
    evidence: bytes = b""  # as in `policy.Watch`; no belief either: not seen again yet
    host: str = ""  # empty in records of before it was kept


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
    def off(self) -> float:
        """How far what was expected of these visits was from what they have found."""
        return abs(self.expected - self.fresh) / self.visits if self.visits >= 1 else 0.0


NOTHING_FORETOLD = Foretold()
NO_HOSTS: Mapping[str, Votes] = {}


class Freshness(Struct, frozen=True):
    """How fresh the copies are."""

    classes: dict[str, ClassFreshness] = {}
    measured: Measured = Measured()
    ages: list[float] = []  # of copies, in even steps from the youngest to the oldest
    error: float = 0.0  # how far from the share that is expected the truth may be, in 95 of 100 cases

    @property
    def whole(self) -> ClassFreshness:
        """All classes together."""
        every = self.classes.values()
        return ClassFreshness(*(sum(getattr(one, name) for one in every) for name in ("pages", "fresh", "timely")))


class Prior(NamedTuple):
    """What is known of all pages: what is usual, of the crawl and of hosts, and how far pages have shown to differ."""

    learnt: Weights
    crawl: Votes
    hosts: Mapping[str, Votes]
    sure: float

    def belief(self, page: Sampled) -> Weights:
        """Returns what to believe of a page by now.

        What was believed at its last visit is as old as that visit. Most copies that are old were left alone because
        little was known of their host when they were last seen: they would be told by a guess of weeks ago.
        """
        if page.belief and not page.evidence:
            return unpacked(page.belief)
        evidence = unpacked_evidence(page.evidence)
        anew = believed(evidence, self.learnt)
        there = self.hosts.get(page.host)
        if there is None or self.sure <= 0.0:
            return anew
        kept = believed(evidence, usual_rates(there, self.crawl, page.belief))
        return [self.sure * one + (1.0 - self.sure) * other for one, other in zip(kept, anew, strict=True)]


def prior_of(
    samples: Iterable[tuple[float, Sequence[Sampled]]], market: Market, hosts: Mapping[str, Votes] = NO_HOSTS
) -> Prior:
    """Returns what is known of all pages, by the votes of all, those of their hosts and the evidence of a sample."""
    pages = [page.evidence for _, sample in samples for page in sample if page.evidence]
    some = pages[:: max(1, len(pages) // LOOKED_AT)]
    learnt = population([unpacked_evidence(one) for one in some], normal(market.votes.rates))
    crawl = Votes(market.votes.pages, tuple(market.votes.pages * weight for weight in learnt))
    return Prior(learnt, crawl, hosts, _sure(market.lead))


def _sure(lead: float) -> float:
    """Returns how far pages are known to differ: not at all until their own beliefs are in the lead."""
    return max(0.0, math.tanh(lead / 2))


def population(evidence: Sequence[Weights], usual: Weights) -> Weights:
    """Returns what is usual of pages with that evidence, told anew from what was taken to be.

    Votes were given at pages' last visits, by what was usual then: in the first weeks of a crawl that is little more
    than a guess. Here all vote again at once, some times (expectation and maximisation).
    """
    learnt = usual
    for _ in range(ROUNDS if evidence else 0):
        votes = [GUESSED * weight for weight in usual]
        for page in evidence:
            vote = list(map(mul, page, learnt))
            total = sum(vote)
            votes = [had + more / total for had, more in zip(votes, vote, strict=True)]
        learnt = normal(votes)
    return learnt


def chance(page: Sampled, now: float, allowed: float = 0.0, belief: Weights | None = None) -> float:
    """Returns how likely the copy of a page lacks no change that is older than `allowed`."""
    if (age := now - page.last - allowed) <= 0:
        return 1.0
    return page.doubt * still_fresh(unpacked(page.belief) if belief is None else belief, page.hidden * age)


def expected(
    samples: Sequence[tuple[float, Sequence[Sampled]]],
    measured: Measured,
    now: float,
    market: Market | None = None,
    foretold: Foretold = NOTHING_FORETOLD,
    hosts: Mapping[str, Votes] = NO_HOSTS,
) -> Freshness:
    """Returns how fresh the copies are, by samples that each stand for so many pages, and the votes of their hosts."""
    classes: dict[str, ClassFreshness] = {}
    ages: list[tuple[float, float]] = []
    prior = None if market is None else prior_of(samples, market, hosts)
    for pages, sample in samples:
        weight = max(pages, len(sample)) / max(1, len(sample))
        for page in sample:
            before = classes.get(page.host_class, ClassFreshness())
            belief = None if prior is None else prior.belief(page)
            classes[page.host_class] = ClassFreshness(
                before.pages + weight,
                before.fresh + weight * chance(page, now, belief=belief),
                before.timely + weight * chance(page, now, ALLOWED[page.host_class], belief),
            )
            ages.append((max(0.0, now - page.last), weight))
    found = Freshness(classes, measured, _in_steps(ages))
    return structs.replace(found, error=_error(found.whole.ratio, samples, foretold))


def _error(ratio: float, samples: Sequence[tuple[float, Sequence[Sampled]]], foretold: Foretold) -> float:
    """Returns how far off the share may be: by chance, for so many pages were seen again, and as we were of late."""
    seen = sum(bool(page.belief) for _, sample in samples for page in sample)
    share = (ratio * seen + 2.0) / (seen + 4.0)  # as if two of each kind had been seen (Agresti and Coull)
    by_chance = SURE * math.sqrt(share * (1.0 - share) / (seen + 4.0))
    return min(1.0, max(by_chance, foretold.off))


def together(every: Iterable[Freshness]) -> Freshness:
    """Returns what several nodes tell, as one."""
    classes: dict[str, ClassFreshness] = {}
    visits = fresh = 0.0
    ages: list[tuple[float, float]] = []
    known = list(every)
    for one in known:
        for name, more in one.classes.items():
            had = classes.get(name, ClassFreshness())
            classes[name] = ClassFreshness(had.pages + more.pages, had.fresh + more.fresh, had.timely + more.timely)
        visits, fresh = visits + one.measured.visits, fresh + one.measured.fresh
        ages += [(age, one.whole.pages) for age in one.ages]
    parts = [(one.whole.pages, one.error) for one in known]
    total = sum(pages for pages, _ in parts)
    error = math.sqrt(sum((pages * error) ** 2 for pages, error in parts)) / total if total else 0.0
    return Freshness(classes, Measured(visits, fresh), _in_steps(ages), error)


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


def _in_steps(ages: list[tuple[float, float]]) -> list[float]:
    """Returns even steps of ages that each count for so much."""
    ages.sort()
    total, seen, steps = sum(weight for _, weight in ages), 0.0, list[float]()
    for age, weight in ages:
        seen += weight
        while len(steps) < QUANTILES and seen >= total * (len(steps) + 0.5) / QUANTILES:
            steps.append(age)
    return steps
