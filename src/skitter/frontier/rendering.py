"""Which pages are run in a browser, and when: the list of those in need, and what may be spent on them.

A page in need is settled as it was read, and waits in its shard's list. From there the best are queued, as far as the
budget goes: a share of the pages fetched, and of CPU time. It is counted anew at each start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf

from msgspec import structs

from skitter.frontier.discover import Discovery
from skitter.frontier.parts import Parts
from skitter.frontier.sharing import purpose_of
from skitter.judge.need import Learnt, Need, is_certain, is_doubtful, measured, need_of
from skitter.messages import PAGE_ERRANDS, Errand, Fetched, Lease, Outcome, State
from skitter.reading.meaning import Reading
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import RenderNote, UrlRecord
from skitter.shard.writer import Shard

FIRST = 20
"""Renderings of a node that are free: a crawl that begins on a page that is empty could not begin else."""
FIRST_SECONDS = 30.0
"""The same of CPU time."""
AT_ONCE = 16
"""Pages that are queued for a browser or in one at a time: those that wait for one hold their hosts."""
FORGOTTEN = 600.0
"""Seconds after which one that was queued is not counted among these: its host may sleep for long."""
WAITING = (State.DONE, State.SCHEDULED)


class RenderQueue:
    """Chooses pages for browsers. `is_able` says whether there is one."""

    def __init__(self, parts: Parts, discovery: Discovery) -> None:
        self._leases = parts.leases
        self._discovery = discovery
        self._clock = parts.clock
        self._settings = parts.settings
        self._began = parts.clock()
        self._pages = 0  # fetched
        self._spent = 0  # renderings
        self._seconds = 0.0  # of CPU time that they took
        self._open: dict[bytes, float] = {}  # queued or leased for a browser, since when
        self.is_able: Callable[[], bool] = lambda: False

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._settings = settings

    # Need

    def need_of(self, lease: Lease, fetched: Fetched, reading: Reading) -> str:
        """Returns why a page that was read should be run in a browser; nothing if it should not."""
        said, mode = reading.said, self._settings.render.mode
        if said is None or mode == "never" or fetched.status != 200 or lease.errand not in PAGE_ERRANDS:
            return ""
        if mode == "always":
            return Need.ALWAYS.value
        followed = len(reading.found) + reading.known + len(reading.refused)
        if not is_doubtful(said, followed):
            return ""
        host = self._leases.host_of(lease)
        learnt = {} if host is None else host.record.rendered
        need = need_of(measured(fetched.body), followed, lease.href, learnt)
        return "" if need is None else need.value

    # Leases

    def errand_of(self, url: UrlRecord, mark: bytes, learnt: Learnt, now: float) -> Errand:
        """Returns what a URL whose turn has come is leased for; `learnt` is what browsers brought on its host."""
        mode = self._settings.render.mode
        if url.errand is not Errand.PAGE or mode == "never":
            return url.errand
        is_next = mode == "always" or (is_certain(url.href, learnt) if url.render is None else url.render.is_next)
        if not is_next or not self.is_able():
            return url.errand
        if mark not in self._open:
            is_queued_for_it = url.render is not None and url.render.at is None and not url.render.waiting
            if not is_queued_for_it and not self._may_render(now):
                return url.errand
            self._spend(mark, now)
        return Errand.RENDER

    def settled(self, outcome: Outcome) -> None:
        """Takes note of a page that was settled."""
        if outcome.lease.errand in PAGE_ERRANDS:
            self._pages += bool(outcome.status)
            self._open.pop(outcome.lease.fingerprint, None)
        if outcome.rendering is not None:
            self._seconds += outcome.rendering.cost

    # Time goes by

    def tick(self, shards: Iterable[Shard], now: float) -> bool:
        """Queues the best of those that wait; returns whether there was any. Everything must be committed."""
        some = [shard for shard in shards if shard.to_render and not shard.is_draining]
        if not some or not self._is_on():
            return False
        self._open = {mark: since for mark, since in self._open.items() if now - since < FORGOTTEN}
        queued = False
        while self._may_render(now) and (found := _best(some)) is not None:
            shard, mark = found
            self._queue(shard, mark, now)
            queued = True
            some = [shard for shard in some if shard.to_render and not shard.is_dirty()]
        return queued

    def has_work(self, shards: Iterable[Shard]) -> bool:
        """Whether pages wait that are going to be rendered, as things stand."""
        return self._is_on() and self._has_budget() and any(one.to_render and not one.is_draining for one in shards)

    def statistics(self, shards: Sequence[Shard], now: float) -> tuple[int, float]:
        """Returns how many pages wait for a browser, and for how long the one that is next has waited."""
        depth = sum(shard.to_render for shard in shards)
        heads = [found[0][0] for shard in shards if shard.to_render and (found := shard.scan(keys.RENDER, limit=1))]
        return depth, max(0.0, now - keys.render_since(min(heads))) if heads else 0.0

    def _queue(self, shard: Shard, mark: bytes, now: float) -> None:
        before = shard.url(mark)
        assert before is not None
        assert before.render is not None
        note = structs.replace(before.render, waiting=b"")
        if before.state not in WAITING:  # it is queued anyway, or has failed since: its next visit tells
            shard.change_url(mark, before, structs.replace(before, render=structs.replace(note, is_next=True)))
            return
        self._spend(mark, now)
        self._queue_now(shard, mark, before, structs.replace(note, is_next=True), now)

    def _queue_now(self, shard: Shard, mark: bytes, before: UrlRecord, note: RenderNote, now: float) -> None:
        seen = structs.replace(before, render=note)
        queue = keys.queue_key(before.host, before.priority, shard.next_serial(), purpose_of(seen))
        after = structs.replace(seen, state=State.QUEUED, queue=queue, due=None)
        shard.change_url(mark, before, after)
        self._discovery.queued(shard, after, mark, now)

    def _spend(self, mark: bytes, now: float) -> None:
        self._open[mark] = now
        self._spent += 1

    def _is_on(self) -> bool:
        return self._settings.render.mode != "never" and self.is_able()

    def _may_render(self, now: float) -> bool:
        seconds = FIRST_SECONDS + (now - self._began) * self._settings.render.cpu_share
        return len(self._open) < AT_ONCE and self._has_budget() and self._seconds < seconds

    def _has_budget(self) -> bool:
        render = self._settings.render
        most = inf if render.mode == "always" else FIRST + render.budget * self._pages
        return self._spent < most


def _best(shards: Sequence[Shard]) -> tuple[Shard, bytes] | None:
    """Returns the best of the pages that wait, of all shards."""
    heads = [(found[0][0], shard) for shard in shards if (found := shard.scan(keys.RENDER, limit=1))]
    if not heads:
        return None
    key, shard = min(heads, key=lambda head: head[0])
    return shard, keys.render_fingerprint(key)
