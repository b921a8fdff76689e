"""A node: one process that owns some shards and does all the work for them."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Callable, Collection, Iterable

from skitter.bus import codec
from skitter.errors import MachineError
from skitter.folder import inbox
from skitter.folder.crawlfile import CRAWL_FILE, read_crawl
from skitter.messages import Errand, Failure, Kind, Lease, Outcome, Url
from skitter.node.busiest import busiest
from skitter.node.carry import Parts, carry
from skitter.node.counters import with_parts
from skitter.node.place import Place
from skitter.node.status import LOW, Command, NodeStatus
from skitter.ports import Frame, Instruction, Links, Pause, Rate, Release, Reserve, Resume, Revive, Seeds
from skitter.shard.writer import Shard
from skitter.url.keys import name_of
from skitter.url.scope import Scope

TICK = 0.05
COMMIT_AFTER = 0.005
"""What is noted in the frontier is made durable after this, along with what others note meanwhile."""
FEW = 8
COMMIT_AFTER_FEW = 0.0005
"""The same while so few pages are under way that hardly another one comes meanwhile: their hosts only wait for it."""

REPORT_EVERY = 0.5
INBOX_EVERY = 1.0
DELIVER_AT_ONCE = 200
OPEN_EVERY = 0.02
"""Between two stores that are opened ahead while pages are under way: one takes some 8 ms, during which all wait."""

RESOLVING = 50
"""Names looked up ahead at a time."""


class Node:
    """Leases, carries and delivers until it is told to stop."""

    def __init__(self, place: Place, parts: Parts, report: Callable[[NodeStatus], None], budget: int | None) -> None:
        self._place = place
        self._parts = parts
        self._report = report
        self._budget = budget
        self._returned = 0
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()
        self._carrying: set[asyncio.Task[None]] = set()
        self._resolving = asyncio.Semaphore(RESOLVING)
        self._to_resolve = 0
        self._trouble = ""
        self._group: asyncio.TaskGroup | None = None
        self._sent = self._received = 0
        self._committed: asyncio.Future[None] | None = None  # for those who wait for it
        self._will_commit = False
        self._report_now = asyncio.Event()
        self._has_said_so = False  # that it has run dry
        self._asked = 0
        self._scope_read = 0

    # What the supervisor says

    def obey(self, command: Command) -> None:
        """Takes a command."""
        if self._budget is not None:
            self._budget += command.grant
            if command.reclaim:
                self._returned += self._budget
                self._budget = 0
        if command.stop:
            self._stopping.set()
        if command.ask:
            self._asked = command.ask
            self._report_now.set()
        self._wake.set()

    async def run(self, notes: list[str]) -> None:
        """Returns when the node was told to stop and everything is safe."""
        self._take_inbox()
        async with asyncio.TaskGroup() as group:
            self._group = group
            helpers = [
                group.create_task(work)
                for work in (
                    self._keep_time(group),
                    self._keep_reporting(notes),
                    self._keep_delivering(),
                    self._mind_inbox(),
                    self._keep_syncing(),
                    self._open_ahead(),
                )
            ]
            await self._keep_leasing(group)
            await self._finish_carrying()
            for helper in helpers:
                helper.cancel()
        self._parts.frontier.commit()

    async def answer(self, frame: Frame) -> float:
        """Does what another node asks for; returns 0 when that is done and durable, else how long to wait."""
        reservations = self._parts.reservations
        match frame:
            case Links(_, batches):
                for batch in batches:
                    self._parts.frontier.discover(codec.decode_batch(batch))
                await self.durable()
                self._received += len(batches)
            case Reserve(host):
                return reservations.reserve(host)
            case Release(host, began):
                reservations.release(host, began)
                await self.durable()
        return 0.0

    async def durable(self) -> None:
        """Returns when everything noted in the frontier so far is durable. Those who wait are served together."""
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
        self._commit_soon()
        await asyncio.shield(self._committed)

    def _commit_soon(self) -> None:
        if not self._will_commit:
            self._will_commit = True
            wait = COMMIT_AFTER if len(self._carrying) > FEW else COMMIT_AFTER_FEW
            asyncio.get_running_loop().call_later(wait, self._commit)

    def _commit(self) -> None:
        waiting, self._committed, self._will_commit = self._committed, None, False
        try:
            self._parts.frontier.commit()
        except MachineError as error:
            if waiting is not None:
                waiting.set_exception(error)
            return  # there is no other commit: the next tick ends the node with the same error
        if waiting is not None:
            waiting.set_result(None)
        self._wake.set()

    # Leasing and carrying

    async def _keep_leasing(self, group: asyncio.TaskGroup) -> None:
        limit = self._parts.rules.settings.node.in_flight
        while not self._stopping.is_set():
            while len(self._carrying) < limit and self._may_lease() and (lease := self._parts.frontier.lease_nowait()):
                self._has_said_so = False
                if self._budget is not None and lease.errand is Errand.PAGE:
                    self._budget -= 1
                    if self._budget in (LOW, 0):
                        self._report_now.set()
                task = group.create_task(self._carry(lease))
                self._carrying.add(task)
                task.add_done_callback(self._carrying.discard)
            await self._wait_for_work()

    def _may_lease(self) -> bool:
        return not self._trouble and not self._stopping.is_set() and (self._budget is None or self._budget > 0)

    async def _wait_for_work(self) -> None:
        at = self._parts.frontier.next_at() if self._may_lease() else None
        wait = TICK if at is None else min(TICK, max(0.0, at - self._parts.clock()))
        self._wake.clear()
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _carry(self, lease: Lease) -> None:
        was_answered = False
        try:
            was_answered = await carry(lease, self._parts)
        except asyncio.CancelledError:
            self._parts.frontier.postpone(lease, self._parts.clock())
            raise
        except MachineError as error:
            if self._parts.archive.is_writable():
                raise  # the frontier's: there is no going on without it
            now = self._parts.clock()
            self._parts.frontier.postpone(lease, now, began=now)  # a request may have gone out this very moment
            self._note_trouble(error)
        except Exception as error:  # noqa: BLE001 (a page must never take the node down, whatever is in it)
            self._settle_our_bug(lease, error)
        if self._budget is not None and lease.errand is Errand.PAGE and not was_answered:
            self._budget += 1
        self._commit_soon()

    def _settle_our_bug(self, lease: Lease, error: Exception) -> None:
        traceback.print_exception(error)
        now = self._parts.clock()
        if lease.errand is Errand.ROBOTS:
            self._parts.frontier.postpone(lease, now + 3600)
            return
        failure = Failure(Kind.OUR_BUG, f"{type(error).__name__}: {error}"[:200])
        self._parts.counters.failures[failure.kind.value] += 1
        self._parts.frontier.settle(Outcome(lease, now, began=now, failure=failure))

    async def _finish_carrying(self) -> None:
        if self._carrying:
            await asyncio.wait(self._carrying, timeout=self._parts.rules.settings.node.stop_seconds)
        for task in self._carrying:
            task.cancel()
        while self._carrying:
            await asyncio.wait(self._carrying)

    # Time

    async def _keep_time(self, group: asyncio.TaskGroup) -> None:
        while True:
            for name in self._parts.frontier.tick():
                self._to_resolve += 1
                group.create_task(self._resolve(name))
            if not self._has_said_so and self._has_run_dry():
                self._has_said_so = True
                self._report_now.set()
            await asyncio.sleep(TICK)

    async def _open_ahead(self) -> None:
        """Opens stores while there is little to do: the first page of a broad crawl may need all of them at once."""
        if self._parts.rules.settings.scope.reach != "any":
            return  # hosts are few, and most stores are never needed
        await asyncio.sleep(TICK)  # the first request goes first
        try:
            while self._parts.frontier.open_ahead():
                await asyncio.sleep(OPEN_EVERY if self._carrying else 0)
                while len(self._carrying) > FEW:
                    await asyncio.sleep(TICK)
        except MachineError:
            return  # if it is needed, whoever needs it will say so

    def _has_run_dry(self) -> bool:
        """Whether there is nothing to do, now or soon. The supervisor need not wait for the next report to hear it."""
        frontier = self._parts.frontier
        if self._carrying or self._to_resolve or self._will_commit:
            return False
        if self._budget == 0:
            return True
        at = frontier.next_at()
        is_near = at is not None and at <= self._parts.clock() + self._parts.rules.settings.node.linger
        return not is_near and not frontier.has_waiting() and frontier.outbox.is_empty(self._place.nodes)

    async def _keep_syncing(self) -> None:
        while True:
            await asyncio.sleep(self._parts.rules.settings.store.sync_seconds)
            # Taken here, where it is added to: the thread only waits for the disk.
            syncing = asyncio.create_task(asyncio.to_thread(_sync, self._parts.frontier.take_unsynced()))
            try:
                await asyncio.shield(syncing)
            except asyncio.CancelledError:
                await syncing  # the stores are closed next
                raise

    async def _resolve(self, host: str) -> None:
        try:
            async with self._resolving:
                await self._parts.resolver.resolve(name_of(f"http://{host}/"))
        finally:
            self._to_resolve -= 1
            self._parts.frontier.resolved(host)
            self._wake.set()

    def _note_trouble(self, error: MachineError) -> None:
        """Leases nothing more until the archive can be written again."""
        if not self._trouble:
            self._trouble = str(error)
            assert self._group is not None
            self._group.create_task(self._wait_for_archive())

    async def _wait_for_archive(self) -> None:
        await self._parts.archive.wait_writable()
        self._trouble = ""
        self._wake.set()

    # Links to other nodes, and the operator's instructions

    async def _keep_delivering(self) -> None:
        # To ourselves too: an earlier run with more nodes may have left us what is for shards that are ours now.
        async with asyncio.TaskGroup() as group:
            for number in range(self._place.nodes):
                group.create_task(self._deliver_to(number))

    async def _deliver_to(self, number: int) -> None:
        outbox = self._parts.frontier.outbox
        while True:
            while batches := outbox.pending(number, DELIVER_AT_ONCE):
                if await self._parts.bus.send(number, Links(0, [batch for _, _, batch in batches])) != 0:
                    break
                self._sent += len(batches)
                outbox.delivered(number, batches)
                await self.durable()
            await asyncio.sleep(TICK)

    async def _mind_inbox(self) -> None:
        while True:
            await asyncio.sleep(INBOX_EVERY)
            self._take_inbox()

    def _mind_scope(self) -> None:
        """Reads the seeds again if someone added to them: they say how far the crawl reaches."""
        file = self._place.directory / CRAWL_FILE
        changed = file.stat().st_mtime_ns if file.exists() else self._scope_read
        if changed == self._scope_read:
            return
        rules = self._parts.rules
        seeds = [url for url in map(rules.canon, read_crawl(file.parent).seeds) if isinstance(url, Url)]
        self._parts = self._parts._replace(rules=rules._replace(scope=Scope(rules.settings.scope, seeds)))
        self._scope_read = changed

    def _take_inbox(self) -> None:
        self._mind_scope()  # before any seed is taken: its links are judged by it
        done = []
        for file, instruction in inbox.pending(self._place.directory, self._place.owned()):
            self._grant(instruction)
            done.append(file)
        if done:
            self._parts.frontier.commit()
            for file in done:
                file.unlink()

    def _grant(self, instruction: Instruction) -> None:
        frontier = self._parts.frontier
        match instruction:
            case Seeds(seeds):
                frontier.discover(seeds)
            case Pause(host):
                frontier.operator.pause(host)
            case Resume(host):
                frontier.operator.resume(host)
            case Rate(host, delay):
                frontier.operator.agree(host, delay)
            case Revive(shard, host):
                frontier.operator.revive(host, shard)

    # Looking in

    async def _keep_reporting(self, notes: list[str]) -> None:
        self._report(self.status(notes))
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REPORT_EVERY):
                    await self._report_now.wait()
            self._report_now.clear()
            self._report(self.status())

    def status(self, notes: Collection[str] = (), *, stopped: bool = False) -> NodeStatus:
        """Returns how things are."""
        frontier = self._parts.frontier
        held = frontier.statistics()
        counted = with_parts(
            self._parts.counters.counted(), held, self._parts.resolver.statistics(), self._parts.archive.statistics()
        )
        quiet = not (self._carrying or self._to_resolve or self._will_commit or held.waiting)
        has_mail = not frontier.outbox.is_empty(self._place.nodes)
        return NodeStatus(
            self._place.number,
            counted,
            held,
            len(self._carrying),
            quiet and not has_mail,
            self._sent,
            self._received,
            self._budget,
            self._returned,
            busiest(frontier, self._parts.rules.settings.frontier.daily_quota, self._parts.clock()),
            self._trouble,
            list(notes),
            stopped,
            self._asked,
        )


def _sync(shards: Iterable[Shard]) -> None:
    for shard in shards:
        shard.sync()
