"""Judging: what the shard of a page knows of its like, before it is stored and after it is settled.

What is decided is decided in `judge/`; here the shard is asked for what that takes, and told what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.copies import Copies
from skitter.frontier.host import Host
from skitter.frontier.leases import Leases
from skitter.frontier.tally import Tally
from skitter.frontier.vouching import Vouching
from skitter.judge.host import HostJudgement
from skitter.judge.novelty import Novelty, after_page, newly_barren
from skitter.judge.verdict import LINKS_OF_UNKNOWN, with_few_links
from skitter.messages import Discovered, Errand, Lease, Outcome, Reason
from skitter.reading.meaning import Reading
from skitter.schedule.budget import is_proven, trust_of
from skitter.settings import Settings
from skitter.url.canon import Canon


class Judging:
    """What we think of the pages of a node."""

    def __init__(self, leases: Leases, tally: Tally, settings: Settings) -> None:
        self._leases = leases
        self._tally = tally
        self._settings = settings
        self._copies = Copies()
        self._vouching = Vouching(Canon(settings.url))

    def judge(self, lease: Lease, reading: Reading) -> Reading:
        """Returns what was read with what we think of it: the verdict, and its links by their worth."""
        host = self._leases.host_of(lease)
        if host is None or reading.said is None or lease.errand is not Errand.PAGE:
            return reading
        verdict = self._copies.judged(host, lease, reading.said, reading)
        record, found = host.domain.record, reading.found
        if len(found) > LINKS_OF_UNKNOWN and not is_proven(record):
            verdict, found = with_few_links(verdict, len(found)), found[:LINKS_OF_UNKNOWN]
        if verdict is not reading.verdict:
            found = found if verdict.weight == 1.0 else [_weighed(one, verdict.weight) for one in found]
            reading = structs.replace(reading, verdict=verdict, found=found)
        return self._vouching.vouched(lease, record.domain, trust_of(record), reading) if reading.abroad else reading

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        """Takes note of a page that was settled, and of the links of it that nobody had seen before."""
        if outcome.said is None or outcome.failure is not None:
            return
        if Reason.SOFT_404 not in outcome.verdict.reasons:
            self._copies.settled(host, outcome, outcome.said)
        judged = self._after_page(host.judged, outcome, new)
        if judged != host.judged:
            self._tally.trapped(newly_barren(host.judged.novelty, judged.novelty))
            host.judged = judged
            host.shard.put_judgement(host.record.host, judged)

    def _after_page(self, judged: HostJudgement, outcome: Outcome, new: Sequence[Discovered]) -> HostJudgement:
        return structs.replace(judged, novelty=self._novelty(judged.novelty, outcome, leads_on=bool(new)))

    def _novelty(self, novelty: Novelty, outcome: Outcome, *, leads_on: bool) -> Novelty:
        limit = self._settings.scope.max_stale
        if outcome.sketch is None or not limit:
            return novelty
        return after_page(novelty, outcome.lease.href, outcome.sketch, leads_on=leads_on, limit=limit)


def _weighed(one: Discovered, weight: float) -> Discovered:
    return structs.replace(one, priority=one.priority * weight)
