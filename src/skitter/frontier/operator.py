"""What the operator wants of hosts and of URLs that were given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec import structs

from skitter.clock import Clock
from skitter.frontier.committer import Committer
from skitter.frontier.discover import Discovery
from skitter.frontier.dusting import held
from skitter.frontier.host import WAITING
from skitter.frontier.sharing import purpose_of
from skitter.frontier.window import Window
from skitter.judge.dust import refused
from skitter.messages import Reason, State
from skitter.ports import HostRank
from skitter.schedule.budget import DomainRecord, allowed, blocked
from skitter.shard import keys
from skitter.shard.records import TRIMMED, URLS, HostFlag, HostRecord, UrlRecord
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard

FETCHED = (State.DONE, State.SCHEDULED)
GIVEN_UP = (State.FAILED, State.DEAD)


class Operator:
    """Changes to a frontier that no page asked for."""

    def __init__(
        self, shards: Shards, window: Window, committer: Committer, clock: Clock, discovery: Discovery
    ) -> None:
        self._shards = shards
        self._window = window
        self._committer = committer
        self._clock = clock
        self._on_queued = discovery.queued
        self._mirroring = discovery.mirroring

    def pause(self, name: str) -> None:
        """Leases nothing more of a host until it is resumed."""
        self._change_host(name, lambda record: structs.replace(record, flags=record.flags | HostFlag.PAUSED))

    def resume(self, name: str) -> None:
        """Undoes `pause`."""
        self._change_host(name, lambda record: structs.replace(record, flags=record.flags & ~HostFlag.PAUSED))

    def agree(self, name: str, delay: float | None) -> None:
        """Sets the delay that was agreed on with a host; None: none was."""
        self._change_host(name, lambda record: structs.replace(record, agreed_delay=delay))

    def refuse(self, name: str, piece: str, *, is_refused: bool) -> None:
        """Has a rule that was learnt for a host's URLs not used, or used again."""
        shard, host = self._shards.of(name), self._window.get(name)
        self._committer.commit()
        judged = host.judged if host is not None else shard.judgement(name)
        judged = structs.replace(judged, dust=refused(judged.dust, piece, is_refused=is_refused))
        if host is not None:
            host.judged = judged
        shard.put_judgement(name, judged)
        shard.put_dust(name, held(judged.dust))
        shard.recheck_forbidden(name)
        self._mirroring.refused(name, piece, is_refused=is_refused)

    def _change_host(self, name: str, change: Callable[[HostRecord], HostRecord]) -> None:
        shard = self._shards.of(name)
        now = self._clock()
        host = self._window.get(name)
        if host is None:
            self._committer.commit()
            shard.put_host(change(shard.host(name) or HostRecord(name, now)))
            return
        host.record = change(host.record)
        shard.put_host(host.record)
        if host.stage in WAITING:
            self._window.rest(host, now)

    def allow(self, domain: str) -> None:
        """Vouches for a domain: it may have as much as politeness allows, whatever was thought of it."""
        self._change_domain(domain, lambda record: allowed(record))

    def block(self, domain: str) -> None:
        """Fetches nothing more of a domain. What it has queued stays queued."""
        self._change_domain(domain, lambda record: blocked(record))

    def boost(self, domain: str, pages: int) -> None:
        """Vouches for a domain, and fetches so many pages of it before all others."""
        self._change_domain(domain, lambda record: structs.replace(allowed(record), boosted=pages))

    def rank(self, worths: Iterable[tuple[str, float]], hosts: Iterable[HostRank] = ()) -> None:
        """Takes what domains are worth, by the look at the whole graph, and what it found of hosts."""
        for domain, worth in worths:
            self._change_domain(domain, partial(structs.replace, worth=worth))
        self._committer.commit()
        for one in hosts:
            self._rank_host(one)

    def _rank_host(self, one: HostRank) -> None:
        shard, host = self._shards.of(one.host), self._window.get(one.host)
        known = host.record if host is not None else shard.host(one.host)
        if known is not None and known.worth != one.worth:  # whoever was never visited has no record
            known = structs.replace(known, worth=one.worth)
            shard.put_host(known)
            if host is not None:
                host.record = known
        self._mirroring.ranked(one)

    def _change_domain(self, name: str, change: Callable[[DomainRecord], DomainRecord]) -> None:
        shard, now = self._shards.of(name), self._clock()
        domain = self._window.domains.named(shard, name, now)
        domain.change(change(domain.record))
        # Hosts of it may wait on disk that nobody would ask about before the next day.
        domain.has_more = domain.has_more or not domain.held
        self._window.note_room(domain, now)

    def revive(self, host: str | None = None, number: int | None = None, *, is_purged: bool = False) -> int:
        """Queues dead URLs again, or purged ones, of one host or shard or of all, with their tries forgotten.

        Returns how many.
        """
        self._committer.commit()
        shards = [shard for shard in self._shards.opened.values() if number in (None, shard.number)]
        wanted = (State.SKIPPED, Reason.PURGED) if is_purged else (State.DEAD, None)
        return sum(self._revive(shard, host, *wanted) for shard in shards)

    def recrawl(self, number: int, host: str | None = None, fingerprint: bytes = b"") -> int:
        """Queues pages of a shard that were fetched, of one host or all of them, or one URL that failed too.

        Returns how many. What is queued or under way already is left as it is.
        """
        self._committer.commit()
        shard = self._shards.opened.get(number)
        if shard is None:
            return 0  # nobody has found anything in it
        if fingerprint:
            url = shard.url(fingerprint)
            return 0 if url is None else self._see_again(shard, fingerprint, url, (*FETCHED, *GIVEN_UP))
        found = ((key[1:], URLS.decode(raw)) for key, raw in shard.iterate(b"u"))
        return sum(self._see_again(shard, mark, url, FETCHED) for mark, url in found if host in (None, url.host))

    def _see_again(self, shard: Shard, mark: bytes, before: UrlRecord, states: Sequence[State]) -> int:
        if before.state not in states:
            return 0
        now = self._clock()
        queue = keys.queue_key(before.host, before.priority, shard.next_serial(), purpose_of(before))
        after = structs.replace(before, state=State.QUEUED, queue=queue, due=None, tries=0, late=now)
        shard.change_url(mark, before, after)
        self._on_queued(shard, after, mark, now)
        return 1

    def _revive(self, shard: Shard, host: str | None, state: State, reason: Reason | None) -> int:
        now = self._clock()
        revived = 0
        for key, raw in shard.iterate(b"u"):
            before = URLS.decode(raw)
            if before.state is not state or host not in (None, before.host) or before is TRIMMED:
                continue
            if reason is not None and before.reason is not reason:
                continue
            queue = keys.queue_key(before.host, before.priority, shard.next_serial(), purpose_of(before))
            after = structs.replace(before, state=State.QUEUED, queue=queue, due=None, tries=0, crashes=0, reason=None)
            shard.change_url(key[1:], before, after)
            self._on_queued(shard, after, key[1:], now)
            revived += 1
        return revived
