"""One simulated fleet: nodes that are killed, stopped and cut off, and started again; patient sessions; the verdict."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import Any

from skitter.errors import MachineError
from skitter.fleet import holdings
from skitter.fleet.run import FleetNode, run_node
from skitter.messages import Discovered, Url
from skitter.node.status import Command
from skitter.ports import LINKS, Seeds
from skitter.settings import HOUR, MINUTE
from skitter.shard.log import links
from skitter.shard.moving.record import ID, Asked, Spread
from skitter.sim.disk import MemoryDisk
from skitter.sim.ends import judge_ends
from skitter.sim.fleet.bucket import Depot
from skitter.sim.fleet.build import built
from skitter.sim.fleet.cluster import Cluster
from skitter.sim.fleet.replayed import Turns, replayed, routes_of
from skitter.sim.fleet.trial import Fault, FleetTrial
from skitter.sim.graves import standing
from skitter.sim.grow import grow
from skitter.sim.judge import evidence, judge
from skitter.sim.life import Fate, Life
from skitter.sim.loop import SimLoop, Stuck
from skitter.sim.machine import Machine
from skitter.sim.run.census import Census
from skitter.sim.run.crawl import Hung, Result
from skitter.sim.run.faults import tuned
from skitter.sim.run.story import Story
from skitter.sim.truth import truth_of
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

PAUSES = (MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 25 * HOUR)
PATIENCE = 40
LONGEST = 1e8
LONG_SESSION = 400.0
DRY = 3.0
"""Seconds for which nobody has anything to do, after which a session is over."""


def crawl_fleet(trial: FleetTrial, story: Story | None = None) -> Result:
    """Returns what came of a trial. The `story`, if there is one, hears of all that happens."""
    with (
        contextlib.closing(SimLoop(trial.seed, until=LONGEST)) as loop,
        tuned(trial.base, (holdings, "LOOK", trial.look)),
    ):
        one = _Fleet(trial, loop, story or Story())
        try:
            loop.run_until_complete(one.run())
        except (Stuck, Hung) as stuck:
            one.wrong.append(str(stuck))
        return one.result()


class _Fleet:
    def __init__(self, trial: FleetTrial, loop: SimLoop, story: Story) -> None:
        self._trial = trial
        self._loop = loop
        self._world = grow(trial.seed, trial.shape)
        self._truth = truth_of(self._world)
        self._machine = Machine(loop, self._world, trial.settings, trial.nodes, trial.seed)
        # One shard more than the crawl was made with: for slots that leave the others.
        self._cluster = Cluster(loop, self._machine.routes.shards + 1, trial.seed)
        self._depot = Depot(trial.checkpoints)
        self._disks = {node: MemoryDisk() for node in range(trial.nodes)}
        self._at_work: dict[int, tuple[Life, FleetNode | None]] = {}
        self._away: set[int] = set()  # nodes that are not to be started again for now
        self._story = story
        self._sessions = 0
        self._ends: list[str] = []
        self.wrong: list[str] = []
        story.watch(self._machine)
        self._post_seeds()
        self._apply()

    def _post_seeds(self) -> None:
        canon, routes = Canon(self._machine.settings.url), self._machine.routes
        for seed in self._world.seeds:
            url = canon(seed)
            assert isinstance(url, Url)
            found = Discovered(url.href, url.host, fingerprint(url.key), 0, 1.0)
            self._cluster.put(LINKS, routes.shard_of(url.host), links.told(Seeds([found])))

    def _apply(self) -> None:
        faults = self._cluster.faults
        for fault in self._trial.faults:
            match fault.what:
                case "kill":
                    self._machine.fates[fault.node, fault.life] = Fate(fault.place, fault.number)
                case "down":
                    faults.down.append((fault.at, fault.until))
                case "cut":
                    faults.cut.setdefault(fault.node, []).append((fault.at, fault.until))
                case "late":
                    faults.late = fault.share
                case "ack lost":
                    faults.ack_lost = fault.share
                case "bucket away":
                    self._depot.faults.away.append((fault.at, fault.until))
                case "bucket slow":
                    self._depot.faults.takes = fault.share
                case "archive is full":
                    self._machine.shelf.full.append((fault.at, fault.until))

    async def run(self) -> None:
        await self._run_session(
            self._trial.faulty, [fault for fault in self._trial.faults if fault.at and fault.what in _TIMED]
        )
        self._calm_down()
        for number in range(PATIENCE):
            await self._run_session(0.0, [])
            if self._cluster.gone:
                self.wrong += self._cluster.gone
                return
            self._look()
            if not self._ends or self.wrong:
                return
            await asyncio.sleep(PAUSES[min(number, len(PAUSES) - 1)])
        self.wrong += self._ends

    def _calm_down(self) -> None:
        self._machine.fates.clear()
        self._cluster.faults.late = self._cluster.faults.ack_lost = 0.0
        self._cluster.faults.down.clear()
        self._cluster.faults.cut.clear()
        self._depot.faults.away.clear()

    # Sessions

    async def _run_session(self, at_least: float, faults: list[Fault]) -> None:
        self._sessions += 1
        until, dry_since = self._loop.time() + at_least, self._loop.time()
        others = [asyncio.create_task(self._befall(fault)) for fault in faults]
        keepers = [asyncio.create_task(self._keep_alive(node)) for node in range(self._trial.nodes)]
        end = until + LONG_SESSION
        self._cluster.gone.clear()  # who was away for long may have wanted what others were done with
        while self._loop.time() < end and (faults or not self._cluster.gone):
            await asyncio.sleep(0.5)
            if not self._is_dry():
                dry_since = self._loop.time()
            if self._loop.time() > max(until, dry_since + DRY):
                break
        await self._cancel([*others, *keepers])
        await self._stop_all()

    async def _cancel(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _keep_alive(self, node: int) -> None:
        """Starts a node again whenever it has ended, as whoever minds the services of a machine does."""
        while True:
            if node not in self._away:
                life = self._begin(node)
                assert life.death is not None
                await asyncio.wait([life.death])
                self._note_death(node, life)
            await asyncio.sleep(0.2 + 2 * self._machine.random.random())

    def _begin(self, node: int) -> Life:
        life = self._machine.begin(node)
        self._machine.tell(life.name, "starts")
        self._at_work[node] = life, None
        task = self._loop.create_task(self._live(life), context=life.context)
        task.add_done_callback(lambda done: self._ended(life, done), context=self._machine.outside)
        return life

    async def _live(self, life: Life) -> None:
        async with built(self._machine, self._cluster, self._depot, self._disks[life.node], life) as fleet_node:
            self._at_work[life.node] = life, fleet_node
            await run_node(fleet_node, [])

    def _ended(self, life: Life, task: asyncio.Task[None]) -> None:
        if life.is_dead:
            return
        error = None if task.cancelled() else task.exception()
        self._machine.tell(life.name, "ends" if error is None else f"ends with {error!r}")
        if error is None:
            life.leave()
            return
        if not _is_machine_error(error):
            self.wrong.append(f"{life.name} broke: {_first(error)!r}")
        life.kill()

    def _note_death(self, node: int, life: Life) -> None:
        self._machine.tell(life.name, "is gone")
        count = sum(one.node == node for one in self._machine.lives)
        fatal = [f for f in self._trial.faults if f.what == "kill" and (f.node, f.life) == (node, count)]
        if life.died_at and fatal and fatal[0].disk:
            self._lose_disk(node)

    def _lose_disk(self, node: int) -> None:
        self._machine.tell(f"node {node}", "has lost its disk")
        self._disks[node] = MemoryDisk()

    async def _befall(self, fault: Fault) -> None:
        await asyncio.sleep(max(0.0, fault.at - self._loop.time()))
        if fault.what == "move":
            self._machine.tell("trial", str(fault))
            handover = round(fault.at * 1e9).to_bytes(ID, "big")
            self._cluster.put(LINKS, fault.shard, links.encode(Asked(handover, fault.to)))
            return
        if fault.what == "spread":
            self._machine.tell("trial", str(fault))
            spread = Spread(round(fault.at * 1e9).to_bytes(ID, "little"), fault.domain, fault.over)
            self._cluster.put(LINKS, self._machine.routes.shard_of(fault.domain), links.encode(spread))
            return
        life, fleet_node = self._at_work.get(fault.node, (None, None))
        if life is None or life.is_dead:
            return
        self._machine.tell("trial", str(fault))
        match fault.what:
            case "kill at":
                life.died_at = fault.what
                life.kill()
                if fault.disk:
                    self._lose_disk(fault.node)
            case "stop":
                self._loop.stop_life(life)
                await asyncio.sleep(fault.until - fault.at)
                self._loop.let_go_on(life)
            case "leave" if fleet_node is not None:
                self._away.add(fault.node)
                self._tell_to_stop(life, fleet_node)
                await asyncio.sleep(fault.until - fault.at)
                self._away.discard(fault.node)

    def _tell_to_stop(self, life: Life, fleet_node: FleetNode) -> None:
        self._loop.call_soon(fleet_node.node.obey, Command(stop=True), context=life.context)

    async def _stop_all(self) -> None:
        for life, fleet_node in self._at_work.values():
            self._loop.let_go_on(life)
            if not life.is_dead and fleet_node is not None:
                self._tell_to_stop(life, fleet_node)
            elif not life.is_dead:
                life.kill()
        deaths: list[asyncio.Future[Any]] = [life.death for life, _ in self._at_work.values() if life.death is not None]
        left = (await asyncio.wait(deaths, timeout=LONG_SESSION))[1] if deaths else ()
        if left:
            raise Stuck(f"Session {self._sessions} does not end.\n{standing(self._loop)}")
        self._at_work.clear()
        self._away.clear()

    def _is_dry(self) -> bool:
        """Whether all shards are held and nobody has anything to do."""
        nodes = [fleet_node for life, fleet_node in self._at_work.values() if fleet_node is not None]
        if any(life.is_dead or life.is_stopped for life, _ in self._at_work.values()):
            return False
        opened = sum(len(one.journal.tenancies) for one in nodes)
        if opened < self._cluster.shards:
            return False
        for one in nodes:
            for store in one.journal.tenancies:
                if store.links_read < len(self._cluster.partitions[LINKS, store.shard]):
                    return False
        return all(one.node.has_run_dry() for one in nodes)

    # The verdict

    def _look(self) -> None:
        stores = replayed(self._cluster)
        census = Census(stores, routes_of(stores, self._machine.routes))
        self.wrong += [f"after session {self._sessions}, {what}" for what in census.wrong]
        self._ends = list(judge_ends(self._truth, census.found, census.counts, was_patient=True))

    def result(self) -> Result:
        machine = self._machine
        case = evidence(self._world, machine.web.log, machine.shelf.kept, machine.settings)
        stores = replayed(self._cluster)
        at_last = routes_of(stores, machine.routes)
        turns = Turns(self._cluster, machine.routes, at_last)
        wrong = [*self.wrong, *judge(case.with_turns(turns)), *machine.troubles, *self._loop.troubles]
        wrong += [clash for disk in self._disks.values() for clash in disk.clashes]
        found = Census(stores, at_last).found
        return Result(
            str(self._trial.seed),
            wrong,
            Counter(life.died_at for life in self._loop.lives if life.died_at),
            Counter(fault.what for fault in self._trial.faults),
            self._sessions,
            len(machine.web.log),
            len(found),
            self._story.mark_of(machine, found),
        )


_TIMED = ("kill at", "stop", "leave", "move", "spread")


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_machine_error(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_machine_error, error.exceptions))
    return isinstance(error, MachineError)
