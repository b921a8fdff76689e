"""Copies: which page of its domain a page says the same as, and which of the two is the page.

The one that was fetched first is, unless one names the other as what it is a copy of (rel=canonical): its word counts
if the two do say the same, whichever came first.
"""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.host import Host
from skitter.judge import near
from skitter.judge.frame import with_page
from skitter.judge.verdict import with_twin
from skitter.messages import Lease, Outcome, Reason, Said, State, Url, Verdict
from skitter.reading.meaning import Reading
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.twins import Twin, find_twin, keep_page
from skitter.url.keys import fingerprint

UNDER_WAY = 10_000


class Copies:
    """Tells the pages that say what another one says."""

    def __init__(self) -> None:
        # Pages that are copies of one that is under way, by its lease: they came first, and named it.
        self._named: dict[tuple[int, int], bytes] = {}

    def judged(self, host: Host, lease: Lease, said: Said, reading: Reading) -> Verdict:
        """Returns the verdict on a page with what it is a copy of, if it is one."""
        signature, verdict = near.signature_of(said), reading.verdict
        if not signature:
            return verdict
        common = host.judged.frame.common
        named = None if reading.canonical is None else _named(host, reading.canonical, signature)
        twin = named or find_twin(host.shard, host.domain.record.domain, signature, lease.fingerprint, common)
        if twin is None or twin.similarity < 1.0:
            host.judged = structs.replace(host.judged, frame=with_page(host.judged.frame, said.sample))
        other = None if twin is None else host.shard.url(twin.fingerprint)
        if twin is None or other is None or other.duplicate_of == lease.href:
            return verdict
        if other.canonical == lease.href:
            if len(self._named) >= UNDER_WAY:
                self._named.clear()  # left by leases that ended otherwise
            self._named[lease.shard, lease.serial] = twin.fingerprint
            return verdict
        return with_twin(verdict, other.duplicate_of or other.href, twin.similarity, is_own_word=named is not None)

    def settled(self, host: Host, outcome: Outcome, said: Said) -> None:
        """Keeps a page that says something new for those to come."""
        lease = outcome.lease
        named = self._named.pop((lease.shard, lease.serial), None)
        if outcome.verdict.duplicate_of is not None:
            return
        common = host.judged.frame.common
        keep_page(host.shard, host.domain.record.domain, near.signature_of(said), lease.fingerprint, common)
        before = None if named is None else host.shard.url(named)
        if named is not None and before is not None and before.state in (State.DONE, State.SCHEDULED):
            host.shard.change_url(named, before, _copy_of(before, lease.href))


def _copy_of(url: UrlRecord, href: str) -> UrlRecord:
    """Returns a page that was taken for one of its own until the one that it names was fetched."""
    evidence = {**url.evidence, Reason.NEAR_DUPLICATE: f"it names {href} as the page it is a copy of, and that is so"}
    return structs.replace(url, duplicate_of=href, reasons=(*url.reasons, Reason.NEAR_DUPLICATE), evidence=evidence)


def _named(host: Host, canonical: Url, signature: bytes) -> Twin | None:
    """Returns the page that a page names as what it is a copy of, if that is known and says the same."""
    mark = fingerprint(canonical.key)
    other = host.shard.get(keys.signature_key(mark))
    common = host.judged.frame.common
    if other is None or not near.is_near(signature, other, common):
        return None
    return Twin(mark, near.similarity(signature, other, common))
