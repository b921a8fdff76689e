"""Whether the requests to one host came one at a time and a full delay apart. Pure.

The delay between two requests is the one that held after the first was answered:

    max(configured delay, Crawl-delay of the robots.txt known by then), or the delay that the operator agreed on,
    and after a 429, a 503, a reset or a read time-out twice the delay before it, until ten good answers in a row halve
    it again; and no less than the load factor times as long as the first answer took

The settings and the agreed delay are those recorded with the second request: it was they who let it go out.
"""

from __future__ import annotations

from collections.abc import Iterator

from skitter.audit.promise import Promise
from skitter.audit.report import Breach
from skitter.audit.visit import Visit
from skitter.messages import Errand, Kind
from skitter.politeness.backoff import RETRY, kind_of_status
from skitter.politeness.delay import Pace, answered_well, base_delay, delay_of, slowed
from skitter.politeness.load import load_wait
from skitter.store.warc.dates import MICRO

TOLERANCE = 0.005
"""Seconds that a request may be early: what timers, and the clocks of a host's successive nodes, may differ by."""

_KINDS = {kind.value: kind for kind in Kind}
Fault = tuple[Breach, Visit, float, float]
"""What was broken, the visit that the second one came too close to, the gap there was and the one required."""


class Delays:
    """The delays of one host. Visits are shown to it in order of time."""

    def __init__(self) -> None:
        self._last: Visit | None = None
        self._longest: Visit | None = None  # of all so far, the one that ended last
        self._asked_to_wait: Visit | None = None  # the one whose Retry-After reaches furthest
        self._pace = Pace()
        self.closest: float | None = None
        self.gap: tuple[float, float] | None = None  # before the visit that was checked last, and the one required

    def check(self, visit: Visit, promise: Promise, crawl_delay: float | None) -> Iterator[Fault]:
        """Yields what the start of `visit` broke; `crawl_delay` is what robots.txt asks for by then."""
        if self._last is not None:
            yield from self._check_gap(self._last, visit, promise, _base(visit, promise, crawl_delay))
        if (longest := self._longest) is not None and _seconds(visit.began - longest.ended) < -TOLERANCE:
            yield (
                Breach.AT_ONCE,
                longest,
                _seconds(visit.began - longest.began),
                _seconds(longest.ended - longest.began),
            )
        if (wishing := self._asked_to_wait) is not None:
            waited, wish = _seconds(visit.began - wishing.ended), wishing.wish or 0.0
            if waited < wish - TOLERANCE:
                yield Breach.BEFORE_RETRY_AFTER, wishing, waited, wish

    def answered(self, visit: Visit, promise: Promise, crawl_delay: float | None) -> None:
        """Takes in how `visit` was answered; `crawl_delay` is what robots.txt asks for from now on."""
        self._last = visit
        if self._longest is None or visit.ended > self._longest.ended:
            self._longest = visit
        if visit.wish is not None and (self._asked_to_wait is None or _awake(visit) > _awake(self._asked_to_wait)):
            self._asked_to_wait = visit
        base = _base(visit, promise, crawl_delay)
        if is_slowing(visit):
            self._pace = slowed(self._pace, base, promise.politeness.max_delay)
        elif visit.errand != Errand.ROBOTS and not visit.failure and kind_of_status(visit.status) is None:
            self._pace = answered_well(self._pace, base)

    def not_reached(self, visit: Visit, promise: Promise, crawl_delay: float | None) -> None:
        """Takes in that no request could be made, which may slow us down as an answer can."""
        if is_slowing(visit):
            self._pace = slowed(self._pace, _base(visit, promise, crawl_delay), promise.politeness.max_delay)

    def _check_gap(self, last: Visit, visit: Visit, promise: Promise, base: float) -> Iterator[Fault]:
        gap, delay = _seconds(visit.began - last.began), delay_of(self._pace, base)
        load = load_wait(_seconds(last.ended - last.began), promise.politeness)
        required = max(delay, load)
        self.gap = gap, required
        over = gap - required
        self.closest = over if self.closest is None else min(self.closest, over)
        if gap < delay - TOLERANCE:
            yield (Breach.TOO_EARLY if gap < base - TOLERANCE else Breach.NOT_SLOWED), last, gap, delay
        elif over < -TOLERANCE and visit.began >= last.ended:  # else AT_ONCE tells it
            yield Breach.LOADED, last, gap, required


def is_slowing(visit: Visit) -> bool:
    """Whether what came of a request doubles the host's delay."""
    kinds = (_KINDS.get(visit.failure), kind_of_status(visit.status) if visit.status else None)
    return any(kind is not None and RETRY[kind].slows for kind in kinds)


def _base(visit: Visit, promise: Promise, crawl_delay: float | None) -> float:
    return base_delay(
        promise.politeness,
        max_crawl_delay=promise.robots.max_crawl_delay,
        crawl_delay=crawl_delay,
        agreed=visit.agreed,
    )


def _awake(visit: Visit) -> float:
    return _seconds(visit.ended) + (visit.wish or 0.0)


def _seconds(micros: int) -> float:
    return micros / MICRO
