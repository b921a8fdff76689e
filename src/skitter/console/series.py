"""Numbers over time, out of the file that the supervisor keeps: only what was appended since the last look is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

from skitter.console.views import Series
from skitter.supervisor.series import COARSE, FILE, FINE, FINE_FOR, STATES, Point, decoded_points, thinned

COUNTED = ("pages", "requests", "errors", "received")
STOOD = ("in_flight", "hosts", "fresh", "margin", "late", "to_render")
GAP = 3 * COARSE
"""Seconds between two points over which nothing is said of a rate: nobody was there."""


class SeriesReader:
    """The points of a crawl's folder."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "run" / FILE
        self._points: list[Point] = []
        self._place = 0
        self._inode = 0

    def series(self, span: float, now: float) -> Series:
        """Returns the numbers of the last `span` seconds: fine within the hour, by the minute beyond."""
        self._read_on(now)
        points = [point for point in self._points if point.at > now - span]
        if span > FINE_FOR:
            points = list({point.at // COARSE: point for point in points}.values())
        return series_of(points, FINE if span <= FINE_FOR else COARSE)

    def _read_on(self, now: float) -> None:
        try:
            with self._file.open("rb") as stream:
                about = self._file.stat()
                if about.st_ino != self._inode or about.st_size < self._place:
                    self._inode, self._place, self._points = about.st_ino, 0, []
                stream.seek(self._place)
                raw = stream.read()
        except OSError:
            return
        end = raw.rfind(b"\n") + 1
        self._place += end
        self._points = thinned([*self._points, *decoded_points(raw[:end])], now) if end else self._points


def series_of(points: Sequence[Point], every: float) -> Series:
    """Returns points as columns: what was counted as a rate since the point before, all else as it stood."""
    columns: dict[str, list[float | None]] = {}
    for name in COUNTED:
        columns[name] = _rates(points, attrgetter(name))
    for name in STOOD:
        columns[name] = [getattr(point, name) for point in points]
    for place, state in enumerate(STATES):
        columns[f"urls_{state}"] = [point.states[place] if place < len(point.states) else None for point in points]
    for prefix, counts in (("failed", attrgetter("failures")), ("skipped", attrgetter("skipped"))):
        for name in sorted({name for point in points for name in counts(point)}):
            columns[f"{prefix}_{name}"] = _rates(points, partial(_count, counts, name))
    return Series(every, [point.at for point in points], columns)


def _rates(points: Sequence[Point], read: Callable[[Point], float]) -> list[float | None]:
    found: list[float | None] = [None] * min(1, len(points))
    for before, after in pairwise(points):
        seconds = after.at - before.at
        is_one_run = after.began == before.began and 0 < seconds <= GAP
        found.append(max(0.0, (read(after) - read(before)) / seconds) if is_one_run else None)
    return found


def _count(counts: Callable[[Point], dict[str, int]], name: str, point: Point) -> int:
    return counts(point).get(name, 0)
