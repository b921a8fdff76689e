"""The replay index (CDXJ) of one WARC file: a line for each answer, sorted by bytes, as pywb reads it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from heapq import merge
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from msgspec import json

from skitter.store.index.entries import Entry
from skitter.store.index.surt import surt
from skitter.store.warc.dates import timestamp14
from skitter.store.warc.places import relative_path

RUN = 50_000
"""Lines that are sorted in memory (about 15 MB); more are spilled as sorted runs and merged at the end."""


def cdxj_line(entry: Entry, file: str) -> bytes:
    """Returns the line of an entry that has an answer in `file`. pywb knows a revisit by its type.

    It finds the file by appending what the line says to the path of the archive: so that is a path, not a name.
    """
    answer = entry.answer
    assert answer is not None
    facts = {
        "url": entry.url,
        "mime": "warc/revisit" if answer.revisit else answer.mime or "unk",
        "status": str(answer.status),
        "digest": answer.payload_digest or "-",
        "length": str(entry.length),
        "offset": str(entry.offset),
        "filename": relative_path(file),
    }
    return f"{surt(entry.url)} {timestamp14(entry.micros)} ".encode() + json.encode(facts) + b"\n"


class CdxjFile:
    """Lines in any order in, a sorted file out."""

    def __init__(self, path: Path, run: int = RUN) -> None:
        self._path = path
        self._run = run
        self._lines: list[bytes] = []
        self._runs: list[IO[bytes]] = []

    def add(self, line: bytes) -> None:
        """Takes one line."""
        self._lines.append(line)
        if len(self._lines) >= self._run:
            self._spill()

    def close(self) -> None:
        """Writes the file and returns when it is on the disk."""
        self._lines.sort()
        with self._path.open("wb") as file:
            file.writelines(self._merged())
            file.flush()
            os.fsync(file.fileno())
        self.drop()

    def drop(self) -> None:
        """Gives up what is held."""
        for run in self._runs:
            run.close()
        self._runs.clear()
        self._lines.clear()

    def _merged(self) -> Iterable[bytes]:
        return merge(self._lines, *self._runs) if self._runs else self._lines

    def _spill(self) -> None:
        self._lines.sort()
        run = TemporaryFile(dir=self._path.parent)  # noqa: SIM115 (it lives until `drop`)
        run.writelines(self._lines)
        run.seek(0)
        self._runs.append(run)
        self._lines.clear()
