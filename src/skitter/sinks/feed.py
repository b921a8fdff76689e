"""Brings what a source has to one sink, batch by batch, each with its bookmark: the rows, then the commit.

The sink may be slow, away or killed, and so may we: whoever comes next goes on from the last bookmark. Nothing waits
for us. While a sink fails it is tried again with growing waits, by `WAITS`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from skitter.errors import SinkError
from skitter.ports import Sink
from skitter.sinks.kept import Bookmarks, SinkState
from skitter.sinks.source import Batch, Source


class Wait(NamedTuple):
    """How long is waited after a failure, and at the most: each time twice as long."""

    first: float
    most: float


SILENT = 15.0
"""Seconds without an answer after which that is said."""

WAITS: Mapping[str, Wait] = {"away": Wait(0.5, 60.0), "refused": Wait(10.0, 300.0)}


def wait_after(kind: str, failures: int) -> float:
    """Returns how long to wait after so many failures in a row."""
    wait = WAITS[kind]
    return min(wait.most, wait.first * 2.0 ** min(failures - 1, 30))


class Feed:
    """Feeds one sink. `source` is opened with the bookmark to go on from; what we keep ourselves is in `kept`."""

    def __init__(
        self,
        name: str,
        sink: Sink,
        source: Callable[[bytes | None], Source],
        kept: Bookmarks | None,
        clock: Callable[[], float],
    ) -> None:
        self._name = name
        self._sink = sink
        self._open_source = source
        self._kept = kept
        self._clock = clock
        self._source: Source | None = None
        self._batches: Iterator[Batch] = iter(())
        self._keeps_itself = False
        self._bookmark = None if kept is None else kept.read()  # to go by, until the sink says otherwise
        self._newest = 0.0
        self._bytes = 0
        self.captures = self.rows = self.failures = 0
        self.trouble = ""
        self.again_at = 0.0
        self._asked_at = 0.0  # when the sink was asked for what it has not done yet

    def step(self) -> bool:
        """Brings one batch; returns whether there was one.

        SinkError: call `failed`, then again later. MachineError, OperatorError: it can't go on.
        """
        if self._source is None:
            with self._asking():
                self._source = self._opened()
        batch = next(self._batches, None)
        if batch is None:
            self._batches = self._source.batches()
            batch = next(self._batches, None)
        if batch is not None:
            with self._asking():
                self._bring(batch)
        self.failures, self.trouble, self.again_at = 0, "", 0.0
        return batch is not None

    def failed(self, error: SinkError) -> float:
        """Takes note of a failure, and returns how long to wait. What was not committed comes again."""
        self.close()
        self.failures += 1
        wait = wait_after(error.kind, self.failures)
        self.trouble, self.again_at = str(error), self._clock() + wait
        return wait

    def close(self) -> None:
        """Lets go of the sink; `step` opens it again."""
        self._source, self._batches = None, iter(())
        self._sink.close()

    def state(self, *, is_over: bool = False) -> SinkState:
        """Returns how it stands."""
        now = self._clock()
        behind = (self._source or self._open_source(self._bookmark)).behind()
        each = self._bytes / self.captures if self.captures else 0.0
        return SinkState(
            self._name,
            now,
            self.captures,
            self.rows,
            behind,
            max(1, round(behind / each)) if behind and each else min(1, behind),
            max(0.0, now - self._newest) if behind and self._newest else 0.0,
            self.trouble or self._silence(now),
            self.failures,
            self.again_at,
            is_over,
        )

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        self._asked_at = self._clock()
        try:
            yield
        finally:
            self._asked_at = 0.0

    def _silence(self, now: float) -> str:
        waited = now - self._asked_at if self._asked_at else 0.0
        return f"{self._name} has not answered for {waited:.0f} s" if waited > SILENT else ""

    def _opened(self) -> Source:
        told = self._sink.open()
        self._keeps_itself = told is not None
        if told is not None:
            self._bookmark = told
        return self._open_source(self._bookmark)

    def _bring(self, batch: Batch) -> None:
        for rows in batch.rows:
            self._sink.write(rows)
        self._sink.commit(batch.bookmark)
        self._bookmark = batch.bookmark
        if self._kept is not None:
            self._kept.keep(batch.bookmark, is_hint=self._keeps_itself)
        self.captures += batch.captures
        self.rows += sum(len(rows.rows) for rows in batch.rows)
        self._bytes += batch.size
        self._newest = max(self._newest, batch.newest.timestamp())

    def __repr__(self) -> str:
        return f"<Feed of {self._name} {self.captures} captures, {self.failures} failures>"
