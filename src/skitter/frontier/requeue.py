"""What is queued again as time goes by: retries and re-crawls that are due, what robots.txt no longer forbids, and what
was put aside for a trap that is none, or is looked at again."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from skitter.frontier.discover import Discovery
from skitter.frontier.dusting import page_without_dust
from skitter.frontier.patterns import BY_PATTERN, Patterns
from skitter.frontier.policies import Policies
from skitter.frontier.sharing import purpose_of
from skitter.frontier.window import Window
from skitter.judge.closed import REVIEW
from skitter.judge.traps import closed_over, reviewed
from skitter.messages import Reason, State
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.writer import Shard
from skitter.url.canon import Canon
from skitter.url.keys import origin_of

DUE_AT_A_TIME = 500
"""Retries, re-crawls and waking hosts that are queued again at a time, of each shard."""
HOSTS_AT_A_TIME = 50
"""Hosts of which something was put aside that are marked to be looked at again at a time, of each shard."""
RECHECKED_AT_A_TIME = 200
"""URLs that were put aside which are looked at again at a time, of each shard."""


class Requeue:
    """Looks after one shard at a time. Everything must be committed when it does."""

    def __init__(self, discovery: Discovery, policies: Policies, window: Window, settings: Settings) -> None:
        self._canon = Canon(settings.url)
        self._patterns, self._scope = Patterns(settings.scope), settings.scope
        self._reopened: dict[int, bytes] = {}  # shards whose hosts are to be looked at again, and how far that has come
        self._trim_after = settings.schedule.trim_after
        self._discovery = discovery
        self._policies = policies
        self._window = window

    def take_settings(self, settings: Settings, shards: Iterable[Shard]) -> None:
        """Goes on with other settings: with other patterns, what the ones before denied may be queued again."""
        self._trim_after = settings.schedule.trim_after
        if settings.scope != self._scope:
            self._patterns, self._scope = Patterns(settings.scope), settings.scope
            self._reopened = {shard.number: b"" for shard in shards}

    def tick(self, shards: Iterable[Shard], now: float) -> bool:
        """Queues again what may be; returns whether there was anything to do."""
        ended = now - self._trim_after
        shards = list(shards)
        for shard in shards if self._reopened else ():
            self._reopen(shard)
        due = [
            s for s in shards if not s.is_draining and (s.next_time() <= now or s.rechecks or s.ended.first <= ended)
        ]
        for shard in due:
            for fingerprint, _ in shard.ended.reached(ended, DUE_AT_A_TIME):
                shard.trim(fingerprint)
            for fingerprint, _ in shard.due.reached(now, DUE_AT_A_TIME):
                self._requeue(shard, fingerprint, now)
            for name, rank in shard.take_waking(now, DUE_AT_A_TIME):
                self._discovery.await_window(shard, name, rank)
            for name in shard.take_reviews(now, DUE_AT_A_TIME):
                shard.recheck_forbidden(name)
            if shard.rechecks:
                self._recheck(shard, *next(iter(shard.rechecks.items())), now)
        return bool(due)

    def _reopen(self, shard: Shard) -> None:
        """Has the next hosts looked at of which something was put aside."""
        after = self._reopened.pop(shard.number, None)
        for _ in range(HOSTS_AT_A_TIME if after is not None else 0):
            found = shard.scan(b"x", after=after or b"", limit=1)
            if not found:
                return
            host = found[0][0][1:].partition(b"\0")[0]
            shard.recheck_forbidden(host.decode())
            after = b"x" + host + b"\1"
        if after is not None:
            self._reopened[shard.number] = after

    def _recheck(self, shard: Shard, host: str, after: bytes, now: float) -> None:
        """Looks at the next URLs of a host whose robots.txt has changed, or whose closed corners are to be reviewed."""
        found = shard.scan(keys.forbidden_prefix(host), after=after, limit=RECHECKED_AT_A_TIME)
        for key, _ in found:
            fingerprint = key[len(keys.forbidden_prefix(host)) :]
            url = shard.url(fingerprint)
            if url is not None and self._may_be_queued(shard, url, fingerprint, now):
                self._requeue(shard, fingerprint, now)
        shard.recheck_forbidden(host, found[-1][0] if len(found) == RECHECKED_AT_A_TIME else None)

    def _may_be_queued(self, shard: Shard, url: UrlRecord, fingerprint: bytes, now: float) -> bool:
        if url.reason is Reason.TRAP:
            return self._is_open(shard, url, fingerprint, now)
        if url.reason is Reason.DUST:
            is_moved = self._discovery.mirroring.moved_from_queue(shard, url, fingerprint) is not None
            return not is_moved and page_without_dust(self._canon, shard, url, fingerprint) is None
        if url.reason in BY_PATTERN:
            return self._patterns.refusal(url) is None
        return self._is_allowed(shard, url)

    def _is_open(self, shard: Shard, url: UrlRecord, fingerprint: bytes, now: float) -> bool:
        """Whether the corner that a URL was put aside for is open by now, or this is the URL to see whether it is."""
        host = self._window.get(url.host)
        judged = host.judged if host is not None else shard.judgement(url.host)
        closed = closed_over(judged.traps, url.href, url.parent)
        if closed is None:
            return True
        if closed.review_at > now:
            return False
        judged = structs.replace(judged, traps=reviewed(judged.traps, closed, fingerprint, now))
        if host is not None:
            host.judged = judged
        shard.put_judgement(url.host, judged)
        shard.await_review(url.host, now + REVIEW)
        return True

    def _is_allowed(self, shard: Shard, url: UrlRecord) -> bool:
        policy = self._policies.of(shard, origin_of(url.href))
        return policy is not None and policy.allows(url.href)

    def _requeue(self, shard: Shard, fingerprint: bytes, now: float) -> None:
        before = shard.url(fingerprint)
        assert before is not None
        queue = keys.queue_key(before.host, before.priority, shard.next_serial(), purpose_of(before))
        late = before.due if before.state is State.SCHEDULED else None
        after = structs.replace(before, state=State.QUEUED, queue=queue, due=None, reason=None, late=late)
        shard.change_url(fingerprint, before, after)
        self._discovery.queued(shard, after, fingerprint, now)
