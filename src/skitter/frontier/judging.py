"""Judging: what the shard of a page knows of its like, before it is stored and after it is settled.

What is decided is decided in `judge/`; here the shard is asked for what that takes, and told what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.host import Host
from skitter.frontier.leases import Leases
from skitter.frontier.tally import Tally
from skitter.judge import near
from skitter.judge.host import HostJudgement
from skitter.judge.novelty import Novelty, after_page, newly_barren
from skitter.judge.verdict import with_twin
from skitter.messages import Discovered, Errand, Lease, Outcome, Reason, Said, Verdict
from skitter.reading.meaning import Reading
from skitter.settings import Settings
from skitter.shard.twins import find_twin, keep_page
from skitter.url.domains import Domains


class Judging:
    """What we think of the pages of a node."""

    def __init__(self, leases: Leases, tally: Tally, settings: Settings, domains: Domains) -> None:
        self._leases = leases
        self._tally = tally
        self._settings = settings
        self._domains = domains

    def judge(self, lease: Lease, reading: Reading) -> Reading:
        """Returns what was read with what we think of it: the verdict, and its links by their worth."""
        host = self._leases.host_of(lease)
        if host is None or reading.said is None or lease.errand is not Errand.PAGE:
            return reading
        verdict = self._by_twin(host, lease, reading.said, reading.verdict)
        if verdict is reading.verdict:
            return reading
        found = reading.found if verdict.weight == 1.0 else [_weighed(one, verdict.weight) for one in reading.found]
        return structs.replace(reading, verdict=verdict, found=found)

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        """Takes note of a page that was settled, and of the links of it that nobody had seen before."""
        if outcome.said is None or outcome.failure is not None:
            return
        if outcome.verdict.duplicate_of is None and Reason.SOFT_404 not in outcome.verdict.reasons:
            self._keep(host, outcome.lease, outcome.said)
        judged = self._after_page(host.judged, outcome, new)
        if judged != host.judged:
            self._tally.trapped(newly_barren(host.judged.novelty, judged.novelty))
            host.judged = judged
            host.shard.put_judgement(host.record.host, judged)

    def _by_twin(self, host: Host, lease: Lease, said: Said, verdict: Verdict) -> Verdict:
        signature = near.signature_of(said)
        twin = find_twin(host.shard, self._domains.domain_of(lease.host), signature, lease.fingerprint)
        other = None if twin is None else host.shard.url(twin.fingerprint)
        return verdict if twin is None or other is None else with_twin(verdict, other.href, twin.similarity)

    def _keep(self, host: Host, lease: Lease, said: Said) -> None:
        keep_page(host.shard, self._domains.domain_of(lease.host), near.signature_of(said), lease.fingerprint)

    def _after_page(self, judged: HostJudgement, outcome: Outcome, new: Sequence[Discovered]) -> HostJudgement:
        return structs.replace(judged, novelty=self._novelty(judged.novelty, outcome, leads_on=bool(new)))

    def _novelty(self, novelty: Novelty, outcome: Outcome, *, leads_on: bool) -> Novelty:
        limit = self._settings.scope.max_stale
        if outcome.sketch is None or not limit:
            return novelty
        return after_page(novelty, outcome.lease.href, outcome.sketch, leads_on=leads_on, limit=limit)


def _weighed(one: Discovered, weight: float) -> Discovered:
    return structs.replace(one, priority=one.priority * weight)
