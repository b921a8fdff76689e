"""Minds the mode of a running crawl: what the operator set, and what the machine and the answers of late ask for."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import structs

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.folder.modefile import keep_rule, read_mode
from skitter.node.status import NodeStatus
from skitter.schedule.modes import Mode, Signals, Standing, stepped
from skitter.settings import ModeSettings

EVERY = 1.0
OF_LATE = 600.0
"""Seconds of answers that are looked at."""
REFUSING = (429, 503)


class Moding:
    """Looks at what is short once a second, and tells a change."""

    def __init__(
        self,
        directory: Path,
        settings: ModeSettings,
        clock: Clock,
        reports: Callable[[], Sequence[NodeStatus]],
        on_mode: Callable[[Mode], None],
        note: Callable[[str], None],
        machine: Callable[[Path], Signals] | None = None,
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._clock = clock
        self._reports = reports
        self._on_mode = on_mode
        self._note = note
        self._machine = machine or machine_of
        self._counted: deque[tuple[float, int, int]] = deque()  # when, answers and refusals so far
        self.standing = read_mode(directory)
        self._said = ""

    async def keep_minding(self) -> None:
        """Says what holds at first, then tells each change, until it is cancelled."""
        if self.standing.mode:
            self._note(f"mode {self.standing.words()}")
        while True:
            await asyncio.sleep(EVERY)
            self.look()

    def look(self) -> None:
        """Looks once."""
        before = self.standing
        try:
            operator = read_mode(self._directory).operator
        except MachineError as error:
            operator = before.operator
            if str(error) != self._said:
                self._said = str(error)
                self._note(self._said)
        asked = structs.replace(before, operator=operator)
        self.standing = stepped(asked, self._signals(), self._settings, self._clock())
        if self.standing.rule != before.rule:
            self._keep()
        self._tell(before)

    def _keep(self) -> None:
        try:
            keep_rule(self._directory, self.standing, self._clock())
        except MachineError as error:  # a disk that is full is why we are here
            self._note(f"the mode is not kept over a restart: {error}")

    def _tell(self, before: Standing) -> None:
        if self.standing.mode != before.mode:
            self._note(f"mode {self.standing.words()}; it was {before.mode:d}")
            self._on_mode(self.standing.mode)

    def _signals(self) -> Signals:
        now, answers, refused = self._clock(), 0, 0
        for report in self._reports():
            answers += sum(report.counted.statuses.values())
            refused += sum(report.counted.statuses.get(status, 0) for status in REFUSING)
        counted = self._counted
        counted.append((now, answers, refused))
        while counted[0][0] < now - OF_LATE:
            counted.popleft()
        _, answers_then, refused_then = counted[0]
        return structs.replace(
            self._machine(self._directory),
            answers=max(0, answers - answers_then),
            refused=max(0, refused - refused_then),
        )


def machine_of(directory: Path) -> Signals:
    """Returns how much room the disk has, and how much memory is available."""
    try:
        disk = os.statvfs(directory)
        room: float | None = float(disk.f_bavail * disk.f_frsize)
    except OSError:
        room = None
    return Signals(room, _memory())


def _memory() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = {name: float(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
    total, available = found.get("MemTotal"), found.get("MemAvailable")
    return available / total if total and available is not None else None
