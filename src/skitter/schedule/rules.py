"""The policies that need no price, for comparison. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from skitter.schedule.optimal import Optimal
from skitter.schedule.policy import FREE, Market, Place, Policy, Step, Watch
from skitter.schedule.price import joined, round_time
from skitter.schedule.recrawl import BOUNDS, ON_CHANGE, ON_NO_CHANGE, Bounds, HostClass


class Uniform:
    """The policy "uniform": the page that was not seen for longest comes first."""

    is_patient = False

    def __init__(self, bounds: Bounds = FREE) -> None:
        self._bounds = bounds

    def fetched(self, at: float, weight: float, place: Place, market: Market, lot: float = 1.0) -> Step:  # noqa: ARG002 (one shape)
        """Returns what a page's first fetch leaves."""
        price = joined(market.price, 0.0)
        return Step(self._seen(at, market), place, Market(price, market.votes, market.trust, market.lead))

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:  # noqa: ARG002
        """Returns what a visit leaves: another turn after all others."""
        return Step(self._seen(at, market), place, market)

    def signalled(self, watch: Watch, at: float, place: Place, market: Market) -> Step:  # noqa: ARG002
        """Returns what a signal leaves: nothing."""
        return Step(watch, place, market)

    def _seen(self, at: float, market: Market) -> Watch:
        interval = min(self._bounds.ceiling, max(self._bounds.floor, round_time(market.price)))
        return Watch(at, at + interval, 1 / interval)


class Adaptive:
    """The policy "adaptive": half the interval after a change, one and a half times without one, whatever it costs."""

    is_patient = True

    def __init__(self, bounds: Bounds = BOUNDS[HostClass.GENERIC]) -> None:
        self._bounds = bounds

    def fetched(self, at: float, weight: float, place: Place, market: Market, lot: float = 1.0) -> Step:  # noqa: ARG002
        """Returns what a page's first fetch leaves."""
        return Step(self._seen(at, math.sqrt(self._bounds.floor * self._bounds.ceiling)), place, market)

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:  # noqa: ARG002
        """Returns what a visit leaves."""
        return Step(self._seen(at, (watch.due - watch.last) * (ON_CHANGE if changed else ON_NO_CHANGE)), place, market)

    def signalled(self, watch: Watch, at: float, place: Place, market: Market) -> Step:  # noqa: ARG002
        """Returns what a signal leaves: nothing."""
        return Step(watch, place, market)

    def _seen(self, at: float, interval: float) -> Watch:
        interval = min(self._bounds.ceiling, max(self._bounds.floor, interval))
        return Watch(at, at + interval, 1 / interval)


POLICIES: Mapping[str, Callable[..., Policy]] = {"optimal": Optimal, "adaptive": Adaptive, "uniform": Uniform}
"""By their names in settings and in `skitter tools schedule`. Each takes bounds, if there are any."""
