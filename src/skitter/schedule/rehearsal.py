"""A schedule in virtual time: the real policies against pages whose changes are known beforehand. Pure.

Visits are made at even times, as many as the budget has. Each goes to the page that is due first. A visit learns
whether the page changed since the last one, and nothing else; a signal is heard at its time.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from skitter.schedule.policy import Place, Policy, Step, Watch, first_market
from skitter.settings import DAY


class Course(Struct, frozen=True):
    """A budget, and the time it is for."""

    budget: float  # visits a day
    begins: float
    ends: float

    @property
    def visits(self) -> int:
        """How many visits there are in all."""
        return int(self.budget * (self.ends - self.begins) / DAY + 1e-9)

    def at(self, number: int) -> float:
        """Returns when a visit takes place: in the middle of its share of the time."""
        return self.begins + (number + 0.5) * DAY / self.budget


class Subject(Struct, frozen=True):
    """A page, and when it will change; times are sorted."""

    host: str
    known_at: float
    changes: Sequence[float]
    weight: float = 1.0
    signals: Sequence[float] = ()


class Rehearsal:
    """The pages of a course, as the policy comes to know them."""

    def __init__(self, course: Course, pages: Sequence[Subject], policy: Policy) -> None:
        self.visits: list[list[float]] = [[] for _ in pages]
        self._course, self._pages, self._policy = course, pages, policy
        starts = [max(page.known_at, course.begins) for page in pages]
        known = sum(start <= course.begins for start in starts)
        self.market = first_market(course.budget / DAY, known)
        self._places: dict[str, Place] = {}
        self._watches: list[Watch | None] = [None] * len(pages)
        self._due: list[tuple[float, int]] = []
        # The first fetch of a page comes before a signal of the same time.
        self._ahead = sorted(
            [(start, 0, number) for number, start in enumerate(starts)]
            + [
                (signal, 1, number)
                for number, page in enumerate(pages)
                for signal in page.signals
                if starts[number] < signal < course.ends
            ],
            reverse=True,
        )

    def run(self) -> list[list[float]]:
        """Returns the times at which each page is visited."""
        for number in range(self._course.visits):
            at = self._course.at(number)
            while self._ahead and self._ahead[-1][0] < at:
                self._hear(*self._ahead.pop())
            self._serve(at)
        return self.visits

    def watch(self, number: int) -> Watch:
        """Returns what is known of a page after its first fetch."""
        watch = self._watches[number]
        assert watch is not None, "nothing is known of a page before its first fetch"
        return watch

    def place(self, host: str) -> Place:
        """Returns what is known of a host."""
        return self._places.get(host) or Place()

    def _hear(self, at: float, is_signal: int, number: int) -> None:
        page = self._pages[number]
        place = self.place(page.host)
        if is_signal:
            self._leave(number, self._policy.signalled(self.watch(number), at, place, self.market))
        else:
            self._leave(number, self._policy.fetched(at, page.weight, place, self.market))

    def _serve(self, at: float) -> None:
        """Makes a visit, if there is a page to visit."""
        while self._due:
            due, number = self._due[0]
            watch = self.watch(number)
            if due == watch.due:
                break
            heapq.heappop(self._due)  # a signal has moved it since
        else:
            return
        if self._policy.is_patient and due > at:
            return
        heapq.heappop(self._due)
        page = self._pages[number]
        changed = bisect_right(page.changes, at) > bisect_right(page.changes, watch.last)
        self.visits[number].append(at)
        self._leave(number, self._policy.visited(watch, at, changed, page.weight, self._places[page.host], self.market))

    def _leave(self, number: int, step: Step) -> None:
        before = self._watches[number]
        self._watches[number], self._places[self._pages[number].host], self.market = step
        if before is None or before.due != step.watch.due or before.last != step.watch.last:
            heapq.heappush(self._due, (step.watch.due, number))
