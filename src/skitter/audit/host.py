"""The proof for one host: its requests in order of time, each held against what had been promised by then. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skitter.audit.delays import Delays
from skitter.audit.promise import Promise
from skitter.audit.report import Breach, Violation
from skitter.audit.robots import Robots
from skitter.audit.visit import Visit
from skitter.messages import Fetched
from skitter.store.warc.dates import MICRO
from skitter.url.keys import host_of


class Source(NamedTuple):
    """A file of the archive, and what the settings in it promise."""

    name: str
    promise: Promise


class HostProof:
    """What is known of one host so far. What it holds does not grow with the number of its requests."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._delays = Delays()
        self._robots = Robots()
        self.visited = False

    @property
    def closest(self) -> float | None:
        """The least that a gap was over the delay that it had to keep."""
        return self._delays.closest

    @property
    def gap(self) -> tuple[float, float] | None:
        """The gap before the visit that was seen last, and the one that it had to keep."""
        return self._delays.gap

    def see(self, visit: Visit, answer: Fetched | None = None) -> Iterator[Violation]:
        """Yields what `visit` broke. `answer` is what came back, if it is for robots.txt."""
        promise = self._sources[visit.file].promise
        if visit.reached:
            self.visited = True
            for kind, before, gap, required in self._delays.check(visit, promise, self._robots.crawl_delay):
                yield self._violation(kind, visit, before=before, gap=gap, required=required)
        is_ours = visit.errand != "" and visit.ruled == visit.host
        fault = self._robots.check(visit) if is_ours else None
        if fault is not None:
            yield self._violation(fault[0], visit, fault[1])
        elif is_ours and answer is not None:
            self._robots.answered(visit, answer, promise)
        if visit.reached:
            self._delays.answered(visit, promise, self._robots.crawl_delay)
        elif host_of(visit.url) == visit.host:
            self._delays.not_reached(visit, promise, self._robots.crawl_delay)

    def _violation(
        self,
        kind: Breach,
        visit: Visit,
        why: str = "",
        *,
        before: Visit | None = None,
        gap: float | None = None,
        required: float | None = None,
    ) -> Violation:
        visits = [visit] if before is None else [before, visit]
        return Violation(
            kind,
            self._sources[visit.file].name,
            visit.offset,
            why,
            visit.host,
            [one.url for one in visits],
            [one.began / MICRO for one in visits],
            gap,
            required,
        )
