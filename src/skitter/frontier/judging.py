"""Judging: what the shard of a page knows of its like, before it is stored and after it is settled.

What is decided is decided in `judge/`; here the shard is asked for what that takes, and told what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.copies import Copies
from skitter.frontier.discover import Discovery
from skitter.frontier.dusting import Dusting
from skitter.frontier.host import Host
from skitter.frontier.parts import Parts
from skitter.frontier.trapping import Trapping
from skitter.frontier.vouching import Vouching
from skitter.judge.verdict import LINKS_OF_UNKNOWN, with_few_links, with_flood
from skitter.messages import FOR_PAGES, PAGE_ERRANDS, Discovered, Errand, Lease, Outcome, Reason
from skitter.reading.meaning import Reading
from skitter.schedule.budget import is_proven, trust_of
from skitter.url.canon import Canon


class Judging:
    """What we think of the pages of a node."""

    def __init__(self, parts: Parts, discovery: Discovery) -> None:
        settings = parts.settings
        self._leases = parts.leases
        self._copies = Copies()
        self._vouching = Vouching(Canon(settings.url), parts.budgets.wanting_support, parts.window.has)
        self._trapping = Trapping(parts.tally, settings, discovery)
        self._dusting = Dusting(settings)
        self._mirroring = discovery.mirroring

    def judge(self, lease: Lease, reading: Reading) -> Reading:
        """Returns what was read with what we think of it: the verdict, and its links by their worth."""
        host = self._leases.host_of(lease)
        if host is None or reading.said is None or lease.errand not in FOR_PAGES:
            return reading
        if reading.need:  # all pages that are empty without their scripts say the same
            found = self._trapping.weighed(host, lease, reading.found)
            return structs.replace(reading, found=found)
        verdict = self._copies.judged(host, lease, reading.said, reading)
        if lease.errand is Errand.SOUNDING:  # what it leads to is only looked at
            return structs.replace(reading, verdict=verdict)
        found, record = self._trapping.weighed(host, lease, reading.found), host.domain.record
        if kept := self._trapping.kept_back(host, lease, found):
            verdict, found = with_flood(verdict, len(kept)), [one for one in found if one.host != lease.host]
        if len(found) > LINKS_OF_UNKNOWN and not is_proven(record):
            verdict, found = with_few_links(verdict, len(found)), found[:LINKS_OF_UNKNOWN]
        if verdict is not reading.verdict or found is not reading.found:
            found = found if verdict.weight == 1.0 else [_weighed(one, verdict.weight) for one in found]
            reading = structs.replace(reading, verdict=verdict, found=found)
        return self._vouching.vouched(lease, trust_of(record), reading) if reading.abroad else reading

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        """Takes note of a page that was settled, and of the links of it that nobody had seen before."""
        if outcome.lease.errand is Errand.SOUNDING:  # a URL of our own making teaches nothing else of its host
            self._trapping.settled(host, outcome, new)
        if outcome.lease.errand not in PAGE_ERRANDS or outcome.is_empty:
            return
        is_page = outcome.failure is None and Reason.SOFT_404 not in outcome.verdict.reasons
        if is_page and outcome.said is not None:
            self._copies.settled(host, outcome, outcome.said)
        self._trapping.settled(host, outcome, new)
        self._dusting.settled(host, outcome)
        if host.shard.mirrors:
            self._mirroring.settled(host, outcome)


def _weighed(one: Discovered, weight: float) -> Discovered:
    return structs.replace(one, priority=one.priority * weight)
