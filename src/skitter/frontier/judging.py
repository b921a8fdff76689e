"""Judging: what the shard of a page knows of its like, before it is stored and after it is settled.

What is decided is decided in `judge/`; here the shard is asked for what that takes, and told what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.discover import Discovery
from skitter.frontier.dusting import Dusting
from skitter.frontier.host import Host
from skitter.frontier.leases import Leases
from skitter.frontier.tally import Tally
from skitter.frontier.trapping import Trapping
from skitter.judge import near
from skitter.judge.verdict import with_twin
from skitter.messages import Discovered, Errand, Lease, Outcome, Said, Verdict
from skitter.reading.meaning import Reading
from skitter.settings import Settings
from skitter.shard.twins import find_twin, keep_page
from skitter.url.domains import Domains


class Judging:
    """What we think of the pages of a node."""

    def __init__(
        self, leases: Leases, tally: Tally, settings: Settings, domains: Domains, discovery: Discovery
    ) -> None:
        self._leases = leases
        self._domains = domains
        self._trapping = Trapping(tally, settings, discovery)
        self._dusting = Dusting(settings)

    def judge(self, lease: Lease, reading: Reading) -> Reading:
        """Returns what was read with what we think of it: the verdict, and its links by their worth."""
        host = self._leases.host_of(lease)
        if host is None or reading.said is None or lease.errand is not Errand.PAGE:
            return reading
        found = self._trapping.weighed(host.judged.traps, lease, reading.found)
        verdict = self._by_twin(host, lease, reading.said, reading.verdict)
        if verdict is reading.verdict and found is reading.found:
            return reading
        found = found if verdict.weight == 1.0 else [_weighed(one, verdict.weight) for one in found]
        return structs.replace(reading, verdict=verdict, found=found)

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        """Takes note of a page that was settled, and of the links of it that nobody had seen before."""
        if outcome.lease.errand is not Errand.PAGE:
            return
        if outcome.failure is None and outcome.said is not None and outcome.verdict.duplicate_of is None:
            self._keep(host, outcome.lease, outcome.said)
        self._trapping.settled(host, outcome, new)
        self._dusting.settled(host, outcome)

    def _by_twin(self, host: Host, lease: Lease, said: Said, verdict: Verdict) -> Verdict:
        signature = near.signature_of(said)
        twin = find_twin(host.shard, self._domains.domain_of(lease.host), signature, lease.fingerprint)
        other = None if twin is None else host.shard.url(twin.fingerprint)
        return verdict if twin is None or other is None else with_twin(verdict, other.href, twin.similarity)

    def _keep(self, host: Host, lease: Lease, said: Said) -> None:
        keep_page(host.shard, self._domains.domain_of(lease.host), near.signature_of(said), lease.fingerprint)


def _weighed(one: Discovered, weight: float) -> Discovered:
    return structs.replace(one, priority=one.priority * weight)
