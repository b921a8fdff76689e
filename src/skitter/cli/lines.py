"""Progress where there is no terminal: a line every ten seconds, for logs."""

from __future__ import annotations

import contextlib
from typing import TextIO

from skitter.cli.sentences import pages, received, states, time_left
from skitter.errors import harmless
from skitter.supervisor.progress import Snapshot
from skitter.words.figures import clock

EVERY = 10.0


def line(snapshot: Snapshot, max_pages: int | None = None, max_seconds: float | None = None) -> str:
    """Returns the snapshot as one line."""
    facts = [pages(snapshot), received(snapshot), states(snapshot), time_left(snapshot, max_pages, max_seconds)]
    starting = snapshot.ready < snapshot.nodes and not snapshot.counted.requests
    shown = facts[-1:] if starting else [*facts, *snapshot.troubles]
    return f"{clock(snapshot.seconds)}  " + " | ".join(filter(None, shown))


class Lines:
    """Writes lines to `stream`."""

    every = EVERY

    def __init__(self, stream: TextIO, max_pages: int | None = None, max_seconds: float | None = None) -> None:
        self._stream = stream
        self._limits = (max_pages, max_seconds)

    def show(self, snapshot: Snapshot) -> None:
        """Writes one line."""
        self._write(line(snapshot, *self._limits))

    def note(self, text: str) -> None:
        """Writes what happened."""
        self._write(f"skitter: {text}")

    def stopping(self) -> None:
        """Writes that the end has begun."""
        self.note("stopping in order; a second signal ends it at once")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # nobody reads our log: no reason to stop crawling
            self._stream.write(f"{harmless(text)}\n")
            self._stream.flush()


class Silence:
    """Shows nothing: `--quiet`."""

    every = 60.0

    def show(self, snapshot: Snapshot) -> None:
        """Shows nothing."""

    def note(self, text: str) -> None:
        """Says nothing."""

    def stopping(self) -> None:
        """Says nothing."""
