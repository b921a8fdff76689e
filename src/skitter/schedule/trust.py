"""How far to trust those who say that a page has changed: sitemaps, feeds, dates in headers. Pure.

A *signal* says that a page changed at about that time. Two numbers tell what signals of a host are good for: precision,
the share of signals that are true, and recall, the share of changes that are signalled. After a time t without a visit
and k signals a copy is fresh with the probability e^(−(1 − recall)λt) (1 − precision)^k.

Both are learnt at visits, per host, for most sitemaps lie. A change after a signal is not the signal's merit if the
page changes all the time anyway, so each change is shared out between signals and chance, as likely as either made it
(expectation and maximisation, one step at a visit), and signals have to do better than chance. A host that says "now"
at every look ends at a precision of nothing and costs nothing. And visits tell whether they were foretold better with
signals or by the rate of the page alone (`lead`): signals that come at random on pages that change often look true.
A host that never said anything is not asked: there the rate alone counts.
"""

from __future__ import annotations

import math

from msgspec import Struct

FIRST, FIRST_TRUE = 2.0, 1.0
"""Signals, and changes, that a crawl begins with, and how many of them were true, and signalled."""
OF_THE_CRAWL = 4.0
"""What the crawl's experience counts for in a host, in signals and in changes."""
REMEMBERED = 150.0
"""Signals and changes after which the older ones count half: hosts change their software."""

HARDLY_ANY = 0.15
"""Below this precision signals are not gone by: what is learnt of it is as likely an error about the rates."""
BEHIND = -1.0
"""Signals with which visits were foretold so much worse than without are not gone by either, whatever else is known."""
SURE = 10.0
"""A lead beyond this says nothing more, and would take as long to lose."""
TINY = 1e-12
UNLIKELY = 1e-6
"""No visit speaks louder than that."""


class Trust(Struct, frozen=True, gc=False, array_like=True):
    """What came of the signals of a host, or of all hosts of a crawl."""

    signals: float = 0.0  # those that a visit has looked into since
    true: float = 0.0  # of these
    missed: float = 0.0  # changes that nobody signalled
    has_spoken: bool = False
    lead: float = 0.0  # by how much visits were foretold better with signals than by rates alone (logarithm)


class Heed(Struct, frozen=True, gc=False):
    """How good signals are."""

    precision: float
    recall: float

    @property
    def hidden(self) -> float:
        """The share of changes that come without a signal."""
        return 1.0 - self.recall

    def doubt(self, signals: int) -> float:
        """Returns how likely all of so many signals are false."""
        return (1.0 - self.precision) ** signals


DEAF = Heed(0.0, 0.0)
"""For a host without signals."""


def heed(host: Trust, crawl: Trust) -> Heed:
    """Returns how far to go by the signals of a host: not at all if hardly any is true."""
    believed = believe(host, crawl)
    if believed.precision < HARDLY_ANY or host.lead + min(0.0, crawl.lead) < BEHIND:
        return DEAF
    return believed


def believe(host: Trust, crawl: Trust) -> Heed:
    """Returns how good the signals of a host are, by its own record and, while that is short, by that of all."""
    if not host.has_spoken:
        return DEAF
    precision = (crawl.true + FIRST_TRUE) / (crawl.signals + FIRST)
    recall = (crawl.true + FIRST_TRUE) / (crawl.true + crawl.missed + FIRST)
    return Heed(
        (host.true + OF_THE_CRAWL * precision) / (host.signals + OF_THE_CRAWL),
        (host.true + OF_THE_CRAWL * recall) / (host.true + host.missed + OF_THE_CRAWL),
    )


def spoken(trust: Trust) -> Trust:
    """Returns the trust in a host that has sent a signal."""
    return trust if trust.has_spoken else Trust(trust.signals, trust.true, trust.missed, True, trust.lead)


def looked_into(trust: Trust, heeded: Heed, signals: int, *, hidden: float, alone: float, changed: bool) -> Trust:
    """Returns the trust after a visit that came after so many signals.

    A change was likely by then as far as `hidden` without a signal, and `alone` by the rate of the page if signals mean
    nothing. Signals have to be better than the latter: one a day on a page that changes every twenty days would
    explain its changes as well as its rate does.
    """
    true = missed = 0.0
    if changed:
        doubt = heeded.doubt(signals)
        true = min(signals * heeded.precision / max(1.0 - doubt * (1.0 - alone), TINY), signals)
        missed = min(hidden / max(1.0 - doubt * (1.0 - hidden), TINY), 1.0)
    fades = 0.5 if trust.signals + trust.missed > REMEMBERED else 1.0
    better = _better(1.0 - heeded.doubt(signals) * (1.0 - hidden), alone, changed)
    return Trust(
        fades * trust.signals + signals,
        fades * trust.true + true,
        fades * trust.missed + missed,
        trust.has_spoken,
        min(SURE, max(-SURE, trust.lead + better)),
    )


def _better(told: float, alone: float, changed: bool) -> float:
    """Returns the lead that it gives to have expected a change as far as `told`, and not as far as `alone`."""
    chances = (told, alone) if changed else (1.0 - told, 1.0 - alone)
    return math.log(max(chances[0], UNLIKELY) / max(chances[1], UNLIKELY))
