"""Whether every page that was asked for was allowed, by the last answer to a request for its robots.txt.

A crawler that lost an answer has to ask again, so that the last answer counts, whoever got it. While robots.txt can't
be read, the last rules hold for a day, and nothing is allowed without any (RFC 9309, 2.3.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from skitter.messages import Kind
from skitter.settings import DAY, MINUTE
from skitter.sim.web import Request
from skitter.sim.world import Robots, World
from skitter.url.keys import origin_of

ON_ITS_WAY = 1.0
"""Seconds between the decision to ask for a page and the request: a connection is made first."""


def unallowed(world: World, log: Sequence[Request], stored: Collection[int], *, has_age: bool) -> Iterator[str]:
    """Yields what was asked for and was not allowed. `has_age`: answers that are too old count too."""
    origins: dict[str, _Origin] = {}
    for place, request in enumerate(log):
        if request.origin:
            if not request.was_cut:
                origins.setdefault(request.origin, _Origin()).learn(request, is_stored=place in stored)
            continue
        origin = origins.get(origin_of(request.href))
        why = "before its robots.txt was read" if origin is None else origin.refusal(world, request, has_age=has_age)
        if why is not None:
            yield f"{request.href} was asked for at {request.began:.3f} by {request.life.name} {why}"


class _Origin:
    """What an origin's robots.txt said last."""

    def __init__(self) -> None:
        self._last: Robots | None = None  # None: it could not be read
        self._answered = 0.0
        self._rules: Robots | None = None  # the last that were read, and when
        self._read = 0.0

    def learn(self, request: Request, *, is_stored: bool) -> None:
        assert request.ended is not None
        if request.failure is Kind.STALE:
            return  # nobody answered, and it is asked for again
        robots = request.robots if request.failure is None else None
        self._last = robots if robots is not None and robots.is_readable() else None
        self._answered = request.ended
        if self._last is not None and (is_stored or not self._last.is_missing()):
            self._rules, self._read = (None if self._last.is_missing() else self._last), request.ended

    def refusal(self, world: World, request: Request, *, has_age: bool) -> str | None:
        path = world.place(request.href).path
        if self._last is None:
            return self._refusal_by_old_rules(path, request.began, has_age=has_age)
        if not self._last.allows(path):
            return f"though robots.txt had forbidden it at {self._answered:.3f}"
        if has_age and request.began > self._answered + _good_for(self._last) + ON_ITS_WAY:
            return f"when what robots.txt said at {self._answered:.3f} was too old"
        return None

    def _refusal_by_old_rules(self, path: str, now: float, *, has_age: bool) -> str | None:
        if self._rules is None or (has_age and now >= self._read + DAY + ON_ITS_WAY):
            return "while robots.txt could not be read"
        return None if self._rules.allows(path) else f"though robots.txt had forbidden it at {self._read:.3f}"


def _good_for(robots: Robots) -> float:
    return DAY if robots.max_age is None or robots.is_missing() else min(max(robots.max_age, MINUTE), DAY)
