"""What was asked of one host, to be handed to whoever runs it: a text that people read, and that can be signed. Pure.

The signature covers every byte before the line that begins it. Whoever has the text can check that it is ours, and that
nobody changed it; the key is published (`fetch.signing`), and in the text.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterator

from skitter.audit.promise import Promise
from skitter.audit.report import MEANINGS, Report
from skitter.audit.visit import Visit
from skitter.errors import harmless
from skitter.messages import Fetched
from skitter.store.warc.dates import MICRO, to_micros, warc_date

LISTED = 10_000
"""Requests that are listed, the last ones; all are counted."""
ROBOTS_SHOWN, ROBOTS_BYTES = 20, 4096
"""Different robots.txt that are shown, and how much of each."""


class Telling:
    """Takes in the requests to one host, in order of time. What it holds does not grow with their number."""

    def __init__(self, host: str) -> None:
        self.host = host
        self._errands: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._days: Counter[str] = Counter()
        self._lines: deque[str] = deque(maxlen=LISTED)
        self._robots: dict[str, list[str]] = {}
        self._closest: tuple[float, str] | None = None
        self._promise: Promise | None = None
        self._first = self._last = 0

    def see(self, visit: Visit, answer: Fetched | None, gap: tuple[float, float] | None, promise: Promise) -> None:
        """Takes in a visit: the answer, if it was for robots.txt, the gap before it and the one that was due."""
        self._promise = promise
        if answer is not None and visit.ruled == self.host:
            self._see_robots(visit, answer)
        if not visit.reached:
            return
        gap = gap if self._first else None
        self._first, self._last = self._first or visit.began, visit.began
        at, outcome = warc_date(visit.began), visit.failure or str(visit.status or "no answer")
        self._errands[visit.errand or "unknown"] += 1
        self._outcomes[outcome] += 1
        self._days[at[:10]] += 1
        took = (visit.ended - visit.began) / MICRO
        due = "" if gap is None else f"  after {gap[0]:.3f} s ({gap[1]:.3f} were due)"
        line = f"{at}  {outcome:<9} {took:7.3f} s  {harmless(visit.url)}{due}"
        self._lines.append(line)
        if gap is not None and (self._closest is None or gap[0] - gap[1] < self._closest[0]):
            self._closest = gap[0] - gap[1], line

    def _see_robots(self, visit: Visit, answer: Fetched) -> None:
        body = answer.body[:ROBOTS_BYTES].decode("utf-8", "replace")
        what = f"{visit.failure or visit.status} {hashlib.sha256(answer.body).hexdigest()} {visit.url}"
        if what not in self._robots and len(self._robots) < ROBOTS_SHOWN:
            told = [f"{warc_date(visit.began)}  {visit.failure or visit.status}  {harmless(visit.url)}"]
            is_text = answer.failure is None and 200 <= answer.status < 300
            self._robots[what] = told + ([f"    {harmless(line)}" for line in body.splitlines()] if is_text else [])

    def text(self, report: Report, made_at: float) -> str:
        """Returns the text, without a signature."""
        return "\n".join(self._told(report, made_at)) + "\n"

    def _told(self, report: Report, made_at: float) -> Iterator[str]:
        yield f"What was asked of {self.host}"
        yield f"By the archive of the crawl, read {warc_date(to_micros(made_at))}. All times are UTC."
        yield ""
        if self._promise is None or not self._first:
            yield "Nothing was asked of it."
            return
        identity, politeness = self._promise.identity, self._promise.politeness
        yield f"Crawler: {identity.robots_token} (in robots.txt), {identity.contact or 'no contact'}"
        yield f"Requests: {sum(self._errands.values()):,}, from {warc_date(self._first)} to {warc_date(self._last)}"
        yield f"  for: {_counts(self._errands)}"
        yield f"  answered: {_counts(self._outcomes)}"
        yield f"  by day: {_counts(self._days, by_name=True)}"
        yield f"Delay: {politeness.delay:g} s, or Crawl-delay, or what 429, 503, resets and time-outs made of it;"
        load, longest = politeness.load_factor, politeness.max_load_wait
        yield f"  and {load:g} times as long as the answer before took, up to {longest:g} s"
        if self._closest is not None:
            yield f"Closest to what was due ({self._closest[0]:+.3f} s):"
            yield f"  {self._closest[1]}"
        yield ""
        yield from self._verdict(report)
        yield ""
        yield f"robots.txt, each time that it said something new ({len(self._robots)}):"
        for told in self._robots.values():
            yield from (f"  {line}" for line in told)
        yield ""
        listed = "all" if len(self._lines) < LISTED else f"the last {LISTED:,}"
        yield f"Requests ({listed}): when, what came back, how long it took, what, how long after the one before"
        yield from (f"  {line}" for line in self._lines)

    def _verdict(self, report: Report) -> Iterator[str]:
        if report.is_clean:
            yield "Every promise was kept: one request at a time, no delay undercut, nothing that robots.txt forbids."
            return
        yield "Promises that were not kept:"
        for kind, count in report.counts.items():
            yield f"  {MEANINGS[kind]}: {count:,} times"


def _counts(counted: Counter[str], *, by_name: bool = False) -> str:
    items = sorted(counted.items()) if by_name else counted.most_common()
    return ", ".join(f"{number:,} {name}" for name, number in items)
