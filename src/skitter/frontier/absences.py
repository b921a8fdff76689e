"""What hosts say when there is nothing: pages are held against it, and doubted ones are worth a probe.

What is decided is decided in `judge.soft404`; here is what that takes of the host, its robots.txt and its delay.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import structs

from skitter.frontier.host import Host
from skitter.frontier.parts import Parts
from skitter.judge import near
from skitter.judge.absence import Absence, Answer, way_of, with_answer, with_way
from skitter.judge.purse import may_probe
from skitter.judge.soft404 import Doubt, doubt_of, is_beyond_doubt, probe_for, told_anyway, told_by, told_made_up
from skitter.messages import PAGE_ERRANDS, Errand, Lease, Said, State
from skitter.settings import Settings
from skitter.shard.shards import Shards
from skitter.shard.twins import find_twin, shelves_of
from skitter.url.keys import origin_of

LONGEST_DELAY = 60.0
"""Seconds. A host that wants to be left alone for longer is not asked for what is not there."""
MARGIN = 30.0
"""Seconds that a robots.txt must hold beyond the delay: the address may be busy when it is over."""
COUNTED_EVERY = 50
"""Requests after which what is queued is counted anew."""

Judged: TypeAlias = str | Lease | None
"""Why a page is a soft 404, in words; or the lease on the probe that would tell; or None, it is a page."""


class Absences:
    """What the hosts of a node say when there is nothing."""

    def __init__(self, parts: Parts, shards: Shards) -> None:
        self._window, _, self._policies, self._leases, self._tally = parts[:5]
        self._settings, self._clock = parts.settings, parts.clock
        self._shards = shards
        self._queued = self._counted_at = 0

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._settings = settings

    def judge(self, lease: Lease, answer: Answer) -> Judged:
        """Returns what we think of a page by what its host says when there is nothing."""
        host = self._leases.host_of(lease)
        if host is None:
            return None
        known, is_seed = host.judged.absence, lease.depth == 0
        if lease.errand in PAGE_ERRANDS and is_beyond_doubt(known, answer):
            self._note(host, with_answer(known, answer))
            return None
        evidence = "" if is_seed else self.told(lease, answer)
        if evidence:
            return evidence
        is_made_up = lease.errand is Errand.SOUNDING
        if not is_made_up:
            self._note(host, with_answer(known, answer))
        if is_seed:
            return None  # it is what the operator wants
        doubt = doubt_of(known, answer, is_made_up=is_made_up)
        probe = self._probe(host, lease, doubt) if doubt is not Doubt.NONE else None
        return probe or told_anyway(known, answer) or None

    def answered(self, lease: Lease, answer: Answer, *, is_guess: bool = False) -> None:
        """Takes note of how a host answers for what is not there, be it that it does not."""
        host = self._leases.host_of(lease)
        if host is not None:
            answer = answer._replace(twin=_twin(host, answer.said))
            self._note(host, with_way(host.judged.absence, way_of(answer, is_guess=is_guess)))

    def told(self, lease: Lease, answer: Answer) -> str:
        """Returns why a page is a soft 404, by what its host is known to say where there is nothing; empty if not."""
        host = self._leases.host_of(lease)
        if host is None:
            return ""
        told = told_by(host.judged.absence, answer)
        return told or (told_made_up(host.judged.absence, answer) if lease.errand is Errand.SOUNDING else "")

    def _note(self, host: Host, absence: Absence) -> None:
        before, host.judged = host.judged.absence, structs.replace(host.judged, absence=absence)
        if absence.ways is not before.ways:  # the rest is written with what else is remembered, now and then
            host.shard.put_judgement(host.record.host, host.judged)

    def _probe(self, host: Host, lease: Lease, doubt: Doubt) -> Lease | None:
        """Returns the lease on a name that can't be there, held by whoever holds the page; None if there is to be none.

        It lasts as long as a page's, after the delay: the host stays ours meanwhile.
        """
        delay, now = self._window.delay_of(host), self._clock()
        salt = b"%d %d %s" % (lease.shard, lease.serial, lease.href.encode())
        href = probe_for(lease.href, doubt, salt, is_made_up=lease.errand is Errand.SOUNDING)
        policy = self._policies.of(host.shard, origin_of(href))
        is_allowed = policy is not None and not policy.is_due(now + delay + MARGIN) and policy.allows(href)
        is_used_up = host.record.quota_used + 2 > self._settings.frontier.daily_quota
        if not is_allowed or is_used_up or delay > LONGEST_DELAY or host.shard.is_draining or not self._affords(doubt):
            return None
        self._tally.probed()
        ends = now + delay + MARGIN + self._settings.frontier.lease_seconds
        held = self._leases.prolong(lease, ends)
        return structs.replace(
            held, href=href, errand=Errand.PROBE, delay=delay, chain=(), parent=lease.href, tries=0, **_NOT_SEEN
        )

    def _affords(self, doubt: Doubt) -> bool:
        requests, probes = self._tally.requests, self._tally.probes
        if not self._counted_at or requests >= self._counted_at + COUNTED_EVERY:
            self._counted_at = requests
            self._queued = sum(shard.count_of(State.QUEUED) for shard in self._shards.opened.values())
        share = self._settings.judge.probe_share
        return may_probe(doubt, probes, requests, self._queued, share, self._shards.part())


def _twin(host: Host, said: Said | None) -> str | None:
    """Returns the page of the host's domain that is shown where there is nothing, if one is."""
    signature, common = near.signature_of(said) if said is not None else b"", host.judged.frame.common
    if not signature:
        return None
    shelves = shelves_of(host.shard, host.domain.record.domain, signature, common)
    twin = find_twin(host.shard, shelves, signature, b"", common)
    page = None if twin is None else host.shard.url(twin.fingerprint)
    return None if page is None else page.href


_NOT_SEEN = {"last_fetched": None, "etag": None, "last_modified": None}
