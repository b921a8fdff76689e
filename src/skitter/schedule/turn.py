"""What a visit makes of the belief about a page, and when it is to be visited next: all sums over rates. Pure.

This is what scheduling costs. So it is one function from numbers to numbers, and the kernel has it too
(`native/src/turn.rs`); `tests/schedule/test_turn.py` compares the two.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from skitter.kernel import IS_NATIVE
from skitter.schedule.belief import (
    LADDER,
    STEPS,
    TINY,
    Weights,
    after_wait,
    believed,
    likelihood,
    packed,
    packed_evidence,
    still_fresh,
    unpacked,
    unpacked_evidence,
)
from skitter.schedule.usual import NOBODY, Votes, usual_rates
from skitter.schedule.worth_a_visit import wait

if IS_NATIVE:
    from skitter import _native

LEAST_HIDDEN = 0.01
"""Nobody signals every change."""


class Found(NamedTuple):
    """What a visit has found, and what was said before it."""

    gap: float
    changed: bool
    signals: int


class Stakes(NamedTuple):
    """What a visit costs and is worth, and the bounds of a wait; precision and recall of signals, 0 if not heeded."""

    cost: float
    floor: float
    longest: float
    precision: float
    recall: float


class Plan(NamedTuple):
    """When to come again: after `wait`; `demand` visits a second are asked for; `least` as in `policy.Watch`."""

    wait: float
    demand: float
    least: float


class Turn(NamedTuple):
    """What a visit leaves."""

    evidence: bytes
    belief: bytes
    vote: tuple[float, ...]  # what changes in the votes of its host, and of the crawl
    lead: float  # by how much the page's own belief foretold this visit better than what is usual (logarithm)
    hidden: float  # how likely a change was by then that nobody would have signalled
    alone: float  # how likely one was if signals mean nothing
    plan: Plan


def python_turn(
    before: tuple[bytes, bytes], host: Votes, crawl: Votes, found: Found, stakes: Stakes, hidden: float, trusted: float
) -> Turn:
    """Returns what a visit leaves of a page with this evidence and belief `before`.

    `hidden` is the share of changes that come without a signal, by what is known of the host. The page's own belief
    counts for `trusted` against what is usual when the next visit is planned, 1 if pages are known to differ.
    """
    usual = usual_rates(host, crawl, before[1])
    evidence = after_wait(_evidence(*before, usual), usual, max(0.0, found.gap))
    earlier = believed(evidence, usual)
    told = how_likely(earlier, found, stakes)
    after = [each * how + TINY for each, how in zip(evidence, told, strict=True)]
    weights = believed(after, usual)
    belief = packed(weights)
    old = unpacked(before[1]) if before[1] else NOBODY
    vote = tuple([new - was for new, was in zip(unpacked(belief), old, strict=True)])
    mixed = [trusted * own + (1.0 - trusted) * other for own, other in zip(weights, usual, strict=True)]
    return Turn(
        packed_evidence(after),
        belief,
        vote,
        _lead(earlier, usual, told) if before[1] and not stakes.recall else 0.0,
        1.0 - still_fresh(earlier, hidden * found.gap),
        1.0 - still_fresh(earlier, found.gap),
        planned(mixed, stakes),
    )


def python_first_plan(host: Votes, crawl: Votes, stakes: Stakes) -> Plan:
    """Returns when to come again to a page that was fetched for the first time."""
    return planned(usual_rates(host, crawl), stakes)


def _evidence(evidence: bytes, belief: bytes, usual: Weights) -> list[float]:
    """Returns the evidence; of a page whose record is of before it was kept, what the belief must have come of."""
    if belief and not evidence:
        return [own / other for own, other in zip(unpacked(belief), usual, strict=True)]
    return unpacked_evidence(evidence)


def how_likely(weights: Weights, found: Found, stakes: Stakes) -> list[float]:
    """Returns how likely what was found is at each rate. A gap of no length (the clock went back) says nothing.

    A true signal is a change that was counted, not only noticed: it speaks for the rate itself.
    """
    gap, changed, signals = found
    if not gap > 0:
        return [1.0] * STEPS
    if not changed or stakes.recall <= 0:
        return likelihood(gap, changed)
    mean = sum([weight * rate for weight, rate in zip(weights, LADDER, strict=True)])
    doubt = (1.0 - stakes.precision) ** signals
    hidden = 1.0 - stakes.recall
    return [
        math.exp(-stakes.recall * rate * gap) * ((1.0 - doubt) * rate / mean - doubt * math.expm1(-hidden * rate * gap))
        for rate in LADDER
    ]


def _lead(weights: Weights, usual: Weights, told: Weights) -> float:
    own = sum([weight * how for weight, how in zip(weights, told, strict=True)])
    other = sum([weight * how for weight, how in zip(usual, told, strict=True)])
    return math.log(max(own, 1e-9) / max(other, 1e-9))


def planned(weights: Weights, stakes: Stakes) -> Plan:
    """Returns when to come again to a page of which that is believed."""
    alone = max(stakes.floor, min(stakes.longest, wait(weights, stakes.cost)))
    if stakes.precision <= 0:
        return Plan(alone, 1 / alone, 0.0)
    hidden = max(1.0 - stakes.recall, LEAST_HIDDEN)
    longer = max(stakes.floor, min(stakes.longest, wait(weights, stakes.cost * hidden) / hidden))
    gap, fresh = _cycle(weights, stakes, longer)
    net, least = (fresh - stakes.cost) / gap, still_fresh(weights, alone)
    return Plan(alone, 1 / alone, least) if net <= least else Plan(longer, 1 / gap, net)


def _cycle(weights: Weights, stakes: Stakes, longest: float) -> tuple[float, float]:
    """Returns the mean time to the next visit if each signal leads to one, and for how long of it the copy is fresh."""
    gap = fresh = 0.0
    for weight, rate in zip(weights, LADDER, strict=True):
        signals = rate * stakes.recall / stakes.precision
        ends = signals + rate * (1.0 - stakes.recall)
        gap += weight * -math.expm1(-signals * longest) / signals
        fresh += weight * -math.expm1(-ends * longest) / ends
    return gap, fresh


def native_turn(
    before: tuple[bytes, bytes], host: Votes, crawl: Votes, found: Found, stakes: Stakes, hidden: float, trusted: float
) -> Turn:
    """Returns what `python_turn` does."""
    told = _native.turn(*before, host.rates, crawl.pages, crawl.rates, found, stakes, hidden, trusted)
    return Turn(*told[:6], Plan(*told[6]))


def native_first_plan(host: Votes, crawl: Votes, stakes: Stakes) -> Plan:
    """Returns what `python_first_plan` does."""
    return Plan(*_native.first_plan(host.rates, crawl.pages, crawl.rates, stakes))


turn = native_turn if IS_NATIVE else python_turn
first_plan = native_first_plan if IS_NATIVE else python_first_plan
