"""Whether requests to one host kept its delay: the default, its Crawl-delay, and what it slowed us down to.

It reckons with the least that the host could expect: good news counts even if we may have forgotten it, bad news only
if it is in the archive, since then it was made durable first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skitter.messages import Kind
from skitter.politeness.backoff import RETRY, kind_of_status
from skitter.politeness.delay import Pace, answered_well, base_delay, delay_of, slowed
from skitter.politeness.load import load_wait
from skitter.politeness.troubles import FIRST_REST
from skitter.settings import Settings
from skitter.sim.web import NOT_SENT, Request
from skitter.url.keys import host_of

EPSILON = 1e-6
_TELL_US_TO_STAY_AWAY = frozenset({Kind.TOO_MANY_REQUESTS, Kind.UNAVAILABLE})


def too_early(host: str, told: Iterable[tuple[Request, bool]], settings: Settings, *, has_sleep: bool) -> Iterator[str]:
    """Yields what came too early of the requests to a host; each with whether its answer is in the archive."""
    host_now = _Host(host, settings)
    before: Request | None = None
    for request, is_stored in told:
        if before is not None:
            # What was under way meanwhile is told of as two at once.
            is_over = before.ended is not None and request.began >= before.ended - EPSILON
            gap, delay = request.began - before.began, max(host_now.delay(), host_now.load if is_over else 0.0)
            if gap < delay - EPSILON:
                yield f"{host} was asked {gap:.3f} s after the last time, and its delay is {delay:.3f}: {request.href}"
        if has_sleep and request.began < host_now.asleep_until - EPSILON:
            yield f"{host} was asked {host_now.asleep_until - request.began:.3f} s too soon: {request.href}"
        host_now.learn(request, is_stored=is_stored)
        before = request


class _Host:
    """What we know of a host at the least."""

    def __init__(self, host: str, settings: Settings) -> None:
        self._host = host
        self._settings = settings
        self._crawl_delays: dict[str, float] = {}
        self._pace = Pace()
        self.asleep_until = 0.0
        self.load = 0.0  # seconds from the last request, by how long it took

    def delay(self) -> float:
        return delay_of(self._pace, self._base())

    def _base(self) -> float:
        return base_delay(
            self._settings.politeness,
            max_crawl_delay=self._settings.robots.max_crawl_delay,
            crawl_delay=max(self._crawl_delays.values(), default=None),
        )

    def learn(self, request: Request, *, is_stored: bool) -> None:
        took = request.ended - request.began if request.ended is not None else 0.0
        was_sent = request.failure not in NOT_SENT
        self.load = load_wait(took, self._settings.politeness) if is_stored and was_sent else 0.0
        if request.origin and host_of(request.origin) != self._host:
            return  # it was asked on behalf of another host, which is the one that learns from it
        kind = request.failure or (kind_of_status(request.status) if request.status else None)
        if request.origin and not request.was_cut:
            self._learn_robots(request, is_stored=is_stored)
        if kind is not None and is_stored:
            self._learn_failure(request, kind)
        elif kind is None and not request.was_cut and not request.origin:
            self._pace = answered_well(self._pace, self._base())

    def _learn_robots(self, request: Request, *, is_stored: bool) -> None:
        robots = request.robots
        before = self._crawl_delays.pop(request.origin, 0.0)
        if robots is None or robots.crawl_delay is None or not robots.is_readable():
            return
        # One that is not in the archive may be forgotten: then the shorter of the two is all that can be expected.
        delay = robots.crawl_delay if is_stored else min(before, robots.crawl_delay)
        self._crawl_delays[request.origin] = delay

    def _learn_failure(self, request: Request, kind: Kind) -> None:
        if RETRY[kind].slows:
            self._pace = slowed(self._pace, self._base(), self._settings.politeness.max_delay)
        if kind in _TELL_US_TO_STAY_AWAY and request.ended is not None:
            wish = FIRST_REST if request.retry_after is None else float(request.retry_after)
            self.asleep_until = request.ended + min(wish, self._settings.politeness.max_retry_after)
