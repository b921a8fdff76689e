"""The desk of a node: leases that workers elsewhere carry. The node stays the one writer; it settles what they tell.

For whoever carries a page, `done` is a fetch that takes longer: it returns what came of it, and cancelled it returns
only when no request of a worker can be under way any more.

    given:       the worker may be at work until  sent(its question) + seconds  ≤  came(question) + seconds  <  `until`
    heartbeat:   the same, from when the heartbeat was sent and came

So `until` is never before the worker's own end, by the bounded rate of both clocks alone. A lease whose `until` is over
has ended: a request could last have been sent then, and the host's delay counts from there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from functools import partial

from msgspec import Struct

from skitter.clock import Clock
from skitter.messages import Errand, Kind, Lease
from skitter.url.keys import name_of
from skitter.work.messages import Accepted, Answer, Beat, Beaten, Ended, Failed, Given, Leases, Result, Told, Wanted
from skitter.work.regions import Regions

GRACE = 8.0
"""Seconds that a lease holds after a heartbeat. After a start, those of the node before may hold for so long."""
MARGIN = 0.5
"""Seconds by which a worker is told to end sooner: clocks run at rates that differ a little."""
PATIENCE = 2.0
"""Seconds for which a page waits for a busy worker of its region, before the next one has it."""
SEEN = 40.0
"""Seconds after which a region of which no worker was heard is down: a question may wait for 30."""
GATHER = 0.03
"""Seconds in which more leases may join the first of a batch."""
REMEMBERED = 10_000
"""Leases that were settled, whose answer is given again to who asks again."""

FOR_WORKERS = frozenset({Errand.PAGE})
NOT_ITS_HOST = frozenset({Kind.DNS_FAILED, Kind.DNS_UNKNOWN, Kind.UNREACHABLE, Kind.ADDRESS_REFUSED})
"""What a worker may meet that says more of its network than of the host: no request went out. The node tries itself."""


class Done(Struct, frozen=True):
    """What a worker told of a lease, and between which times that was.

    `settle` tells the worker what that came to; `close` ends the lease in any case, and is to be called.
    """

    what: Result | Failed
    given: float
    told: float
    settle: Callable[[Accepted], None]
    close: Callable[[], None]


class _Job:
    """A lease on its way to a worker, with one, or back."""

    def __init__(self, lease: Lease, region: str) -> None:
        loop = asyncio.get_running_loop()
        self.id = ""
        self.lease, self.region = lease, region
        self.worker = ""
        self.given = self.until = 0.0
        self.is_revoked = False
        self.taken: asyncio.Future[None] = loop.create_future()
        self.told: asyncio.Future[Result | Failed | None] = loop.create_future()
        self.settled: asyncio.Future[Accepted] = loop.create_future()


class _Seat(Struct, eq=False):
    """A worker that waits for leases."""

    worker: str
    count: int
    region: str
    ready: asyncio.Future[None]
    jobs: list[_Job] = []


class DeskStatistics(Struct, frozen=True):
    """Counted since the start, but for `out`, which is of this moment."""

    out: int
    given: int
    settled: int
    lapsed: int
    declined: int


class Desk:
    """Gives leases to workers and takes back what they tell. `left` says how long a shard is ours for certain."""

    def __init__(
        self,
        regions: Regions,
        here: str,
        clock: Clock,
        left: Callable[[int], float] = lambda _: GRACE,
        on_first: Callable[[], None] = lambda: None,
    ) -> None:
        self._regions, self._here = regions, here
        self._clock, self._left = clock, left
        self._on_first: Callable[[], None] | None = on_first
        self._jobs: dict[str, _Job] = {}
        self._waiting: dict[str, deque[_Job]] = {}  # by region
        self._seats: dict[str, list[_Seat]] = {}
        self._seen: dict[str, float] = {}
        self._answers: dict[tuple[str, str], Accepted] = {}
        self._given = self._settled = self._lapsed = self._declined = 0

    # For whoever carries a page

    async def done(self, lease: Lease, address: str) -> Done | float | None:
        """Returns what a worker told of a lease; None: no worker has it, nor had it in a way that its host noticed.

        A time: the worker is gone, and a request could last have been sent then.
        """
        if lease.errand not in FOR_WORKERS or not self._seen:
            return None
        job = _Job(lease, self._regions.region_of(name_of(lease.href), address))
        if not await self._placed(job):
            return None
        returned: Done | float | None = None
        try:
            returned = await self._returned(job)
        except asyncio.CancelledError:
            job.is_revoked = True
            await self._lapse(job)
            raise
        finally:
            if not isinstance(returned, Done):
                self._close(job)
        return returned

    def _close(self, job: _Job) -> None:
        self._jobs.pop(job.id, None)
        if not job.settled.done():
            job.settled.cancel()

    async def _placed(self, job: _Job) -> bool:
        """Returns whether a worker has it: one of its region, which may be waited for, or else the next nearest."""
        if self._seat(job, job.region):
            return True
        if job.region and job.region != self._here and self._is_alive(job.region):
            waiting = self._waiting.setdefault(job.region, deque())
            waiting.append(job)
            try:
                await asyncio.wait([job.taken], timeout=PATIENCE)
            except asyncio.CancelledError:
                if job.taken.done():
                    job.is_revoked = True
                    await self._lapse(job)
                    self._close(job)
                raise
            finally:
                if job in waiting:
                    waiting.remove(job)
        if job.taken.done():
            return True
        if job.region and job.region == self._here:
            return False  # nobody is nearer than the node itself
        regions = dict.fromkeys([*self._regions.nearest(job.region), *self._seats])
        return any(self._seat(job, region) for region in regions)

    def _seat(self, job: _Job, region: str) -> bool:
        for seat in self._seats.get(region, ()):
            if len(seat.jobs) < seat.count:
                self._give(job, seat.worker)
                seat.jobs.append(job)
                if not seat.ready.done():
                    asyncio.get_running_loop().call_later(GATHER, _wake, seat.ready)
                return True
        return False

    async def _returned(self, job: _Job) -> Done | float | None:
        while not job.told.done() and (wait := job.until - self._clock()) > 0:
            await asyncio.wait([job.told], timeout=wait)
        if not job.told.done():
            self._lapsed += 1
            return job.until
        what = job.told.result()
        if what is None or (isinstance(what, Failed) and what.kind in NOT_ITS_HOST):
            self._declined += 1
            self._answer(job, Accepted(will_retry=True))
            return None
        now = self._clock()
        return Done(what, job.given, now, partial(self._answer, job), partial(self._close, job))

    async def _lapse(self, job: _Job) -> None:
        """Returns when the worker can't be at work on it any more, or has said that it is not."""
        while not job.told.done() and (wait := job.until - self._clock()) > 0:
            await asyncio.wait([job.told], timeout=wait)

    def _answer(self, job: _Job, answer: Accepted) -> None:
        self._settled += 1
        self._answers[job.worker, job.id] = answer
        if len(self._answers) > REMEMBERED:
            del self._answers[next(iter(self._answers))]
        if not job.settled.done():
            job.settled.set_result(answer)

    # For workers

    async def answer(self, worker: str, question: Wanted | Beat | Told) -> Answer:
        """Returns what a worker is told, by the name that its token has."""
        match question:
            case Wanted():
                return await self._wanted(worker, question)
            case Beat(ids):
                return Beaten({id_: self._prolonged(job) for id_ in ids if (job := self._job(worker, id_)) is not None})
            case Told(id_):
                return await self._told(worker, id_, question.what)

    async def _wanted(self, worker: str, wanted: Wanted) -> Leases:
        arrived = self._seen[wanted.region] = self._clock()
        seat = _Seat(worker, wanted.count, wanted.region, asyncio.get_running_loop().create_future(), [])
        waiting = self._waiting.get(wanted.region, deque())
        while waiting and len(seat.jobs) < seat.count:
            job = waiting.popleft()
            self._give(job, worker)
            seat.jobs.append(job)
        if not seat.jobs and wanted.wait:
            await self._sit(seat, wanted.wait)
        return Leases([self._wire(job, arrived) for job in seat.jobs if not job.is_revoked], self._clock())

    async def _sit(self, seat: _Seat, wait: float) -> None:
        seats = self._seats.setdefault(seat.region, [])
        seats.append(seat)
        try:
            await asyncio.wait([seat.ready], timeout=wait)
        finally:
            seats.remove(seat)
            self._seen[seat.region] = self._clock()

    def _give(self, job: _Job, worker: str) -> None:
        if self._on_first is not None:
            self._on_first()
            self._on_first = None
        job.id, job.worker, job.given = secrets.token_urlsafe(24), worker, self._clock()
        self._prolonged(job)
        self._jobs[job.id] = job
        self._given += 1
        job.taken.set_result(None)

    def _prolonged(self, job: _Job) -> float:
        """Lets a lease hold for longer, and returns for how long its worker may be at work."""
        now = self._clock()
        span = min(GRACE, self._left(job.lease.shard), job.lease.ends - now)
        job.until = max(job.until, now + span)
        return max(0.0, span - MARGIN)

    def _wire(self, job: _Job, arrived: float) -> Given:
        # From when it was asked for, as its worker counts: that may be long ago, if there was nothing to give.
        lease, seconds = job.lease, max(0.0, job.until - arrived - MARGIN)
        return Given(
            job.id,
            lease.href,
            lease.host,
            lease.errand.value,
            seconds,
            lease.depth,
            lease.priority,
            lease.tries,
            lease.chain,
            lease.parent,
            lease.last_fetched,
            lease.etag,
            lease.last_modified,
            lease.agreed,
        )

    def _job(self, worker: str, id_: str) -> _Job | None:
        """Returns the lease with that id if that worker has it, and may go on with it."""
        job = self._jobs.get(id_)
        return job if job is not None and job.worker == worker and not job.is_revoked else None

    async def _told(self, worker: str, id_: str, what: Result | Failed | None) -> Accepted | Ended:
        if (known := self._answers.get((worker, id_))) is not None:
            return known  # its answer was lost on the way: nothing is settled twice
        job = self._jobs.get(id_)
        if job is None or job.worker != worker:
            return Ended()
        if not job.told.done():
            job.told.set_result(what)
        if what is None or job.is_revoked:
            return Ended()
        await asyncio.wait([job.settled])
        return Ended() if job.settled.cancelled() else job.settled.result()

    # Looking in

    def _is_alive(self, region: str) -> bool:
        return self._clock() - self._seen.get(region, -SEEN) < SEEN

    @property
    def is_empty(self) -> bool:
        """Whether no lease is with a worker."""
        return not self._jobs

    def statistics(self) -> DeskStatistics:
        """Returns the counts so far."""
        return DeskStatistics(len(self._jobs), self._given, self._settled, self._lapsed, self._declined)

    def __repr__(self) -> str:
        return f"<Desk: {len(self._jobs)} leases out, {sum(map(len, self._seats.values()))} workers wait>"


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
