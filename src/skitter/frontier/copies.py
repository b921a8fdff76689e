"""Copies: which page of its domain a page says the same as, and which of the two is the page.

The one that was fetched first is, unless one names the other as what it is a copy of (rel=canonical): its word counts
if the two do say the same, whichever came first.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import structs

from skitter.frontier.host import Host
from skitter.judge import near
from skitter.judge.frame import with_page
from skitter.judge.verdict import own_twin, with_twin
from skitter.messages import Lease, Outcome, Reason, Said, State, Url, Verdict
from skitter.reading.meaning import Reading
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.twins import Shelves, Twin, find_twin, keep_page, move_page, shelves_of
from skitter.url.keys import fingerprint

UNDER_WAY = 10_000


class Looked(NamedTuple):
    """What the look at a page has brought that is needed when it is settled."""

    signature: bytes
    shelves: Shelves
    copy: bytes | None = None  # a page that came first, and named this one as what it is a copy of


class Copies:
    """Tells the pages that say what another one says."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[int, int], Looked] = {}  # by lease

    def judged(self, host: Host, lease: Lease, said: Said, reading: Reading) -> Verdict:
        """Returns the verdict on a page with what it is a copy of, if it is one."""
        looked, verdict = _looked(host, said), reading.verdict
        if not looked.signature:
            return verdict
        common = host.judged.frame.common
        named = None if reading.canonical is None else _named(host, reading.canonical, looked.signature)
        twin = named or find_twin(host.shard, looked.shelves, looked.signature, lease.fingerprint, common)
        if twin is None or twin.similarity < 1.0:
            host.judged = structs.replace(host.judged, frame=with_page(host.judged.frame, said.sample))
        other = None if twin is None else host.shard.url(twin.fingerprint)
        if twin is None or other is None or other.duplicate_of == lease.href:
            self._remember(lease, looked)
            return verdict
        if other.canonical == lease.href:
            self._remember(lease, looked._replace(copy=twin.fingerprint))
            return verdict
        page = own_twin(other.reasons, other.duplicate_of) or other.href
        return with_twin(verdict, page, twin.similarity, is_own_word=named is not None)

    def _remember(self, lease: Lease, looked: Looked) -> None:
        if len(self._under_way) >= UNDER_WAY:
            self._under_way.clear()  # left by leases that ended otherwise
        self._under_way[lease.shard, lease.serial] = looked

    def settled(self, host: Host, outcome: Outcome, said: Said) -> None:
        """Keeps a page that says something new for those to come."""
        lease, shard = outcome.lease, host.shard
        looked = self._under_way.pop((lease.shard, lease.serial), None)
        if own_twin(outcome.verdict.reasons, outcome.verdict.duplicate_of) is not None:
            return
        looked = looked or _looked(host, said)
        if lease.last_fetched is not None:
            move_page(shard, host.domain.record.domain, looked.shelves, lease.fingerprint, host.judged.frame.common)
        if looked.signature:
            keep_page(shard, looked.shelves, looked.signature, lease.fingerprint)
        before = None if looked.copy is None else shard.url(looked.copy)
        if looked.copy is not None and before is not None and before.state in (State.DONE, State.SCHEDULED):
            shard.change_url(looked.copy, before, _copy_of(before, lease.href))


def _looked(host: Host, said: Said) -> Looked:
    signature = near.signature_of(said)
    return Looked(signature, shelves_of(host.shard, host.domain.record.domain, signature, host.judged.frame.common))


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
