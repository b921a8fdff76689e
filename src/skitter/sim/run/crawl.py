"""One simulated crawl: sessions with all their faults, patient ones until nothing is left to do, and the verdict."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import Struct

from skitter.errors import MachineError
from skitter.settings import HOUR, MINUTE
from skitter.sim.ends import judge_ends
from skitter.sim.graves import standing
from skitter.sim.grow import grow
from skitter.sim.judge import evidence, judge
from skitter.sim.life import ANY, STEP, Life
from skitter.sim.loop import SimLoop, Stuck
from skitter.sim.machine import Machine
from skitter.sim.processes import SimProcesses
from skitter.sim.run.census import Census
from skitter.sim.run.faults import applied, tuned
from skitter.sim.run.moves import Moves
from skitter.sim.run.story import Story
from skitter.sim.run.trial import Fault, Trial
from skitter.sim.truth import truth_of
from skitter.supervisor.supervisor import Supervisor

PAUSES = (MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 25 * HOUR)
"""Between two patient sessions; the last of them again and again."""
PATIENCE = 50
"""Patient sessions at the most."""
LONGEST = 1e8
LONG_SESSION, ENDLESS = 300.0, 3000.0
"""A session is ended after the first: what is left is the next one's. One that takes as long as the second hangs."""


class Hung(KeyboardInterrupt):
    """Somebody thinks for ever: whoever runs a crawl may raise this from a signal. Tasks hand no other one on."""


class Result(Struct, frozen=True):
    """What came of a crawl."""

    name: str  # the seed, and of a sweep the kill
    wrong: list[str]
    kills: dict[str, int]  # by place
    faults: dict[str, int]
    sessions: int
    requests: int
    urls: int
    mark: str  # of the whole story: the same seed gives the same
    passed: list[tuple[int, int]] = []  # by the first life of each node: places and steps


def crawl(trial: Trial, story: Story | None = None) -> Result:
    """Returns what came of a trial. The `story`, if there is one, hears of all that happens."""
    story = story or Story()
    with contextlib.closing(SimLoop(trial.seed, until=LONGEST)) as loop, tuned(trial):
        one = _Crawl(trial, loop, story)
        try:
            loop.run_until_complete(one.run())
        except (Stuck, Hung) as stuck:
            one.wrong.append(str(stuck))
        return one.result()


class _Crawl:
    def __init__(self, trial: Trial, loop: SimLoop, story: Story) -> None:
        self._trial = trial
        self._loop = loop
        self._world = grow(trial.seed, trial.shape)
        self._truth = truth_of(self._world)
        self._machine = Machine(loop, self._world, trial.settings, trial.nodes, trial.seed)
        self._story = story
        self._session = 0
        self._ends: list[str] = []  # what is wrong with how things stand, as of the last look
        self.wrong: list[str] = []
        applied(trial, self._machine)
        story.watch(self._machine)

    async def run(self) -> None:
        for _ in range(self._trial.sessions):
            await self._run_session()
            await asyncio.sleep(self._machine.random.choice((0.0, 1.0, 30.0)))
        self._calm_down()
        for number in range(PATIENCE):
            await self._run_session()
            if not self._ends or self.wrong:
                return
            await asyncio.sleep(PAUSES[min(number, len(PAUSES) - 1)])
        self.wrong += self._ends

    def _calm_down(self) -> None:
        """From now on nothing goes wrong but on the web."""
        self._machine.fates.clear()
        self._machine.disk.faults.failing_writes = frozenset()
        self._machine.disk.faults.failing_syncs = frozenset()
        self._machine.net.faults.frame_lost = self._machine.net.faults.answer_lost = 0.0
        self._machine.net.faults.doubled = 0.0

    # Sessions

    async def _run_session(self) -> None:
        self._session += 1
        machine = self._machine
        for fault in self._of_session("clock is set"):
            machine.clock.set_forward(fault.at)
        life = machine.loop.begin(f"supervisor {self._session}", node=-1)
        processes = SimProcesses(machine, life)
        supervisor = self._supervisor(processes, life)
        machine.tell(life.name, "starts")
        running = machine.loop.create_task(supervisor.run(), context=life.context)
        others = [asyncio.create_task(self._end(fault, supervisor, life)) for fault in self._endings()]
        others.append(asyncio.create_task(Moves(machine, processes).run(self._of_session("hand over"))))
        assert life.death is not None
        both: list[asyncio.Future[Any]] = [running, life.death]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=ENDLESS)
        if not running.done() and not life.is_dead:
            raise Stuck(f"Session {self._session} does not end.\n{standing(self._loop)}")
        self._note_end(running, life)
        for other in others:
            other.cancel()
        await asyncio.wait(others)
        await self._wait_for_orphans()
        self._look()

    def _supervisor(self, processes: SimProcesses, life: Life) -> Supervisor:
        machine = self._machine
        return Supervisor(
            processes,
            Path("/sim"),
            machine.settings,
            machine.world.seeds,
            machine.nodes,
            clock=machine.clock.steady(),
            max_seconds=LONG_SESSION,
            on_note=lambda note: machine.tell(life.name, note),
        )

    def _of_session(self, what: str) -> list[Fault]:
        return [fault for fault in self._trial.faults if fault.what == what and fault.session == self._session]

    def _endings(self) -> list[Fault]:
        return [fault for what in ("kill all", "kill supervisor", "stop") for fault in self._of_session(what)]

    async def _end(self, fault: Fault, supervisor: Supervisor, life: Life) -> None:
        await asyncio.sleep(fault.at)
        self._machine.tell("trial", str(fault))
        if fault.what == "kill supervisor":
            life.died_at = fault.what
            life.kill()
        elif not life.is_dead:
            self._loop.call_soon(supervisor.stop if fault.what == "stop" else supervisor.kill, context=life.context)

    def _note_end(self, running: asyncio.Task[object], life: Life) -> None:
        if not running.done():
            self._machine.tell(life.name, "is killed")
            return
        error = running.exception()
        if error is None:
            self._machine.tell(life.name, f"ends: {running.result()}")
        else:
            self._machine.tell(life.name, f"gives up: {error}")
            if not _is_machine_error(error):
                self.wrong.append(f"the supervisor broke: {error!r}")
        life.leave()

    async def _wait_for_orphans(self) -> None:
        deaths = [life.death for life in self._machine.lives if life.death is not None and not life.is_dead]
        if deaths:
            await asyncio.wait(deaths)

    # The verdict

    def _look(self) -> None:
        census = Census(self._machine.disk.stores, self._machine.routes)
        self.wrong += [f"after session {self._session}, {what}" for what in census.wrong]
        self._ends = list(judge_ends(self._truth, census.found, census.counts, was_patient=True))
        if census.parcels:
            self._ends.append(f"{census.parcels} parcels were never delivered")

    def result(self) -> Result:
        machine = self._machine
        case = evidence(
            self._world,
            machine.web.log,
            machine.shelf.kept,
            machine.settings,
            clock_was_set=bool(machine.clock.set_by),
        )
        kills = Counter(life.died_at for life in self._loop.lives if life.died_at)
        wrong = [*self.wrong, *judge(case), *machine.troubles, *machine.disk.clashes, *self._loop.troubles]
        found = Census(machine.disk.stores, machine.routes).found
        return Result(
            str(self._trial.seed),
            wrong,
            kills,
            Counter(fault.what for fault in self._trial.faults if fault.what != "kill"),
            self._session,
            len(machine.web.log),
            len(found),
            self._story.mark_of(machine, found),
            [self._passed(node) for node in range(machine.nodes)],
        )

    def _passed(self, node: int) -> tuple[int, int]:
        first = next((life for life in self._machine.lives if life.node == node), None)
        passed = {} if first is None else first.passed()
        return passed.get(ANY, 0), passed.get(STEP, 0)


def _is_machine_error(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_machine_error, error.exceptions))
    return isinstance(error, MachineError)
