"""The supervisor: starts the nodes, and again those that die, adds up their reports, and ends the crawl in order."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.folder.locks import nodes_at_work, nodes_lock
from skitter.node.start import NodeStart
from skitter.node.status import GRANT, LOW, Command, NodeStatus
from skitter.settings import Settings
from skitter.supervisor.ending import EndDetector, Ending
from skitter.supervisor.progress import NOTHING, added

PATIENCE = 30.0
"""How much longer than they should take to stop we wait for the nodes of an earlier run."""

SOON = 1.0
"""A host that is ready by then is work at hand."""

FRUGAL = {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""What a node is born with, unless the operator's environment says otherwise: two allocators that hold on to less. The
one that comes with Arrow kept 18 MB for the 2 MB that our tables take."""

QUICK_DEATHS = 5
QUICK = 10.0
"""A node that dies so often so soon after its start is not started again: the machine or we are broken."""


class Child:
    """One node process."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: asyncio.subprocess.Process | None = None
        self.status: NodeStatus | None = None
        self.asked = 0  # the last question that was put to it
        self.granted = 0
        self.given_back = 0  # of the grants
        self.deaths: list[float] = []
        self.log: Path | None = None
        self.report: NodeStatus | None = None  # as `status`, with the earlier lives
        self._past = NOTHING
        self._restarts = 0

    def heard(self, status: NodeStatus) -> None:
        """Takes a report."""
        self.status = status
        counted = added(self._past, status.counted)
        self.report = structs.replace(status, counted=counted, restarts=self._restarts)

    def died(self) -> None:
        """Keeps what it had counted: the next life counts from zero."""
        if self.report is not None:
            self._past = self.report.counted
            self.report = structs.replace(self.report, in_flight=0, stopped=True)
        self._restarts += 1
        self.status = None
        self.asked = 0

    def has_used_its_grants(self) -> bool:
        """Whether as many pages came in as were granted. Its budget does not tell: a grant may be under way."""
        status = self.status
        return status is not None and not status.in_flight and status.counted.pages >= self.granted - self.given_back

    def tell(self, command: Command) -> None:
        """Sends a command, if there is anyone to take it."""
        if self.process is None or self.process.stdin is None or self.process.stdin.is_closing():
            return
        self.process.stdin.write(msgspec.json.encode(command) + b"\n")


class Supervisor:
    """Runs one crawl to its end."""

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        seeds: Sequence[str],
        nodes: int,
        *,
        clock: Clock,
        max_pages: int | None = None,
        max_seconds: float | None = None,
        on_status: Callable[[Sequence[NodeStatus]], None] = lambda _: None,
        on_note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._seeds = seeds
        self._clock = clock
        self._pool = max_pages
        self._limited = max_pages is not None
        self._until = None if max_seconds is None else clock() + max_seconds
        self._on_status = on_status
        self._on_note = on_note
        self._children = [Child(number) for number in range(nodes)]
        self._ending: asyncio.Future[Ending] | None = None
        self._stopping = False
        self._end_detector = EndDetector(settings)

    def stop(self) -> None:
        """Ends the crawl in order."""
        self._end(Ending("stopped", is_done=False))

    def kill(self) -> None:
        """Ends the nodes at once. Nothing that was settled is lost."""
        self._stopping = True
        self.stop()
        for child in self._children:
            if child.process is not None and child.process.returncode is None:
                child.process.kill()

    def reports(self) -> list[NodeStatus]:
        """Returns the last report of each node, be it dead, with what it had counted in its earlier lives."""
        return [child.report for child in self._children if child.report is not None]

    def statuses(self) -> list[NodeStatus]:
        """Returns the last report of each node that is alive."""
        return [child.status for child in self._children if child.status is not None]

    async def run(self) -> Ending:
        """Returns when the crawl has ended and everything is safe."""
        self._ending = asyncio.get_running_loop().create_future()
        await self._wait_for_old_nodes(self._ending)
        self._stopping = self._ending.done()
        with nodes_lock(self._directory) as lock:
            await self._run_nodes(self._ending, lock)
        self._on_status(self.statuses())
        return self._ending.result()

    async def _run_nodes(self, ending: asyncio.Future[Ending], lock: int) -> None:
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(self._watch(child, lock)) for child in self._children]
            minding = group.create_task(self._mind_time())
            await asyncio.wait([ending])
            minding.cancel()
            self._stopping = True
            for child in self._children:
                child.tell(Command(stop=True))
            await asyncio.wait(watching)

    async def _wait_for_old_nodes(self, ending: asyncio.Future[Ending]) -> None:
        if not nodes_at_work(self._directory):
            return
        self._on_note("nodes of an earlier run are still finishing: waiting for them")
        patience = self._settings.node.stop_seconds + PATIENCE
        until = self._clock() + patience
        while nodes_at_work(self._directory) and not ending.done():
            if self._clock() > until:
                remedy = f"See {self._directory / 'run'} for what they say, end them, and start the same command again."
                raise MachineError("nodes of an earlier run do not end", str(self._directory), remedy)
            await asyncio.sleep(0.1)

    # The nodes

    async def _watch(self, child: Child, lock: int) -> None:
        await self._live(child, lock)
        while not self._stopping:
            self._bury(child)
            await asyncio.sleep(min(1.0, 0.05 * 2 ** len(child.deaths)))
            await self._live(child, lock)

    async def _live(self, child: Child, lock: int) -> None:
        """Starts a node and returns when it is dead."""
        if self._stopping:
            return
        child.log = self._directory / "run" / f"node-{child.number}.log"
        order = NodeStart(
            str(self._directory),
            child.number,
            len(self._children),
            self._settings,
            self._seeds,
            self._grant(child) if self._limited else None,
        )
        with child.log.open("ab") as log:
            child.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "skitter.node",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=2**24,
                pass_fds=(lock,),
                env={**FRUGAL, **os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert child.process.stdin is not None
        assert child.process.stdout is not None
        child.process.stdin.write(msgspec.json.encode(order) + b"\n")
        assert self._ending is not None
        if self._ending.done():  # it came while the process was being started: nobody else will tell it
            child.tell(Command(stop=True))
        while line := await child.process.stdout.readline():
            self._take(child, msgspec.json.decode(line, type=NodeStatus))
        await child.process.wait()

    def _bury(self, child: Child) -> None:
        assert child.process is not None
        now = self._clock()
        child.deaths = [*(at for at in child.deaths if now - at < QUICK), now]
        told = _last_line(child.log)
        if child.process.returncode == MachineError.exit_code or len(child.deaths) >= QUICK_DEATHS:
            self._give_up(f"node {child.number} can't go on ({_how(child.process.returncode)}): {told}")
            return
        self._on_note(
            f"node {child.number} died ({_how(child.process.returncode)}) and is started again. {told}".strip()
        )
        if self._limited:
            self._take_back(child)
        child.died()

    def _give_up(self, why: str) -> None:
        self._stopping = True
        assert self._ending is not None
        if not self._ending.done():
            remedy = f"See {self._directory / 'run'} for what the nodes said; the same command goes on."
            self._ending.set_exception(MachineError(why, str(self._directory), remedy))

    # What they report

    def _take(self, child: Child, status: NodeStatus) -> None:
        child.heard(status)
        for note in status.notes:
            self._on_note(note)
        if self._limited:
            self._share(child, status)
        self._on_status(self.statuses())
        if not self._stopping:
            self._look_for_the_end()

    def _grant(self, child: Child) -> int:
        assert self._pool is not None
        grant = min(self._pool, GRANT, max(1, self._pool // (2 * len(self._children))))
        self._pool -= grant
        child.granted += grant
        return grant

    def _take_back(self, child: Child) -> None:
        """Returns to the pool what a dead node had not used, as of its last report."""
        assert self._pool is not None
        used = 0 if child.status is None else child.status.counted.pages
        self._pool += max(0, child.granted - child.given_back - used)
        child.granted = child.given_back = 0

    def _share(self, child: Child, status: NodeStatus) -> None:
        """Grants more pages to a node that runs short, and takes back what an idle one does not need."""
        assert self._pool is not None
        assert status.budget is not None
        self._pool += status.returned - child.given_back
        child.given_back = status.returned
        if status.budget <= LOW and self._pool and self._is_hungry(status):
            child.tell(Command(grant=self._grant(child)))
        elif status.budget and not self._pool and not self._is_hungry(status):
            child.tell(Command(reclaim=True))

    def _is_hungry(self, status: NodeStatus) -> bool:
        """Whether a node has pages to fetch. One whose grants are used up looks idle while its hosts are ready."""
        next_at = status.frontier.next_at
        return not status.idle or (next_at is not None and next_at <= self._clock() + SOON)

    def _look_for_the_end(self) -> None:
        statuses = self.statuses()
        if len(statuses) < len(self._children):
            return
        if self._limited and not self._pool and all(child.has_used_its_grants() for child in self._children):
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


def _last_line(log: Path | None) -> str:
    if log is None or not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
