"""Numbers of a crawl over time, for those who look: DIR/run/series.jsonl, a line each five seconds.

After an hour a line a minute is left, after a day none: the file is bounded, and outlives the run.
Counts are since their run began, so that what is left out loses nothing: a rate is the difference between two lines.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.folder.atomic import write_whole
from skitter.messages import State
from skitter.supervisor.progress import Snapshot

FILE = "series.jsonl"
FINE, COARSE = 5.0, 60.0
FINE_FOR, COARSE_FOR = 3600.0, 86400.0
MOST_LINES = 4000
"""At the most: then it is thinned."""

STATES = tuple(state.value for state in State)


class Point(Struct, frozen=True, array_like=True):
    """The numbers at one moment."""

    at: float
    began: float  # the run
    pages: int
    requests: int
    errors: int
    received: int
    in_flight: int
    hosts: int  # in memory
    states: Sequence[int]  # in the order of `STATES`
    fresh: float | None = None
    margin: float | None = None
    late: float = 0.0
    to_render: int = 0
    failures: dict[str, int] = {}  # by kind, since the run began
    skipped: dict[str, int] = {}  # by reason, the same


_decoder = msgspec.json.Decoder(Point)


def point_of(snapshot: Snapshot) -> Point:
    """Returns the numbers of a snapshot."""
    counted = snapshot.counted
    return Point(
        round(snapshot.at, 3),
        round(snapshot.at - snapshot.seconds, 3),
        counted.pages,
        counted.requests,
        sum(counted.failures.values()),
        counted.received,
        snapshot.in_flight,
        snapshot.hosts,
        [snapshot.states.get(name, 0) for name in STATES],
        snapshot.fresh,
        snapshot.margin,
        snapshot.late,
        snapshot.to_render,
        dict(counted.failures),
        dict(counted.skipped),
    )


def thinned(points: Iterable[Point], now: float) -> list[Point]:
    """Returns what is left of points: all of the last hour, one a minute of the last day."""
    kept: list[Point] = []
    for point in points:
        if point.at <= now - COARSE_FOR or point.at > now + COARSE:  # or the machine's clock was set back
            continue
        if point.at <= now - FINE_FOR and kept and kept[-1].at // COARSE == point.at // COARSE:
            kept.pop()
        kept.append(point)
    return kept


class SeriesWriter:
    """Keeps the file. A full disk is no reason to stop: it is only for looking."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "run" / FILE
        self._lines = MOST_LINES  # what an earlier run left is thinned first

    def take(self, snapshot: Snapshot) -> None:
        """Writes a line."""
        with contextlib.suppress(OSError):
            if self._lines >= MOST_LINES:
                kept = thinned(read_points(self._file), snapshot.at)
                write_whole(self._file, b"".join(_line(point) for point in kept), on_disk=False)
                self._lines = len(kept)
            with self._file.open("ab") as stream:
                stream.write(_line(point_of(snapshot)))
            self._lines += 1


def read_points(file: Path) -> list[Point]:
    """Returns the points of a file; none if there is none. A line that was cut off is left out."""
    try:
        raw = file.read_bytes()
    except OSError:
        return []
    return list(decoded_points(raw))


def decoded_points(raw: bytes) -> Iterable[Point]:
    """Yields the points of whole lines."""
    for line in raw.split(b"\n"):
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
            if line:
                yield _decoder.decode(line)


def _line(point: Point) -> bytes:
    return msgspec.json.encode(point) + b"\n"
