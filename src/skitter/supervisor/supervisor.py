"""The supervisor: starts the nodes, and again those that die or hang, and ends the crawl in order.

It does nothing but wait, ask and tell: nodes are started by `Processes`, time comes from a clock and `asyncio.sleep`.
What it decides is decided in `ending` (is it over?), `grants` and `shares` (who may fetch how much, and how quickly?)
and `heartbeats` (who hangs?).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.node.status import Command, NodeStart, NodeStatus
from skitter.schedule.modes import Mode, in_mode
from skitter.settings import Settings
from skitter.supervisor import heartbeats
from skitter.supervisor.child import Child
from skitter.supervisor.ending import EndDetector, Ending
from skitter.supervisor.grants import Grants, is_hungry
from skitter.supervisor.heartbeats import Awaited, Heartbeats
from skitter.supervisor.processes import Processes
from skitter.supervisor.shares import Shares

AGAIN, AT_LATEST = 0.1, 1.0
"""A node is started again after this, and after twice as long each time if it dies often."""

QUICK_DEATHS = 5
"""A node that dies so often in so short a time is not started again: the machine or we are broken."""


class Supervisor:
    """Runs one crawl to its end."""

    def __init__(
        self,
        processes: Processes,
        directory: Path,
        settings: Settings,
        seeds: Sequence[str],
        nodes: int,
        *,
        clock: Clock,
        max_pages: int | None = None,
        max_seconds: float | None = None,
        is_service: bool = False,
        has_desk: bool = False,
        on_status: Callable[[Sequence[NodeStatus]], None] = lambda _: None,
        on_note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._processes = processes
        self._directory = directory
        self._settings = settings
        self._seeds = seeds
        self._clock = clock
        self._until = None if max_seconds is None else clock() + max_seconds
        self._has_desk = has_desk
        self._on_status = on_status
        self._on_note = on_note
        self._children = [Child(number) for number in range(nodes)]
        self._grants = Grants(max_pages, nodes)
        self._heartbeats = Heartbeats(settings.node, clock())
        self._shares = Shares(settings.politeness.max_rate, nodes, clock())
        self._end_detector = EndDetector(settings, is_service=is_service)
        self._ending: asyncio.Future[Ending] | None = None
        self._stopping = False
        self._mode = Mode.AS_SET

    def stop(self) -> None:
        """Ends the crawl in order."""
        self._end(Ending("stopped", is_done=False))

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings, of those that can change at run time."""
        self._settings = self._end_detector.settings = settings
        self._shares.change(settings.politeness.max_rate, self._clock())
        for child in self._children:
            child.tell(Command(settings=in_mode(settings, self._mode)))

    def begin_in(self, mode: Mode) -> None:
        """Has the nodes begin in a mode."""
        self._mode = self._end_detector.mode = mode

    def take_mode(self, mode: Mode) -> None:
        """Goes on in another mode; a full stop ends the crawl in order."""
        self._mode = self._end_detector.mode = mode
        if mode is Mode.FULL_STOP:
            self._end(Ending("mode", is_done=False))
            return
        for child in self._children:
            child.tell(Command(settings=in_mode(self._settings, mode), mode=mode))

    def kill(self) -> None:
        """Ends the nodes at once. Nothing that was settled is lost."""
        self._stopping = True
        self.stop()
        for child in self._children:
            if child.process is not None:
                child.process.kill()

    def reports(self) -> list[NodeStatus]:
        """Returns the last report of each node, be it dead, with what it had counted in its earlier lives."""
        return [child.report for child in self._children if child.report is not None]

    def statuses(self) -> list[NodeStatus]:
        """Returns the last report of each node that is alive."""
        return [child.status for child in self._children if child.status is not None]

    async def run(self) -> Ending:
        """Returns when the crawl has ended and everything is safe. MachineError if it can't go on."""
        self._ending = asyncio.get_running_loop().create_future()
        await self._wait_for_old_nodes(self._ending)
        self._stopping = self._ending.done()
        with self._processes.held():
            await self._run_nodes(self._ending)
        self._on_status(self.statuses())
        return self._ending.result()

    async def _run_nodes(self, ending: asyncio.Future[Ending]) -> None:
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(self._watch(child)) for child in self._children]
            minding = group.create_task(self._mind_time())
            listening = group.create_task(self._mind_silence())
            await asyncio.wait([ending])
            minding.cancel()
            self._stopping = True
            self._heartbeats.stop(self._clock())
            for child in self._children:
                child.tell(Command(stop=True))
            await asyncio.wait(watching)
            listening.cancel()

    async def _wait_for_old_nodes(self, ending: asyncio.Future[Ending]) -> None:
        if not self._processes.has_old_nodes():
            return
        self._on_note("nodes of an earlier run are still finishing: waiting for them")
        until = self._clock() + heartbeats.patience(self._settings.node)[Awaited.END]
        while self._processes.has_old_nodes() and not ending.done():
            if self._clock() > until:
                remedy = f"See {self._directory / 'run'} for what they say, end them, and start the same command again."
                raise MachineError("nodes of an earlier run do not end", str(self._directory), remedy)
            await asyncio.sleep(0.1)

    # The lives of nodes

    async def _watch(self, child: Child) -> None:
        await self._live(child)
        while not self._stopping:
            await asyncio.sleep(self._bury(child))
            await self._live(child)

    async def _live(self, child: Child) -> None:
        """Starts a node and returns when it is dead."""
        if self._stopping:
            return
        budget = self._grants.started(child.number)
        order = NodeStart(
            str(self._directory),
            child.number,
            len(self._children),
            in_mode(self._settings, self._mode),
            self._seeds,
            budget,
            self._has_desk,
            self._mode,
        )
        child.process = await self._processes.start(order)
        self._heartbeats.started(child.number, self._clock())
        assert self._ending is not None
        if self._ending.done():  # it came while the process was being started: nobody else will tell it
            child.tell(Command(stop=True))
        while (status := await child.process.next_report()) is not None:
            self._take(child, status)
        self._heartbeats.died(child.number)

    def _bury(self, child: Child) -> float:
        """Takes note of a death and returns after how long the node is to be started again."""
        assert child.process is not None
        code, told = child.process.returncode, child.process.last_words()
        deaths = child.deaths_of_late(self._clock())
        if code == MachineError.exit_code or deaths >= QUICK_DEATHS:
            self._give_up(f"node {child.number} can't go on ({_how(code)}): {told}")
            return 0.0
        if not child.hung:
            self._on_note(f"node {child.number} died ({_how(code)}) and is started again. {told}".strip())
        self._grants.died(child.number, child.status)
        self._shares.died(child.number)
        child.died()
        return min(AT_LATEST, AGAIN * float(2 ** (deaths - 1)))

    def _give_up(self, why: str) -> None:
        self._stopping = True
        assert self._ending is not None
        if not self._ending.done():
            remedy = f"See {self._directory / 'run'} for what the nodes said; the same command goes on."
            self._ending.set_exception(MachineError(why, str(self._directory), remedy))

    async def _mind_silence(self) -> None:
        while True:
            await asyncio.sleep(heartbeats.EVERY)
            for number, words in self._heartbeats.look(self._clock()).items():
                self._end_hung(self._children[number], words)

    def _end_hung(self, child: Child, words: str) -> None:
        """Kills a node that hangs: it would hear no other word. If we are not stopping, `_watch` starts it again."""
        assert child.process is not None
        child.hung = True
        then = _left_by(child) if self._stopping else "and is started again"
        self._on_note(f"node {child.number} {words}: it hangs, is killed {then}.")
        child.process.kill()

    # What they report

    def _take(self, child: Child, status: NodeStatus) -> None:
        now = self._clock()
        child.heard(status)
        self._heartbeats.heard(child.number, now)
        for note in status.notes:
            self._on_note(note)
        if (command := self._grants.heard(status, now)) is not None:
            child.tell(command)
        made = status.counted.requests + status.in_flight
        if allowed := self._shares.heard(child.number, now, made=made, is_hungry=is_hungry(status, now)):
            child.tell(Command(allowed=allowed))
        self._on_status(self.statuses())
        if not self._stopping:
            self._look_for_the_end()

    def _look_for_the_end(self) -> None:
        statuses = self.statuses()
        if len(statuses) < len(self._children):
            return
        if self._grants.are_used_up(statuses):
            self._end(Ending("pages", is_done=False))
            return
        found = self._end_detector.heard(statuses, self._clock())
        if isinstance(found, Ending):
            self._end(found)
            return
        for child in self._children:
            if child.asked < found:
                child.asked = found
                child.tell(Command(ask=found))

    async def _mind_time(self) -> None:
        if self._until is not None:
            await asyncio.sleep(max(0.0, self._until - self._clock()))
            self._end(Ending("seconds", is_done=False))

    def _end(self, ending: Ending) -> None:
        if self._ending is not None and not self._ending.done():
            self._ending.set_result(ending)


def _how(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _left_by(child: Child) -> str:
    """Returns what a node leaves that is killed in a stop."""
    if child.status is None:
        return "and had not begun"
    return f"and leaves what it had under way ({child.status.in_flight} requests) to the next run"
