"""Which nodes hang? Pure: what each was last heard of and the time in, out come those that are overdue.

A node reports twice a second. One whose loop stands still, in a page that takes for ever to read or on a disk that does
not answer, says nothing and stays alive as a process: only its silence tells. Time in which we did not listen ourselves
(the machine was suspended, Ctrl-Z was pressed, others had the processor) is nobody's silence and is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from skitter.settings import NodeSettings

EVERY = 0.5
"""Seconds between two looks."""

TO_BEGIN = 10
"""Times as long a node may be silent before its first report: it mends files and opens stores, on a cold disk."""

TO_CLOSE = 60.0
"""Seconds a node has to close its files, after what was under way at a stop: a full WARC file is sealed and indexed."""


class Awaited(StrEnum):
    """What is expected of a node next."""

    FIRST_REPORT = "first_report"
    REPORT = "report"
    END = "end"


WORDS = {
    Awaited.FIRST_REPORT: "was started {:.0f} s ago and has said nothing yet",
    Awaited.REPORT: "has said nothing for {:.0f} s",
    Awaited.END: "was told to stop {:.0f} s ago and has not",
}


class Wait(Struct, frozen=True):
    """What we wait for, and since when."""

    what: Awaited
    since: float


def patience(settings: NodeSettings) -> dict[Awaited, float]:
    """Returns how long each may take before a node counts as hanging."""
    return {
        Awaited.FIRST_REPORT: TO_BEGIN * settings.silence,
        Awaited.REPORT: settings.silence,
        Awaited.END: settings.stop_seconds + TO_CLOSE,
    }


def overdue(waits: Mapping[int, Wait], limits: Mapping[Awaited, float], now: float) -> dict[int, str]:
    """Returns the nodes that hang, each with what it is that they did not do, in words."""
    return {
        node: WORDS[wait.what].format(limits[wait.what])
        for node, wait in waits.items()
        if now - wait.since > limits[wait.what]
    }


class Heartbeats:
    """Remembers what was heard of each node that is alive."""

    def __init__(self, settings: NodeSettings, now: float) -> None:
        self._limits = patience(settings)
        self._waits: dict[int, Wait] = {}
        self._looked = now
        self._stopping = False

    def started(self, node: int, now: float) -> None:
        """Takes that a node was started."""
        self._waits[node] = Wait(Awaited.END if self._stopping else Awaited.FIRST_REPORT, now)

    def heard(self, node: int, now: float) -> None:
        """Takes that a node reported. One that was told to stop must end, whatever else it has to say."""
        if not self._stopping and node in self._waits:
            self._waits[node] = Wait(Awaited.REPORT, now)

    def died(self, node: int) -> None:
        """Takes that a node is dead: nothing is expected of it."""
        self._waits.pop(node, None)

    def stop(self, now: float) -> None:
        """Takes that all nodes were told to stop, and that those started from now on are told at once."""
        self._stopping = True
        self._waits = {node: Wait(Awaited.END, now) for node in self._waits}

    def look(self, now: float) -> dict[int, str]:
        """Returns the nodes that hang, in words and once. To be called every `EVERY`: what we are late is forgiven."""
        late = max(0.0, now - self._looked - EVERY)
        self._looked = now
        self._waits = {node: Wait(wait.what, wait.since + late) for node, wait in self._waits.items()}
        found = overdue(self._waits, self._limits, now)
        for node in found:
            del self._waits[node]
        return found
