"""Discovering: a URL is offered to its shard, and queued if it was never seen before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skitter.frontier.budgets import Budgets
from skitter.frontier.dusting import mark_of
from skitter.frontier.mirroring import Mirroring
from skitter.frontier.window import Window
from skitter.judge.dust import is_firm, is_sample, reduced
from skitter.messages import Discovered, State
from skitter.schedule.budget import Name
from skitter.schedule.claims import Claim
from skitter.schedule.priority import rank_of, turn_of_rank
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.seen import Seen
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard
from skitter.url.canon import Canon


class Discovery:
    """Takes what was found for the shards of this node."""

    def __init__(self, shards: Shards, window: Window, seen: Seen, budgets: Budgets, settings: Settings) -> None:
        self._canon = Canon(settings.url)
        self.mirroring = Mirroring(shards, settings)
        self._shards = shards
        self._window = window
        self._budgets = budgets
        self._seen = seen
        self._remembers: Callable[[bytes], bool] = seen.remembers

    def discover(self, found: Iterable[Discovered], now: float) -> tuple[list[Discovered], list[Discovered]]:
        """Queues those of `found` that are ours and new. Returns these, and the links for other nodes."""
        seen, remembers, shards = self._seen, self._remembers, self._shards
        others: list[Discovered] = []
        asked: dict[bytes, Discovered] = {}
        for one in found:
            if one.supports and self._has_supported(one, now):
                others.append(one)
            elif one.fingerprint not in asked and not remembers(one.fingerprint):
                asked[one.fingerprint] = one
        # The store is asked for all before any is remembered: if it fails, all are offered again, and none of them may
        # be taken for known.
        new: list[tuple[Shard, Discovered]] = []
        asking = list(asked.values())
        for one in asking:
            if not (shards.is_all or shards.owns(one.host)):
                others.append(one)
                continue
            shard = shards.of(one.host)
            if seen.is_stored(shard, one.fingerprint):
                continue
            if shard.mirrors and (moved := self.mirroring.moved(shard, one)) is not None:
                if moved.fingerprint not in asked and not remembers(moved.fingerprint):
                    asked[moved.fingerprint] = moved
                    asking.append(moved)
            elif not (shard.dust and self._is_dust(shard, one)):
                new.append((shard, one))
        for shard, one in new:
            seen.add(one.fingerprint, shard.number)
            self._arrive(shard, one, now)
        return [one for _, one in new], others

    def _has_supported(self, one: Discovered, now: float) -> bool:
        """Takes note of what a link says for a domain; returns whether that is for another node to do."""
        if not (self._shards.is_all or self._shards.owns(one.host)):
            return True
        self._budgets.supported(self._shards.of(one.host), one, now)
        return False

    def unknown(self, found: Iterable[Discovered]) -> list[Discovered]:
        """Returns those of `found` that are ours and new, and leaves them so."""
        ours = [one for one in found if not self._remembers(one.fingerprint) and self._shards.owns(one.host)]
        return [one for one in ours if not self._seen.is_stored(self._shards.of(one.host), one.fingerprint)]

    def _is_dust(self, shard: Shard, one: Discovered) -> bool:
        """Whether a URL is known without what makes no difference on its host."""
        # By rules that many pages have agreed on; by others it is put aside when its turn comes, and can come back.
        rules = tuple(rule for rule in shard.dust.get(one.host, ()) if is_firm(rule))
        mark = (
            mark_of(self._canon, reduced(rules, one.href)) if rules and not is_sample(rules, one.fingerprint) else None
        )
        if mark is None or mark == one.fingerprint:
            return False
        if self._remembers(mark) or shard.has_url(mark):
            self._seen.remember(one.fingerprint, shard.number)
            return True
        self._seen.remember(mark, shard.number)  # the next one that differs from this in nothing else is known
        return False

    def _arrive(self, shard: Shard, one: Discovered, now: float) -> None:
        queue = keys.queue_key(one.host, one.priority, shard.next_serial())
        record = UrlRecord(
            one.href,
            one.host,
            State.QUEUED,
            now,
            one.depth,
            one.priority,
            one.parent,
            one.errand,
            queue,
            sitemap_modified=one.last_modified,
            chain=one.chain,
            claim=None if one.every is None else Claim(one.every),
        )
        host = self._budgets.arrived(shard, one, now)
        shard.arrive(one.fingerprint, record)
        if host is not None:
            self._window.offer(host, record.queue, one.fingerprint, now)
        else:
            self.await_window(shard, record.host, self._budgets.rank(shard, one, now))

    def queued(self, shard: Shard, record: UrlRecord, fingerprint: bytes, now: float) -> None:
        """Tells the window of a URL that was queued again: its host takes note, or waits to be brought in."""
        host = self._window.get(record.host)
        if host is not None:
            self._window.offer(host, record.queue, fingerprint, now)
        else:
            known = shard.host(record.host)
            worth = None if known is None else known.worth
            front_class = self._budgets.class_of(shard, record.host, record.priority, now, worth)
            is_single = known is not None and known.name is not Name.KNOWN
            rank = rank_of(front_class, is_single=is_single, purpose=keys.queue_of(record.queue))
            self.await_window(shard, record.host, rank)

    def await_window(self, shard: Shard, host: str, rank: int) -> None:
        """Has a host that is not in memory brought in when its turn comes."""
        shard.await_window(rank, host)
        self._window.note_waiting(shard, turn_of_rank(rank))
