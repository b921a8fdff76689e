"""The twin of `supervisor.processes`: nodes as lives in the simulator's loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from msgspec import structs

from skitter.errors import MachineError
from skitter.node.node import Node
from skitter.node.status import Command, NodeStart, NodeStatus
from skitter.sim.build import built
from skitter.sim.life import Life
from skitter.sim.machine import Machine

STARTS_IN = 0.2
"""Seconds that a process takes to be there, at the most."""
KILLED = -9


class SimProcess:
    """One life of a node. See `supervisor.processes.NodeProcess`."""

    def __init__(self, machine: Machine, order: NodeStart) -> None:
        self._machine = machine
        self.life: Life = machine.begin(order.number)
        self._reports: asyncio.Queue[NodeStatus | None] = asyncio.Queue()
        self._node: Node | None = None
        self._told: list[Command] = []
        self._words = ""
        self.returncode: int | None = None
        machine.tell(self.life.name, "starts")
        self.life.at_death.append(self._note_death)
        task = machine.loop.create_task(self._live(order), context=self.life.context)
        # Whoever started it may be dead by the time that it ends.
        task.add_done_callback(self._ended, context=machine.outside)

    def __repr__(self) -> str:
        return f"<SimProcess {self.life!r}>"

    async def _live(self, order: NodeStart) -> None:
        async with built(self._machine, self.life, order, self._report) as (node, notes):
            self._node = node
            for command in self._told:
                node.obey(command)
            await node.run(notes)
            last = node.status()
        self._report(structs.replace(last, stopped=True))

    def _report(self, status: NodeStatus) -> None:
        self.life.check()
        self._reports.put_nowait(status)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self.life.is_dead:
            return
        error = task.exception()
        if error is None:
            self.returncode = 0
            self.life.leave()
            return
        self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Ends the life with an error that nobody caught."""
        first = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        self.returncode = MachineError.exit_code if isinstance(first, MachineError) else 1
        self._words = f"{type(first).__name__}: {first}"
        if not isinstance(first, MachineError):
            self._machine.troubles.append(f"{self.life.name} ended with {self._words}")
        self.life.kill()

    def _note_death(self) -> None:
        self.returncode = KILLED if self.returncode is None else self.returncode
        how = {KILLED: "is killed", 0: "ends"}.get(self.returncode, self._words)
        self._machine.tell(self.life.name, how)
        self._reports.put_nowait(None)

    def tell(self, command: Command) -> None:
        """See `supervisor.processes.NodeProcess`."""
        self._machine.loop.call_soon(self._obey, command, context=self.life.context)

    def _obey(self, command: Command) -> None:
        if self._node is None:
            self._told.append(command)
        else:
            self._node.obey(command)

    async def next_report(self) -> NodeStatus | None:
        """See `supervisor.processes.NodeProcess`."""
        return await self._reports.get()

    def kill(self) -> None:
        """See `supervisor.processes.NodeProcess`."""
        if not self.life.is_dead:
            self.life.died_at = "the supervisor's kill"
        self.life.kill()

    def last_words(self) -> str:
        """See `supervisor.processes.NodeProcess`."""
        return self._words


class SimProcesses:
    """Starts the nodes of one run, for the life of its supervisor. See `supervisor.processes.Processes`."""

    def __init__(self, machine: Machine, supervisor: Life) -> None:
        self._machine = machine
        self._started: list[SimProcess] = []
        supervisor.at_death.append(self._leave_alone)

    def has_old_nodes(self) -> bool:
        """See `supervisor.processes.Processes`."""
        return self._machine.is_alive()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """See `supervisor.processes.Processes`."""
        yield

    async def start(self, start: NodeStart) -> SimProcess:
        """See `supervisor.processes.Processes`."""
        await asyncio.sleep(STARTS_IN * self._machine.random.random())
        process = SimProcess(self._machine, start)
        self._started.append(process)
        return process

    def process_of(self, life: Life) -> SimProcess | None:
        """Returns the process of a life that was started here."""
        return next((process for process in self._started if process.life is life), None)

    def _leave_alone(self) -> None:
        """The supervisor is gone: its nodes find out, and stop in order."""
        for process in self._started:
            process.tell(Command(stop=True))
