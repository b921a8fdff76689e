"""A worker at one API: it asks for leases, carries each, and says that it is alive, while it is.

A request is sent, and stays under way, only before the lease's end by our own clock, counted from when we asked. So we
never ask a host after its node has given the lease up, though neither knows the other's clock.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from msgspec import Struct

from skitter.dns.allowed import allowed_addresses
from skitter.messages import Errand, Failure, Fetched, Lease
from skitter.url.keys import name_of
from skitter.work.messages import Beat, Beaten, Given, Leases, Result, Wanted
from skitter.worker.client import AwayError, Client, Refused
from skitter.worker.facts import capture_of, read_facts, told_of
from skitter.worker.parts import WorkerParts
from skitter.worker.remarks import with_plugins

WAIT = 10.0
TICK = 0.1
AGAIN = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between tries to tell what came of a lease. After the last it has ended anyway."""
ADDRESS_PATIENCE = 3.0
"""Seconds that a request waits for its address; then the lease goes back."""


class Job(Struct, eq=False):
    """A lease that we have."""

    given: Given
    lease: Lease
    until: float
    task: asyncio.Task[None] | None = None
    is_asking: bool = True  # a request may be under way


class WorkerStatistics(Struct):
    """What a worker has done since its start."""

    given: int = 0
    accepted: int = 0
    ended: int = 0
    cut: int = 0


class Worker:
    """Works for one API, with at most so many leases at a time."""

    def __init__(
        self, client: Client, region: str, in_flight: int, heartbeat: float, say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._region = region
        self._in_flight = in_flight
        self._heartbeat = heartbeat
        self._say = say
        self._jobs: dict[str, Job] = {}
        self._serial = 0
        self._by_serial: dict[int, Job] = {}
        self._free = asyncio.Event()
        self.parts: WorkerParts | None = None
        self.statistics = WorkerStatistics()
        self.is_stopping = False

    def check(self, lease: Lease) -> None:
        """Cancels whoever is about to send a request that may not be sent any more."""
        job = self._by_serial.get(lease.serial)
        assert self.parts is not None
        if job is None or self.parts.clock() >= job.until:
            self.statistics.cut += 1
            raise asyncio.CancelledError

    async def run(self) -> None:
        """Returns when it was stopped, and what was under way is done or given up."""
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(self._keep_beating()), group.create_task(self._keep_watch())]
            await self._keep_asking(group)
            assert self.parts is not None
            tasks = [job.task for job in self._jobs.values() if job.task is not None]
            if tasks:
                _, left = await asyncio.wait(tasks, timeout=self.parts.rules.settings.node.stop_seconds)
                for task in left:
                    task.cancel()
            for one in beside:
                one.cancel()

    # Leases

    async def _keep_asking(self, group: asyncio.TaskGroup) -> None:
        was_away = False
        while not self.is_stopping:
            free = self._in_flight - len(self._jobs)
            if free <= 0:
                self._free.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await self._free.wait()
                continue
            try:
                await self._ask(min(free, 500), group)
                was_away = False
            except AwayError as error:
                if not was_away:
                    self._say(f"{self._client} does not answer ({error}); it is asked again")
                was_away = True
                await asyncio.sleep(1)

    async def _ask(self, count: int, group: asyncio.TaskGroup) -> None:
        assert self.parts is not None
        sent = self.parts.clock()
        wanted = Wanted(count, self._region, WAIT)
        answer = await self._client.ask("POST", "/v1/leases", wanted, Leases, timeout=WAIT + 15)
        if isinstance(answer, Refused):
            raise AwayError(f"{answer.status}: {answer.detail}")
        for given in answer.leases:
            self._serial += 1
            job = Job(given, _lease(given, self._serial, sent + given.seconds), sent + given.seconds)
            self._jobs[given.id] = self._by_serial[self._serial] = job
            self.statistics.given += 1
            job.task = group.create_task(self._carry(job, self.parts))

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            assert self.parts is not None
            if not self._jobs:
                continue
            sent, beating = self.parts.clock(), list(self._jobs.items())
            try:
                answer = await self._client.ask("POST", "/v1/heartbeats", Beat([id_ for id_, _ in beating]), Beaten)
            except AwayError:
                continue  # what can't be kept up ends by itself
            if isinstance(answer, Refused):
                continue
            for id_, job in beating:
                seconds = answer.leases.get(id_)
                if seconds is not None:
                    job.until = max(job.until, sent + seconds)
                elif job.is_asking and job.task is not None:
                    self.statistics.cut += 1
                    job.task.cancel()  # it has ended: whoever wants its host next need not wait for us

    async def _keep_watch(self) -> None:
        """Cuts off what outlives its lease."""
        while True:
            await asyncio.sleep(TICK)
            assert self.parts is not None
            now = self.parts.clock()
            for job in list(self._jobs.values()):
                if job.is_asking and now >= job.until and job.task is not None:
                    self.statistics.cut += 1
                    job.task.cancel()

    # One lease

    async def _carry(self, job: Job, parts: WorkerParts) -> None:
        try:
            fetched = await self._obtain(job, parts)
            job.is_asking = False
            if fetched is None:
                await self._drop(job)
                return
            read = read_facts(fetched, parts.rules)
            if parts.plugins is not None:
                read = await with_plugins(fetched, read, parts.rules, parts.plugins)
            stored = await parts.archive.append(capture_of(fetched, read, parts.rules)) if fetched.asked else None
            await self._tell(job, fetched, lambda now: told_of(fetched, read, stored, now), parts)
        except asyncio.CancelledError:
            job.is_asking = False
            with contextlib.suppress(AwayError):
                await asyncio.shield(self._drop(job))
        finally:
            self._jobs.pop(job.given.id, None)
            self._by_serial.pop(job.lease.serial, None)
            self._free.set()

    async def _obtain(self, job: Job, parts: WorkerParts) -> Fetched | None:
        """Returns what one request brought; None: its address is too busy."""
        lease = job.lease
        addresses = await allowed_addresses(name_of(lease.href), parts.resolver, parts.guard)
        if isinstance(addresses, Failure):
            now = parts.clock()
            return Fetched(lease, now, now, failure=addresses, asked=False)
        until = parts.clock() + ADDRESS_PATIENCE
        while (wait := parts.limit.take(addresses[0])) > 0:
            if parts.clock() + wait > until:
                return None
            await asyncio.sleep(wait)
        return await parts.fetcher.fetch(lease, addresses)

    async def _tell(self, job: Job, fetched: Fetched, told: Callable[[float], object], parts: WorkerParts) -> None:
        for wait in (*AGAIN, None):
            what = told(parts.clock())
            path = f"/v1/leases/{job.given.id}/{'result' if isinstance(what, Result) else 'fail'}"
            try:
                answer = await self._client.ask("POST", path, what, timeout=60)
            except AwayError:
                if wait is None:
                    self.statistics.ended += 1
                    return
                await asyncio.sleep(wait)
                continue
            if isinstance(answer, Refused):
                self.statistics.ended += 1
                if answer.status != 410:
                    self._say(f"what was told of {fetched.lease.href} is refused ({answer.status}: {answer.detail})")
            else:
                self.statistics.accepted += 1
            return

    async def _drop(self, job: Job) -> None:
        await self._client.ask("DELETE", f"/v1/leases/{job.given.id}")


def _lease(given: Given, serial: int, ends: float) -> Lease:
    return Lease(
        given.url,
        given.host,
        Errand(given.errand),
        ends,
        serial=serial,
        depth=given.depth,
        priority=given.priority,
        tries=given.tries,
        chain=tuple(given.chain),
        parent=given.parent,
        last_fetched=given.last_fetched,
        etag=given.etag,
        last_modified=given.last_modified,
        agreed=given.agreed,
    )
