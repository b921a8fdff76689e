"""A node through all its lives, as its supervisor remembers it."""

from __future__ import annotations

from msgspec import structs

from skitter.node.status import Command, NodeStatus
from skitter.supervisor.processes import NodeProcess
from skitter.supervisor.progress import NOTHING, added

QUICK = 10.0
"""Deaths that lie no further apart than this are one misfortune."""


class Child:
    """One node: its process, what it last said, and what it had counted in its earlier lives."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: NodeProcess | None = None
        self.status: NodeStatus | None = None
        self.report: NodeStatus | None = None  # as `status`, with the earlier lives
        self.asked = 0  # the last question that was put to it
        self.hung = False  # it is being killed because it hangs
        self._deaths: list[float] = []
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
        self.hung = False

    def deaths_of_late(self, now: float) -> int:
        """Returns how often it has died within `QUICK`, with the death of this moment."""
        self._deaths = [*(at for at in self._deaths if now - at < QUICK), now]
        return len(self._deaths)

    def tell(self, command: Command) -> None:
        """Sends a command, if there is anyone to take it."""
        if self.process is not None:
            self.process.tell(command)

    def __repr__(self) -> str:
        return f"<Child {self.number} {self.process!r} restarts={self._restarts}>"
