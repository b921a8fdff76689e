"""What a site said of all its pages when one was fetched: its robots.txt and its tdmrep.json, out of the archive.

Both are captures like others. Those of the WARC file that a page is in are told as it is read; those of files before it
are found by the captures tables of its day and of the day before, which is as long as a robots.txt is believed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from skitter.content.answer import answer_in
from skitter.robots.signals import Signals, signals_in
from skitter.store.index.holding import reading
from skitter.store.index.names import day_in
from skitter.store.index.paths import table_folder
from skitter.store.warc.file import SUFFIX
from skitter.store.warc.original import whole_answer
from skitter.store.warc.places import places_of
from skitter.store.warc.reader import Reader
from skitter.url.keys import origin_of

ROBOTS, TDMREP = "/robots.txt", "/.well-known/tdmrep.json"
OK = 200
MAX_TDMREP = 256 * 1024
_COLUMNS = ["url", "status", "fetched_at", "warc_file", "warc_offset"]


class Said(NamedTuple):
    """A capture of one of the two: when, what came, and where it is."""

    micros: int
    status: int
    file: str
    offset: int


class Sites:
    """What sites said at a time. For one WARC file: `look_up` comes first."""

    def __init__(self, directory: Path, token: str, max_robots: int) -> None:
        self._directory = directory
        self._token = token
        self._max_robots = max_robots
        self._captures: dict[str, list[Said]] = {}
        self._signals_at = lru_cache(maxsize=4096)(self._read_signals)
        self._tdmrep_at = lru_cache(maxsize=256)(self._read_tdmrep)

    def look_up(self, file: str, origins: Collection[str]) -> None:
        """Finds what the sites of a WARC file said before; what is in the file itself is noted as it is read."""
        wanted = {origin + path for origin in origins for path in (ROBOTS, TDMREP)}
        self._captures = {}
        for url, said in _earlier(self._directory, day_in(file.removesuffix(SUFFIX)) or "", file, wanted):
            self._captures.setdefault(url, []).append(said)
        for captures in self._captures.values():
            captures.sort()

    def note(self, url: str, said: Said) -> None:
        """Takes what a site says in the file itself."""
        insort(self._captures.setdefault(url, []), said)

    def signals(self, url: str, micros: int) -> Signals:
        """Returns what the robots.txt of a URL said of its use."""
        said = self._last(origin_of(url) + ROBOTS, micros)
        return Signals() if said is None else self._signals_at(said.file, said.offset)

    def tdmrep(self, url: str, micros: int) -> bytes:
        """Returns the tdmrep.json of a URL's site, if it was fetched."""
        said = self._last(origin_of(url) + TDMREP, micros)
        return b"" if said is None else self._tdmrep_at(said.file, said.offset)

    def _last(self, url: str, micros: int) -> Said | None:
        """Returns the last capture before a time, if that was one of a document."""
        for said in reversed(self._captures.get(url, ())):
            if said.micros <= micros and not 300 <= said.status < 400:
                return said if said.status == OK else None
        return None

    def _read_signals(self, file: str, offset: int) -> Signals:
        return signals_in(self._body(file, offset)[: 2 * self._max_robots], self._token, self._max_robots)

    def _read_tdmrep(self, file: str, offset: int) -> bytes:
        body = self._body(file, offset)
        return body if len(body) <= MAX_TDMREP else b""

    def _body(self, file: str, offset: int) -> bytes:
        warc = self._directory / "warc"
        for path in places_of(warc, file):
            if path.exists():
                record = next(iter(Reader(path, offset, verify=False)), None)
                block = None if record is None else whole_answer(record, warc)
                answer = None if block is None else answer_in(block)
                return b"" if answer is None else answer.body
        return b""


def _earlier(directory: Path, day: str, file: str, wanted: Collection[str]) -> Iterator[tuple[str, Said]]:
    """Yields what other files have of the `wanted` URLs, of a day and of the one before."""
    with reading(directory):
        for folder in _days(directory, day):
            for path in sorted(folder.glob("*.parquet")):
                yield from ((url, said) for url, said in _rows(path, wanted) if said.file != file)


def _days(directory: Path, day: str) -> Iterator[Path]:
    if not day:
        return
    last = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC)
    for one in (last - timedelta(days=1), last):
        yield table_folder(directory, "captures") / one.strftime("%Y/%m/%d")


def _rows(path: Path, wanted: Collection[str]) -> Iterator[tuple[str, Said]]:
    try:
        table = pq.read_table(path, columns=_COLUMNS, filters=[("url", "in", list(wanted))], use_threads=False)
    except (pa.ArrowException, OSError):
        return  # half there, or damaged: it says nothing
    table = table.set_column(2, "fetched_at", table["fetched_at"].cast(pa.int64()))
    for url, status, micros, file, offset in zip(*table.to_pydict().values(), strict=True):
        yield url, Said(micros, status, file, offset)
