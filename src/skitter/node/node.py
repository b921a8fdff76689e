"""A node: one process that owns some shards and does all the work for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection

from msgspec import structs

from skitter.bus import codec
from skitter.errors import MachineError
from skitter.frontier.decide import Asked as HostAsked
from skitter.messages import Lease, Reason, Url, is_first_visit
from skitter.node.busiest import BUSIEST, busiest
from skitter.node.carriers import Carriers
from skitter.node.counters import with_parts, with_plugins
from skitter.node.delivery import Delivery
from skitter.node.instructions import Instructions
from skitter.node.owners import Owners
from skitter.node.parts import Parts
from skitter.node.status import LOW, Command, NodeStatus
from skitter.ports import Frame, Links, Release, Reserve
from skitter.reading.meaning import Rules, discovered
from skitter.schedule.modes import WAYS, Mode
from skitter.settings import Settings
from skitter.url.keys import name_of
from skitter.url.scope import Scope
from skitter.work.messages import Answer, Asked, AskPart, Beat, Beaten, Checked, Ended, Offered, Shown, Told, Wanted

TICK = 0.05
REPORT_EVERY = 0.5
INBOX_EVERY = 1.0
OPEN_EVERY = 0.02
"""Between two stores that are opened ahead while pages are under way: one takes some 8 ms, during which all wait."""

RESOLVING = 50
"""Names looked up ahead at a time."""

NOT_OURS = 1.0
"""Whoever sends us what is for a shard of another node asks again after this, and by then may know whose it is."""


class Node:
    """Leases, carries and delivers until it is told to stop."""

    def __init__(self, owners: Owners, parts: Parts, report: Callable[[NodeStatus], None], budget: int | None) -> None:
        self._owners = owners
        self._parts = parts
        self._report = report
        self._budget = budget
        self._returned = 0
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()
        self._carriers = Carriers(parts, self._note_trouble, self._note_done)
        self._resolving = asyncio.Semaphore(RESOLVING)
        self._to_resolve = 0
        self._trouble = ""
        self._group: asyncio.TaskGroup | None = None
        self._waiting: asyncio.Task[None] | None = None  # for the archive
        self._received = 0
        self._report_now = asyncio.Event()
        self._has_said_so = False  # that it has run dry
        self._asked = 0
        self._mode = Mode.AS_SET
        self._allowed = 0  # requests that we may have made, if their rate is limited
        self._new_settings: asyncio.Queue[Settings] = asyncio.Queue()
        self.rest_until = 0.0  # nothing is leased before: workers may still have leases of the node before us
        frontier = parts.frontier
        frontier.on_committed = self._wake.set
        if parts.browsing is not None:
            frontier.rendering.is_able = parts.browsing.is_able
        self._delivery = Delivery(frontier.outbox, parts.bus, owners, frontier.committer, self.answer)
        self.instructions = Instructions(parts.inbox, frontier, self._set_scope)

    # What the supervisor says

    def obey(self, command: Command) -> None:
        """Takes a command."""
        if self._budget is not None:
            self._budget += command.grant
            if command.reclaim:
                self._returned += self._budget
                self._budget = 0
        self._allowed = command.allowed or self._allowed
        if command.mode is not None:
            self.take_mode(command.mode)
        if command.settings is not None:
            self._new_settings.put_nowait(command.settings)
        if command.stop:
            self._stopping.set()
        if command.ask:
            self._asked = command.ask
            self._report_now.set()
        self._wake.set()

    def take_mode(self, mode: Mode) -> None:
        """Leases from now on what this mode allows. What is slower in it comes as settings."""
        self._mode = mode
        self._parts.frontier.take_mode(mode)

    async def wait_told_to_stop(self) -> None:
        """Returns when the node was told to stop; it may have more to do then."""
        await self._stopping.wait()

    async def run(self, notes: list[str]) -> None:
        """Returns when the node was told to stop and everything is safe."""
        self.instructions.carry_out(self._owners.owned())
        async with asyncio.TaskGroup() as group:
            self._group = group
            helpers = [
                group.create_task(work)
                for work in (
                    self._keep_time(group),
                    self._keep_reporting(notes),
                    self._delivery.keep_delivering(),
                    self._mind_inbox(),
                    self._keep_syncing(),
                    self._open_ahead(),
                    self._keep_taking_settings(),
                )
            ]
            await self._keep_leasing(group)
            await self._carriers.finish()
            for helper in helpers:
                helper.cancel()
            if self._waiting is not None:
                self._waiting.cancel()  # a stop does not wait for a disk or a bucket
        self._parts.frontier.committer.commit()

    # What other nodes say

    async def answer(self, frame: Frame) -> float:
        """Does what another node asks for; returns 0 when that is done and durable, else how long to wait."""
        match frame:
            case Links(shard, batches):
                if not self._parts.frontier.is_owned(shard):
                    return NOT_OURS
                for batch in batches:
                    self._parts.frontier.discover(codec.decode_batch(batch))
                await self.wait_durable()
                self._received += len(batches)
            case Reserve(host):
                if not self._parts.frontier.owns(host):
                    return NOT_OURS
                wait = self._parts.reservations.reserve(frame, for_other=True)
                if not wait:
                    await self.wait_durable()
                return wait
            case Release(host, began, failure, origin, crawl_delay, took):
                self._parts.reservations.release(host, began, failure, HostAsked(origin, crawl_delay), took)
                await self.wait_durable()
        return 0.0

    # What workers elsewhere say

    async def answer_worker(self, asked: Asked) -> Answer:
        """Does what a worker asks for; what it is told of as done is durable."""
        assert self._parts.desk is not None
        worker, question, browsers = asked.worker, asked.question, self._parts.browsers
        match question:
            case Offered():
                return await self._check(question)
            case AskPart() | Shown() | Wanted(errand="render"):
                return Ended() if browsers is None else await browsers.answer(worker, question)
            case Told(id_) if browsers is not None and browsers.has(worker, id_):
                return await browsers.answer(worker, question)
            case Beat() if browsers is not None:
                held = [await one.answer(worker, question) for one in (self._parts.desk, browsers)]
                return Beaten(
                    {id_: left for one in held if isinstance(one, Beaten) for id_, left in one.leases.items()}
                )
            case _:
                return await self._parts.desk.answer(worker, question)

    async def _check(self, offered: Offered) -> Checked:
        """Adds URLs that nobody knew to their shards, ours at once."""
        rules, frontier = self._parts.rules, self._parts.frontier
        states: list[str] = []
        for text in offered.urls:
            url = rules.canon(text)
            if isinstance(url, Reason):
                states.append(url.value)
                continue
            if (refusal := rules.scope.refusal(url, offered.depth)) is not None:
                states.append(refusal.value)
                continue
            found = discovered(url, offered.depth, offered.priority, None)
            if frontier.owns(url.host):
                states.append("new" if frontier.discover([found]) else "known")
            else:
                states.append("sent" if frontier.offer_elsewhere([found]) else "not_now")
        await self.wait_durable()
        return Checked(states)

    async def wait_durable(self) -> None:
        """Returns when everything noted in the frontier so far is durable."""
        await self._parts.frontier.committer.wait_durable(few=self._carriers.is_few)

    # Shards come and go while the others are worked on

    async def hand_over(self, shard: int, node: int) -> None:
        """Gives a shard up: on return nothing of it is under way, all of it is durable, and it may be opened by `node`.

        What is being fetched of it is finished first, or given up after as long as at a stop.
        """
        frontier = self._parts.frontier
        await self._carriers.finish(frontier.drain_shard(shard))
        while frontier.drain_shard(shard):
            await asyncio.sleep(TICK)  # a host is reserved for another node: it is released, or its lease ends
            self._carriers.stop_ended()  # at a stop nobody else does any more
        frontier.close_shard(shard)
        self._owners.move(shard, node)

    def abandon(self, shard: int) -> None:
        """Stops all that is under way for a shard, at once: it is lost, and nothing may follow from it any more."""
        self._carriers.give_up(self._parts.frontier.drain_shard(shard))

    async def lose(self, shard: int, node: int) -> None:
        """Takes note that a shard is `node`'s: nothing of it is under way on return, and what was not durable is gone.

        It is `lost`, not handed over: whatever is being done for it is given up.
        """
        frontier = self._parts.frontier
        await self._carriers.finish(frontier.drain_shard(shard), within=0)
        frontier.drop_shard(shard)
        self._owners.move(shard, node)

    def take_over(self, shard: int) -> None:
        """Makes a shard ours that its last owner has closed."""
        self._owners.move(shard, self._owners.number)
        self._parts.frontier.add_shard(shard)
        self._wake.set()

    # Leasing and carrying

    async def _keep_leasing(self, group: asyncio.TaskGroup) -> None:
        while not self._stopping.is_set():
            while self._may_lease() and (lease := self._parts.frontier.lease_nowait()):
                self._has_said_so = False
                if self._budget is not None and is_first_visit(lease):
                    self._budget -= 1
                    if self._budget in (LOW, 0):
                        self._report_now.set()
                self._carriers.start(lease, group)
            await self._wait_for_work()

    def _may_lease(self) -> bool:
        if self.rest_until > self._parts.clock():
            return False
        if self._trouble or self._stopping.is_set() or (self._budget is not None and self._budget <= 0):
            return False
        if not WAYS[self._mode].fetches:
            return False
        settings = self._parts.rules.settings
        if settings.politeness.max_rate and self._made() >= self._allowed:
            return False
        slow = (self._parts.plugins, self._parts.papers)
        if any(one is not None and one.is_behind() for one in slow):
            return False
        return len(self._carriers) < settings.node.in_flight

    def _made(self) -> int:
        """Returns how many requests we have made. What is under way counts as one, though it may have been made."""
        return self._parts.counters.requests + len(self._carriers)

    def _note_done(self, lease: Lease, was_answered: bool) -> None:
        """Gives back to the budget what a page that nobody answered did not use."""
        if self._budget is not None and is_first_visit(lease) and not was_answered:
            self._budget += 1

    async def _wait_for_work(self) -> None:
        at = self._parts.frontier.next_at() if self._may_lease() else None
        wait = TICK if at is None else min(TICK, max(0.0, at - self._parts.clock()))
        self._wake.clear()
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return

    # Time

    async def _keep_time(self, group: asyncio.TaskGroup) -> None:
        while True:
            self._carriers.stop_ended()
            if (trouble := self._parts.archive.trouble) is not None:
                self._note_trouble(trouble)
            for name in self._parts.frontier.tick():
                self._to_resolve += 1
                group.create_task(self._resolve(name))
            if not self._has_said_so and self.has_run_dry():
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
                await asyncio.sleep(OPEN_EVERY if self._carriers else 0)
                while not self._carriers.is_few:
                    await asyncio.sleep(TICK)
        except MachineError:
            return  # if it is needed, whoever needs it will say so

    def _is_quiet(self) -> bool:
        under_way = self._carriers or self._to_resolve or self.instructions.is_busy
        return not (under_way or self._parts.frontier.committer.is_pending)

    def has_run_dry(self) -> bool:
        """Whether there is nothing to do, now or soon. The supervisor need not wait for the next report to hear it."""
        frontier = self._parts.frontier
        if not self._is_quiet():
            return False
        if self._budget == 0:
            return True
        at = frontier.next_at()
        is_near = at is not None and at <= self._parts.clock() + self._parts.rules.settings.node.linger
        return not is_near and not frontier.has_waiting() and frontier.outbox.is_empty()

    async def _keep_syncing(self) -> None:
        while True:
            await asyncio.sleep(self._parts.rules.settings.store.sync_seconds)
            await self._parts.frontier.committer.sync()
            await self._parts.frontier.purging.make_room()

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
            self._waiting = self._group.create_task(self._wait_for_archive())

    async def _wait_for_archive(self) -> None:
        await self._parts.archive.wait_writable()
        self._trouble = ""
        self._wake.set()

    # The operator

    async def _mind_inbox(self) -> None:
        while True:
            await asyncio.sleep(0.0 if self.instructions.is_busy else INBOX_EVERY)
            self.instructions.carry_out(self._owners.owned())

    def _set_scope(self, seeds: Collection[str]) -> None:
        """Takes the seeds that there are now: they say how far the crawl reaches."""
        rules = self._parts.rules
        urls = [url for url in map(rules.canon, seeds) if isinstance(url, Url)]
        self._set_rules(rules._replace(scope=Scope(rules.settings.scope, urls, rules.scope.domains)))

    def _set_rules(self, rules: Rules) -> None:
        self._parts = self._carriers.parts = self._parts._replace(rules=rules)

    async def _keep_taking_settings(self) -> None:
        while True:
            await self._take_settings(await self._new_settings.get())

    async def _take_settings(self, settings: Settings) -> None:
        """Goes on with other settings, so that each WARC file holds only what its own settings allow.

        The longer of the two delays, and the stricter view of load, holds until what is under way is stored and the
        next file begun.
        """
        before, after = self._parts.rules.settings.politeness, settings.politeness
        slow = structs.replace(
            after,
            delay=max(before.delay, after.delay),
            load_factor=max(before.load_factor, after.load_factor),
            max_load_wait=max(before.max_load_wait, after.max_load_wait),
        )
        self._apply(structs.replace(settings, politeness=slow))
        await self._carriers.wait_under_way()
        with contextlib.suppress(MachineError):  # the archive has said so, and is waited for
            await self._parts.tell_archive(settings)
        self._apply(settings)

    def _apply(self, settings: Settings) -> None:
        rules = self._parts.rules
        self._set_rules(rules._replace(settings=settings, scope=rules.scope.changed(settings.scope)))
        self._parts.limit.change(settings.politeness.address_rate)
        self._parts.frontier.take_settings(settings)
        self._wake.set()

    # Looking in

    async def _keep_reporting(self, notes: list[str]) -> None:
        self._report(self.status(notes))
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REPORT_EVERY):
                    await self._report_now.wait()
            self._report_now.clear()
            browsing = self._parts.browsing
            notes = browsing.take_notes() if browsing is not None else []
            self._report(self.status([*self._parts.frontier.purging.take_notes(), *notes]))

    def status(self, notes: Collection[str] = (), *, stopped: bool = False) -> NodeStatus:
        """Returns how things are."""
        frontier = self._parts.frontier
        held, archived = frontier.statistics(), self._parts.archive.statistics()
        counted = with_parts(self._parts.counters.counted(), held, self._parts.resolver.statistics(), archived)
        plugins = {} if self._parts.plugins is None else self._parts.plugins.statistics()
        counted = with_plugins(counted, plugins) if plugins else counted
        return NodeStatus(
            self._owners.number,
            counted,
            held,
            len(self._carriers),
            self._is_quiet() and not frontier.has_waiting() and frontier.outbox.is_empty(),
            self._delivery.sent,
            self._received,
            self._budget,
            self._returned,
            busiest(frontier, self._parts.counters.rates, self._parts.clock()),
            self._trouble,
            list(notes),
            stopped,
            self._asked,
            unsent=archived.unsent_bytes,
            mode=self._mode,
            turned_away=self._parts.counters.turned_away.most(BUSIEST, self._parts.clock()),
            off={name: one.off for name, one in plugins.items() if one.off},
        )
