"""One plug-in as a node has it: where it runs, how it does, what it has cost."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from skitter.plugins.apart import Apart
from skitter.plugins.calls import Answer, Call, Fault, Part, Trouble, answered, in_words
from skitter.plugins.health import HEALTHY, after_fault, is_off
from skitter.plugins.loading import label_of, load
from skitter.settings import PluginSettings

OK = "ok"


class PluginStatistics(Struct, frozen=True):
    """What a plug-in has done since its start."""

    calls: dict[str, int]  # by how they ended: ok, or a fault
    seconds: float  # that it took, waiting for its turn not counted
    off: str = ""  # why it is switched off, if it is


class Here:
    """A plug-in that calls itself quick: it is asked in the node's own thread, where nothing can end it."""

    def __init__(self, name: str, settings: PluginSettings) -> None:
        self._plugin = load(name, settings).plugin

    def ask(self, call: Call) -> Answer:
        """Returns what it says, or what is wrong with it."""
        try:
            return answered(self._plugin, call)
        except MemoryError:
            return Trouble(Fault.ERROR, "ran out of memory")

    def end(self) -> None:
        """There is nothing to end."""


class Plugin:
    """One plug-in. One thread at a time may ask it; anyone may look at it."""

    def __init__(self, name: str, settings: PluginSettings) -> None:
        self.name = name
        self.label = label_of(name)
        self._settings = settings
        self._health = HEALTHY
        self._calls: Counter[str] = Counter()
        self._seconds = 0.0
        apart = Apart(name, settings)
        self._ready = apart.start()
        self._hand: Apart | Here = apart
        if self._ready.is_quick or self.parts == [Part.SINK]:
            apart.end()
        if self._ready.is_quick:
            self._hand = Here(name, settings)

    @property
    def parts(self) -> Sequence[Part]:
        """What it can do."""
        return list(self._ready.parts)

    @property
    def media_types(self) -> Sequence[str]:
        """What it wants to see, if it says so."""
        return self._ready.media_types

    @property
    def is_quick(self) -> bool:
        """Whether it runs in the node itself."""
        return self._ready.is_quick

    @property
    def pid(self) -> int | None:
        """Its process, if it has one."""
        return self._hand.pid if isinstance(self._hand, Apart) else None

    def takes(self, media_type: str, *, is_read: bool) -> bool:
        """Whether it wants to see pages of that type: those that it names, else all that somebody can read."""
        return media_type in self.media_types if self.media_types else is_read

    def ask(self, call: Call) -> Answer:
        """Returns what it says, or why it says nothing. Every call is timed and counted."""
        began = time.monotonic()
        if is_off(self._health, began):
            self._calls[Fault.OFF] += 1
            return Trouble(Fault.OFF, f"is switched off: it {self._health.last}")
        answer = self._hand.ask(call)
        now = time.monotonic()
        self._seconds += now - began
        if isinstance(answer, Trouble):
            self._calls[answer.fault] += 1
            self._health = after_fault(self._health, in_words(answer), now, self._settings)
        else:
            self._calls[OK] += 1
            self._health = HEALTHY
        return answer

    @property
    def seconds_a_call(self) -> float:
        """What one call takes, in the mean."""
        done = self._calls.total() - self._calls[Fault.OFF]
        return self._seconds / done if done else 0.0

    def statistics(self) -> PluginStatistics:
        """Returns what it has done so far."""
        off = self._health.last if is_off(self._health, time.monotonic()) else ""
        return PluginStatistics(dict(self._calls), self._seconds, off)

    def close(self) -> None:
        """Ends its process, if it has one."""
        with contextlib.suppress(OSError):
            self._hand.end()

    def __repr__(self) -> str:
        return f"<Plugin {self.name} {self._hand!r}>"
