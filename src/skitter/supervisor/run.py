"""One run of a crawl: the folder is held, the supervisor works, someone watches, and the end is told.

The command line and the library both run crawls through here; they differ in who watches.
"""

from __future__ import annotations

import asyncio
import shlex
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from skitter.clock import Clock
from skitter.config.load import load
from skitter.config.running import taken
from skitter.errors import OperatorError, SkitterError
from skitter.folder import locks
from skitter.folder.crawlfile import settings_file
from skitter.folder.modefile import read_mode
from skitter.folder.orders import pending_orders, read_order
from skitter.node.status import NodeStatus
from skitter.schedule.modes import Mode
from skitter.settings import Settings
from skitter.sinks.kept import SinkState
from skitter.supervisor import begin as crawl
from skitter.supervisor import lastrun
from skitter.supervisor.bucket import claim_bucket
from skitter.supervisor.compacting import Compacting
from skitter.supervisor.contents import Contents
from skitter.supervisor.ending import Ending
from skitter.supervisor.job import Job
from skitter.supervisor.lastrun import Note, SettingsTaken
from skitter.supervisor.moding import Moding
from skitter.supervisor.nightly import Nightly
from skitter.supervisor.nodelines import NodeLine, lines_of
from skitter.supervisor.progress import Progress, Snapshot
from skitter.supervisor.real import RealProcesses
from skitter.supervisor.series import FINE, SeriesWriter
from skitter.supervisor.sinking import Sinking
from skitter.supervisor.supervisor import Supervisor

NOTES = 50
"""Sentences that are kept for those who look later."""

OBEYS = 1.0
"""Seconds between two looks for what the operator wants of the crawl as a whole."""


class Finished(Struct, frozen=True):
    """How a run ended."""

    snapshot: Snapshot
    ending: Ending
    sinks: Sequence[SinkState] = ()


class Watcher(Protocol):
    """Who is told how the crawl goes. None of these may raise or wait."""

    every: float  # seconds between two pictures

    def show(self, snapshot: Snapshot) -> None:
        """Takes a snapshot of the crawl."""

    def note(self, text: str) -> None:
        """Takes something that happened, as a sentence."""


def _require_not_stopped(directory: Path) -> None:
    if read_mode(directory).mode is Mode.FULL_STOP:
        undo = shlex.join(["skitter", "mode", str(directory), "0"])
        right = f"the crawl is stopped until it is told otherwise: {undo}"
        raise OperatorError("mode", int(Mode.FULL_STOP), right)


class Run:
    """A crawl from its start to its end. `stop` and `kill` may be called at any time."""

    def __init__(self, job: Job, watcher: Watcher, clock: Clock) -> None:
        self._job = job
        self._watcher = watcher
        self._clock = clock
        self._progress = Progress(job.nodes, clock())
        self._supervisor: Supervisor | None = None
        self._stopping = False
        self._finishing: asyncio.Task[None] | None = None  # what is done when the crawl itself is over
        self._settings = job.settings  # in force
        self._taken: SettingsTaken | None = None
        self._notes: deque[Note] = deque(maxlen=NOTES)
        self._noted = 0
        self._sinking = Sinking(job.directory, job.settings, self.note)

    def stop(self) -> None:
        """Ends the crawl in order; a second call ends it at once. Nothing that was settled is lost."""
        if self._supervisor is None:
            return
        if self._finishing is not None:
            self._finishing.cancel()
            self._sinking.stop()
        elif self._stopping:
            self._supervisor.kill()
            self._sinking.stop()
        else:
            self._supervisor.stop()
        self._stopping = True

    def take_settings(self, asked: Settings) -> None:
        """Goes on with what can be taken of other settings while the crawl runs, and says what was and what was not."""
        if self._supervisor is None:
            return
        found = taken(self._settings, asked)
        self._settings = found.settings
        if found.changed:
            crawl.keep_settings(self._job.directory, found.settings)
            self._supervisor.take_settings(found.settings)
        self._taken = SettingsTaken(self._clock(), list(found.sentences()))
        for sentence in self._taken.sentences:
            self.note(f"settings: {sentence}")

    def note(self, text: str) -> None:
        """Tells the watcher, and those who look later, what happened."""
        self._noted += 1
        self._notes.append(Note(self._noted, self._clock(), text))
        self._watcher.note(text)

    @property
    def settings(self) -> Settings:
        """What is in force."""
        return self._settings

    def sinks(self) -> Sequence[SinkState]:
        """Returns how the sinks stand."""
        return self._sinking.states()

    def reports(self) -> list[NodeStatus]:
        """Returns the last report of each node, with what it had counted in its earlier lives."""
        return [] if self._supervisor is None else self._supervisor.reports()

    def _lines(self) -> list[NodeLine]:
        supervisor = self._supervisor
        return [] if supervisor is None else lines_of(supervisor.reports(), {s.node for s in supervisor.statuses()})

    async def run(self) -> Finished:
        """Returns when the crawl has ended and everything is safe. OperatorError, MachineError if it can't go on."""
        job = self._job
        with locks.locked(job.directory):
            begun = crawl.begin(job.directory, job.seeds, job.settings, self._clock())
            _require_not_stopped(job.directory)
            await claim_bucket(job.directory, job.settings)
            self._supervisor = Supervisor(
                RealProcesses(job.directory),
                job.directory,
                job.settings,
                begun.seeds,
                job.nodes,
                clock=self._clock,
                max_pages=job.max_pages,
                max_seconds=job.max_seconds,
                is_service=job.is_service,
                has_desk=job.has_desk,
                on_status=self._take,
                on_note=self.note,
            )
            moding = Moding(
                job.directory,
                job.settings.modes,
                self._clock,
                self._supervisor.reports,
                self._supervisor.take_mode,
                self.note,
            )
            self._supervisor.begin_in(moding.standing.mode)
            every = job.settings.schedule.rank_every
            nightly = Nightly(job.directory, every, begun.created, self._clock, self.note)
            compacting = Compacting(job.directory, self._clock, self.note)
            contents = Contents(job.directory, job.settings, self.note)
            async with self._sinking as sinking:
                ending = await self._watched(self._supervisor, nightly, compacting, contents, moding)
                await self._finish(contents)
                await sinking.drain()
            snapshot = self._progress.snapshot(self._clock())
            lastrun.write_last_run(job.directory, snapshot, ending.why, self._taken, self._notes, self._lines())
            return Finished(snapshot, ending, sinking.states())

    async def _finish(self, contents: Contents) -> None:
        """Has the last tables made, unless the operator is in a hurry."""
        self._finishing = asyncio.create_task(contents.finish())
        await asyncio.wait([self._finishing])
        if not self._finishing.cancelled():
            self._finishing.result()

    async def _watched(
        self, supervisor: Supervisor, nightly: Nightly, compacting: Compacting, contents: Contents, moding: Moding
    ) -> Ending:
        trouble: SkitterError | None = None
        async with asyncio.TaskGroup() as group:
            beside = (
                self._keep_showing(),
                self._keep_writing(),
                self._keep_sampling(),
                self._keep_obeying(),
                nightly.keep_looking(),
                compacting.keep_compacting(),
                contents.keep_making(),
                moding.keep_minding(),
            )
            watching = [group.create_task(one) for one in beside]
            try:
                ending = await supervisor.run()
            except SkitterError as error:
                trouble = error  # raised below: out of the group it would come wrapped
            for task in watching:
                task.cancel()
        if trouble is not None:
            raise trouble
        return ending

    def _take(self, statuses: Sequence[NodeStatus]) -> None:
        self._progress.take(statuses)

    async def _keep_showing(self) -> None:
        while True:
            self._watcher.show(self._progress.snapshot(self._clock()))
            await asyncio.sleep(self._watcher.every)

    async def _keep_writing(self) -> None:
        while True:
            await asyncio.sleep(lastrun.EVERY)
            snapshot = self._progress.snapshot(self._clock())
            lines = self._lines()
            lastrun.write_last_run(self._job.directory, snapshot, taken=self._taken, notes=self._notes, lines=lines)

    async def _keep_sampling(self) -> None:
        series = SeriesWriter(self._job.directory)
        while True:
            await asyncio.sleep(FINE)
            series.take(self._progress.snapshot(self._clock()))

    async def _keep_obeying(self) -> None:
        while True:
            self._obey()
            await asyncio.sleep(OBEYS)

    def _obey(self) -> None:
        """Carries out what the operator wants of the crawl as a whole: what can't be is said, and forgotten."""
        for file in pending_orders(self._job.directory):
            try:
                kept = settings_file(self._job.directory)
                order = read_order(file)
                self.take_settings(load([kept] if kept is not None else [], flags=order.set).settings)
            except SkitterError as error:
                self.note(f"an order is not carried out: {error}")
            file.unlink(missing_ok=True)
