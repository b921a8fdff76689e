"""What the operator wants of hosts and of URLs that were given up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

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
from skitter.shard.unsafe import marks_in

FETCHED = (State.DONE, State.SCHEDULED)
GIVEN_UP = (State.FAILED, State.DEAD)
FORGOTTEN = {"etag": None, "last_modified": None}
NEVER = float("inf")
SLICE = 500
"""URLs that are looked at in a row: some 5 ms. A shard may have millions, and pages are carried meanwhile."""


class Again(NamedTuple):
    """Pages that were queued again, and the fingerprints of those that are no longer here."""

    queued: int
    missing: Sequence[bytes]


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
        numbers = [shard.number for shard in self._shards.opened.values() if number in (None, shard.number)]
        return sum(sum(self.reviving(one, host, is_purged=is_purged)) for one in numbers)

    def reviving(
        self, number: int, host: str | None = None, *, is_purged: bool = False, before: float = NEVER
    ) -> Iterator[int]:
        """Does the same for one shard, slice by slice; those that were given up since `before` are left as they are."""
        for mark, url in self._slices(number):
            if url is None:
                yield 0
            elif url is not TRIMMED and host in (None, url.host) and _is_given_up(url, before, is_purged=is_purged):
                self._queue(number, mark, url, crashes=0, reason=None)
                yield 1

    def recrawl(self, number: int, host: str | None = None, fingerprint: bytes = b"") -> int:
        """Queues pages of a shard that were fetched, of one host or all of them, or one URL that failed too.

        Returns how many. What is queued or under way already is left as it is.
        """
        return sum(self.recrawling(number, host, fingerprint))

    def recrawling(
        self, number: int, host: str | None = None, fingerprint: bytes = b"", before: float = NEVER
    ) -> Iterator[int]:
        """Does the same slice by slice; pages that were fetched since `before` are left as they are."""
        if fingerprint:
            yield self._see_again(number, fingerprint)
            return
        for mark, url in self._slices(number):
            if url is None:
                yield 0
            elif url.state in FETCHED and host in (None, url.host) and (url.last_fetched or 0.0) < before:
                self._queue(number, mark, url, late=self._clock())
                yield 1

    def _see_again(self, number: int, mark: bytes) -> int:
        self._committer.commit()
        shard = self._shards.opened.get(number)
        url = None if shard is None else shard.url(mark)
        if url is None or url.state not in (*FETCHED, *GIVEN_UP):
            return 0
        self._queue(number, mark, url, late=self._clock())
        return 1

    def note_safe(self, number: int, file: str) -> None:
        """Takes note that an archive file is safe, whatever happens to its node."""
        self._committer.commit()
        self._shards.opened[number].forget_unsafe(file)

    def fetch_again(self, number: int, file: str, marks: Collection[bytes] = ()) -> Again:
        """Queues the pages whose last capture was in an archive file that is lost: these, or those noted of it."""
        self._committer.commit()
        shard = self._shards.opened[number]
        marks = marks or {mark for _, value in shard.forget_unsafe(file) for mark in marks_in(value)[1]}
        known = {mark: url for mark in sorted(marks) if (url := shard.url(mark)) is not None}
        queued = sum(self._have_again(number, mark, url, file) for mark, url in known.items())
        return Again(queued, [mark for mark in sorted(marks) if mark not in known])

    def _have_again(self, number: int, mark: bytes, url: UrlRecord, file: str) -> bool:
        """Queues one as if it had never been had: nobody may be asked whether it is still what we had."""
        if file not in (url.file, url.failed_file):
            return False  # it was had once more since
        if url.state in (State.QUEUED, State.FAILED):  # it is asked for anyway
            if url.file == file:
                self._shards.opened[number].change_url(mark, url, structs.replace(url, **FORGOTTEN))
            return False
        if url.state is State.DEAD and url.failed_file != file:
            return False
        before = structs.replace(url, **FORGOTTEN)
        if url.watch is None:
            # Not to be seen again, but to be had: among those that never were, in whose queue it is served.
            before = structs.replace(before, last_fetched=None)
        self._queue(number, mark, before, reason=None, late=None if url.watch is None else self._clock())
        return True

    def _slices(self, number: int) -> Iterator[tuple[bytes, UrlRecord | None]]:
        """Yields every URL of a shard, and None after each slice: the next one may be asked for later.

        Each slice is read when it is begun: what was settled meanwhile is in it. A shard that has left us has no more.
        """
        after = b""
        while (shard := self._shards.opened.get(number)) is not None:
            self._committer.commit()
            found = shard.scan(b"u", after=after, limit=SLICE)
            yield from ((key[1:], URLS.decode(raw)) for key, raw in found)
            if len(found) < SLICE:
                return
            after = found[-1][0]
            yield b"", None

    def _queue(self, number: int, mark: bytes, before: UrlRecord, **facts: Any) -> None:
        shard, now = self._shards.opened[number], self._clock()
        queue = keys.queue_key(before.host, before.priority, shard.next_serial(), purpose_of(before))
        after = structs.replace(before, state=State.QUEUED, queue=queue, due=None, tries=0, **facts)
        shard.change_url(mark, before, after)
        self._on_queued(shard, after, mark, now)


def _is_given_up(url: UrlRecord, before: float, *, is_purged: bool) -> bool:
    if is_purged:
        return url.state is State.SKIPPED and url.reason is Reason.PURGED
    return url.state is State.DEAD and (url.failed_at or 0.0) < before
